"""The runs that will exist, and the Redis beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from components.model import names
from components.model.plan.pods import PodPlan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.facts.quantities import Quantity
    from components.model.places import Place
    from components.model.plan.failures import FailureRulePlan, PodFailurePlan, SuccessPlan
    from components.model.plan.pods import ClaimMountPlan


class RunPlan(Struct, frozen=True, kw_only=True):
    """A run to completion, whatever it is made of."""

    place: Place
    name: str
    namespace: str
    queue: str | None
    """None for a run that no queue holds back."""
    priority: str | None
    image: str
    command: tuple[str, ...] | None
    """None is the image's own, and so below."""
    args: tuple[str, ...] | None
    pod: PodPlan = field(default_factory=PodPlan)
    """The pods beside their program."""
    compute_class: str | None = None
    """The ComputeClass that its pods select; None where they select nodes by other labels."""


class TpuRunPlan(RunPlan, frozen=True, kw_only=True):
    """A run on whole slices, one pod per host."""

    flavors: tuple[str, ...]
    """The flavors that its slices may be of; pods of a run of several flavors get their selector from Kueue."""
    slices: int
    hosts: int
    """Hosts of one slice, each with one pod."""
    chips_per_host: int
    chips: int
    """Over all slices."""
    node_selector: Mapping[str, str]
    node_seconds: int | None
    """How long the nodes that Kueue asks for on its behalf may live; None leaves it to GKE."""
    ports: tuple[int, ...]
    is_privileged: bool
    is_on_host_network: bool
    checkpoint_seconds: int | None = None
    """How long it takes to write a checkpoint after SIGTERM; None where it does not say."""

    @property
    def first_flavor(self) -> str:
        """The flavor whose slices it is shaped for; empty where no flavor can serve it."""
        return next(iter(self.flavors), "")


class SlicesRunPlan(TpuRunPlan, frozen=True, kw_only=True):
    """A run that states how many slices it takes, and whose slices may be of several flavors."""

    lists_flavors: bool
    """Whether the stack file lists its flavors, rather than naming one."""


class MaxTextPlan(Struct, frozen=True, kw_only=True):
    """Where a MaxText run writes."""

    place: Place
    run_name: str
    bucket: str


class DependencyPlan(Struct, frozen=True, kw_only=True):
    """A replicated job that another one waits for."""

    place: Place
    name: str
    status: str


class ReplicatedJobPlan(RunPlan, frozen=True, kw_only=True):
    """Jobs of a JobSet beside its slices, on ordinary nodes; queue and priority are those of the JobSet."""

    replicas: int
    pods: int
    """Over all replicas."""
    depends_on: tuple[DependencyPlan, ...]
    backoff_limit: int
    node_selector: Mapping[str, str]
    """Empty: Kueue selects nodes of a flavor."""


class JobSetPlan(SlicesRunPlan, frozen=True, kw_only=True):
    """A multislice workload."""

    exclusive_topology: str | None
    """Node label in each of whose values at most one slice runs; None where a slice is one host."""
    maxtext: MaxTextPlan | None
    max_restarts: int | None
    """None where nothing is stated; then it never restarts."""
    restart_strategy: str | None
    """None leaves it to JobSet."""
    failure_rules: tuple[FailureRulePlan, ...] = ()
    success: SuccessPlan | None = None
    """None where all of its Jobs must complete."""
    depends_on: tuple[DependencyPlan, ...] = ()
    """The replicated jobs that its slices wait for."""
    replicated_jobs: tuple[ReplicatedJobPlan, ...] = ()
    """Beside its slices, in the order of the stack file."""

    @property
    def job_names(self) -> list[str]:
        """The names of its replicated jobs, that of its slices first."""
        return [names.REPLICATED_JOB, *(each.name for each in self.replicated_jobs)]

    @property
    def starts(self) -> list[str]:
        """The names of its replicated jobs in the order in which JobSet takes them: each after those it waits for.

        Replicated jobs that wait for each other in a circle come last.
        """
        waits = {each.name: [other.name for other in each.depends_on] for each in self.replicated_jobs}
        waits[names.REPLICATED_JOB] = [other.name for other in self.depends_on]
        left, ordered = list(dict.fromkeys(self.job_names)), list[str]()
        while left:
            free = next((name for name in left if set(waits[name]).isdisjoint(left)), left[0])
            ordered.append(free)
            left.remove(free)
        return ordered


