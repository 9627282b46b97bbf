"""The inputs of JobSet: the workload, and the queues that it is checked against."""

from typing import NotRequired, TypedDict

from package.failures import FailurePolicy, SuccessPolicy, Survival
from package.inputs import AdmissionCheck, Cohort, ExistingCluster, Flavor, Priority, Queue, SliceGroup
from package.pods import Mount, Sidecar
from package.variables import Variable


class Ledger(TypedDict):
    """The queues and their slices, against which a JobSet is checked."""

    slices: NotRequired[list[SliceGroup]]
    """The slices whose chips the queues have as quota; left out, they are not known."""
    flavors: list[Flavor]
    """Kinds of slices."""
    cohorts: NotRequired[list[Cohort]]
    """Cohorts that the queues are in."""
    admission_checks: NotRequired[list[AdmissionCheck]]
    """Checks that the queues name."""
    queues: list[Queue]
    """The queues."""
    priorities: NotRequired[list[Priority]]
    """Priorities that workloads may have."""


class JobSetArgs(TypedDict):
    """The inputs of JobSet."""

    cluster: ExistingCluster
    """The cluster, in which JobSet and Kueue are installed."""
    ledger: Ledger
    """The queues that the workload is checked against: the output `ledger` of Queues, or the same written out."""
    name: NotRequired[str]
    """Name of the JobSet in Kubernetes; left out, it is the component's."""
    namespace: NotRequired[str]
    """The namespace, which must exist; left out, it is `default`."""
    queue: str
    """A LocalQueue of the namespace."""
    priority: NotRequired[str]
    """Name of a priority."""
    flavor: NotRequired[str]
    """The flavor of its slices; either this or `flavors`."""
    flavors: NotRequired[list[str]]
    """Flavors that it can run on; Kueue picks the first of its queue that has room."""
    slices: int
    """How many slices it runs on, all at once."""
    image: str
    """Container image of every host."""
    script: NotRequired[str]
    """Lines for bash, run on every host; either this or `command`."""
    command: NotRequired[list[str]]
    """A program and its arguments, run on every host."""
    max_restarts: NotRequired[int]
    """How often a failed workload starts again, all slices together; 0 states that it never does."""
    restart_strategy: NotRequired[str]
    """`Recreate`, or `BlockingRecreate`, which waits until all old pods are gone; left out, JobSet decides."""
    failure_policy: NotRequired[FailurePolicy]
    """Instead of `max_restarts` and `restart_strategy`: both, and rules for single failures."""
    success_policy: NotRequired[SuccessPolicy]
    """When the workload has succeeded; left out, when all of its Jobs are complete."""
    maintenance: NotRequired[Survival]
    """How it survives that Kubernetes ends its pods: it starts again without counting the restart."""
    env: NotRequired[dict[str, Variable]]
    """Environment variables of its container."""
    mounts: NotRequired[list[Mount]]
    """Volumes that its container mounts as folders."""
    resources: NotRequired[dict[str, str]]
    """Resources of its container beside chips, as requests and as limits; its queue must have quota of them."""
    sidecars: NotRequired[list[Sidecar]]
    """Containers beside it. They start before it, and end when it ends."""
    service_account: NotRequired[str]
    """The ServiceAccount of the namespace as which its pods act; left out, it is `default`."""
    host_network: NotRequired[bool]
    """Whether its pods are on the network of their hosts; left out, only those of several slices, on Standard."""
    privileged: NotRequired[bool]
    """Whether its containers may do anything on their host; left out, they may not."""
    grace_seconds: NotRequired[int]
    """Seconds between SIGTERM and SIGKILL when a pod is ended; left out, they are 30."""
    image_pull_secrets: NotRequired[list[str]]
    """Secrets of the namespace with which nodes pull the images."""
    labels: NotRequired[dict[str, str]]
    """Labels of the workload and of its pods."""
    annotations: NotRequired[dict[str, str]]
    """Annotations of the workload and of its pods."""