class TpuJobPlan(TpuRunPlan, frozen=True, kw_only=True):
    """A workload of one slice as a plain Job."""

    service: str | None
    """The headless Service of its hosts; None for a single host."""
    is_service_stated: bool
    pool: str | None
    """The node pool that its pods are held in."""
    restart_policy: str
    pod_failures: tuple[PodFailurePlan, ...] = ()
    backoff_limit: int | None = None
    """None leaves it to the shape of the slice."""


class HeadPlan(Struct, frozen=True, kw_only=True):
    """The pod that leads a run on slices, and needs processors and memory of an ordinary node."""

    place: Place
    pool: str | None
    """The node pool that it is held in."""
    node_selector: Mapping[str, str]
    pod: PodPlan
    """The pod beside its program and the containers of Pathways."""
    requests: Mapping[str, Quantity]
    """Requests of all its containers."""
    quota: Mapping[str, Quantity]
    """Requests of the pod and of all others of the run without chips, as its queue counts them."""


class PathwaysPlan(SlicesRunPlan, frozen=True, kw_only=True):
    """A program that uses all slices through Pathways; ports are those of its workers."""

    head: HeadPlan
    exclusive_topology: str | None
    """Node label in each of whose values at most one slice runs; None where a slice is one host."""
    server_image: str
    proxy_image: str
    server: Mapping[str, Quantity]
    """Resources of the resource manager."""
    proxy: Mapping[str, Quantity]
    """Resources of the proxy."""
    machine_type: str
    """The machine type of the hosts; empty where its flavor does not exist."""
    instance_type: str
    """Pathways' name of one of its slices; empty where it does not run on them."""
    scratch_bucket: str
    max_restarts: int

    @property
    def worker_pod(self) -> PodPlan:
        """The pods on its slices: they run the server, and have nothing of the program."""
        return replace(self.pod, requests={}, env={}, mounts=(), sidecars=(), driver_annotations={})


class RayPlan(SlicesRunPlan, frozen=True, kw_only=True):
    """A RayJob whose workers are the hosts of slices."""

    head: HeadPlan
    ray_version: str | None
    """None leaves it to KubeRay."""
    max_restarts: int


class RedisAddressPlan(Struct, frozen=True, kw_only=True):
    """How a pod reaches a Redis of its namespace."""

    place: Place
    name: str
    host: str
    """Empty where it does not exist."""
    port: int
    secret: str


class BatchJobPlan(RunPlan, frozen=True, kw_only=True):
    """A plain Job of equal pods."""

    pods: int
    node_selector: Mapping[str, str]
    redis: RedisAddressPlan | None
    user: int | None
    """None is the image's own."""
    restart_policy: str
    is_awaited: bool
    """Whether what comes after it waits for its end."""
    pod_failures: tuple[PodFailurePlan, ...] = ()
    backoff_limit: int | None = None
    """None leaves it to Kubernetes."""
    gpu: str | None = None
    """The model of GPU of its pods; None where they have none."""


class RedisPlan(Struct, frozen=True, kw_only=True):
    """A Redis with one server."""

    place: Place
    name: str
    namespace: str
    image: str
    service: str
    secret: str
    port: int
    requests: Mapping[str, Quantity]
    mounts: tuple[ClaimMountPlan, ...]


HeadedRun = PathwaysPlan | RayPlan
"""A run with a head."""
RunsPlan = JobSetPlan | TpuJobPlan | PathwaysPlan | RayPlan | BatchJobPlan
"""A run to completion."""
WorkloadPlan = RunsPlan | RedisPlan
