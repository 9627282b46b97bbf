"""Configuration of workloads: runs to completion, and the Redis that batch jobs take their work from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Discriminator, Field, Tag

from components.model.config.failures import (
    FailurePolicy,
    PodFailureRule,
    RestartStrategy,
    SuccessPolicy,
    Survival,
)
from components.model.config.pods import PodKeys
from components.model.config.section import Count, Distinct, OptionalCount, Section, Variant, Variants
from components.model.config.values import (
    AmountText,
    BucketName,
    ImageReference,
    KubernetesName,
    MountPath,
    ResourceName,
    Text,
)
from components.model.facts.gke import DEFAULT_NAMESPACE

_BY_HOSTS: Final = "One pod runs on each host of a slice."


class Run(Section):
    """The keys of every run to completion."""

    name: KubernetesName
    """Name of the Job or JobSet."""
    namespace: KubernetesName = DEFAULT_NAMESPACE
    """Namespace of its pods."""
    queue: KubernetesName | None = None
    """A LocalQueue of the namespace; without one the workload starts at once, without quota."""
    priority: KubernetesName | None = None
    """Name of a priority."""
    image: ImageReference
    """Image of its containers."""


class DependsOn(Section):
    """A replicated job that another one waits for."""

    name: KubernetesName
    """Name of a replicated job of the same JobSet; that of the slices is `slice`."""
    status: Literal["Ready", "Complete"]
    """Ready: the pods of all of its Jobs are ready, or have ended. Complete: all of its Jobs are complete."""


Dependencies = Annotated[tuple[DependsOn, ...], Field(min_length=1)]


class ReplicatedJob(PodKeys):
    """Jobs beside the slices, on ordinary nodes: such as a coordinator, a data loader or an evaluation."""

    at_most_one = (("script", "command"), ("script", "args"))

    name: KubernetesName
    """Name of the replicated job; it is part of the names of its pods."""
    image: ImageReference
    """Image of its containers."""
    replicas: Count = 1
    """How many Jobs, all at once."""
    pods: Count = 1
    """Pods of one Job, all at once."""
    script: Text | None = None
    """Lines for bash, run in every pod."""
    command: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    """A program and its arguments, run in every pod."""
    args: tuple[Text, ...] | None = None
    """Arguments of the image's own program, or of `command`."""
    depends_on: Dependencies | None = None
    """The replicated jobs that it waits for; by default it starts at once."""
    backoff_limit: OptionalCount = 0
    """How often failed pods are replaced before the Job fails, and with it what `failure_policy` says."""


class MaxText(Section):
    """A training run of MaxText on synthetic data."""

    run_name: KubernetesName
    """Name of its folder in the bucket."""
    steps: Count
    """Steps of the training."""
    bucket: BucketName
    """The bucket that it writes to."""


class JobSet(PodKeys, Run):
    """A multislice workload: one Job per slice, one pod per host."""

    exactly_one = (("flavor", "flavors", "compute_class"), ("script", "command", "maxtext"))
    at_most_one = (("max_restarts", "failure_policy"), ("restart_strategy", "failure_policy"))
    instead: ClassVar[Mapping[str, str]] = {
        "args": "Write them in command, after the program.",
        "pods": _BY_HOSTS,
    }

    kind: Literal["jobset"]
    """A multislice workload: one Job per slice, one pod per host."""
    flavor: KubernetesName | None = None
    """Name of the flavor of its slices."""
    flavors: Annotated[tuple[KubernetesName, ...], Field(min_length=1), Distinct] | None = None
    """Instead of `flavor`: several flavors. Kueue takes the first flavor of the queue that has room."""
    compute_class: KubernetesName | None = None
    """Instead of `flavor`, for a workload without a queue: name of the ComputeClass that brings its slices."""
    slices: Count
    """Slices that it runs on, all at once."""
    script: Text | None = None
    """Lines for bash, run on every host."""
    command: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    """A program and its arguments, run on every host."""
    maxtext: MaxText | None = None
    """A training run of MaxText, instead of `script` or `command`."""
    max_restarts: OptionalCount | None = None
    """How often a failed workload starts again, all slices together; 0 states that it never does."""
    restart_strategy: RestartStrategy | None = None
    """BlockingRecreate creates no new pod before all old ones are gone; by default JobSet decides."""
    failure_policy: FailurePolicy | None = None
    """Instead of `max_restarts` and `restart_strategy`: both, and rules for single failures."""
    success_policy: SuccessPolicy | None = None
    """When the workload has succeeded; by default when all of its Jobs are complete."""
    replicated_jobs: tuple[ReplicatedJob, ...] = ()
    """Jobs beside the slices, on ordinary nodes. Kueue admits them together with the slices."""
    depends_on: Dependencies | None = None
    """The replicated jobs that the slices wait for; by default they start at once."""
    maintenance: Survival | None = None
    host_network: bool | None = None
    """Whether the pods on its slices are on the network of their hosts. By default they are if the workload has several
    slices, on Standard. To Google Cloud such pods are the node, and not their service account."""
    privileged: bool = False
    """Its containers on slices may do anything on their host."""


class TpuJob(PodKeys, Run):
    """A workload of one slice as a plain Job: one pod per host."""

    exactly_one = (("flavor", "compute_class"),)
    at_most_one = (("script", "command"), ("script", "args"), ("pool", "compute_class"))
    instead: ClassVar[Mapping[str, str]] = {
        "pods": _BY_HOSTS,
        "slices": "A workload on several slices is of kind jobset.",
    }

    kind: Literal["tpu-job"]
    """A workload of one slice as a plain Job."""
    flavor: KubernetesName | None = None
    """Name of the flavor of its slice."""
    compute_class: KubernetesName | None = None
    """Instead of `flavor`, for a workload without a queue: name of the ComputeClass that brings its slice."""
    script: Text | None = None
    """Lines for bash, run on every host."""
    command: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    """A program and its arguments, run on every host."""
    args: tuple[Text, ...] | None = None
    """Arguments of the image's own program, or of `command`."""
    restart_policy: Literal["Never", "OnFailure"] = "Never"
    """Whether a failed container starts again in its pod."""
    service: KubernetesName | None = None
    """The headless Service by which the hosts of a slice find each other; by default it has the name of the Job."""
    pool: KubernetesName | None = None
    """The node pool of its pods: nothing else keeps the pods of a plain Job on one slice, if several slices are
    alike."""
    host_network: bool = False
    """Whether its pods are on the network of their hosts. To Google Cloud such pods are the node, and not their service
    account."""
    privileged: bool = False
    """Its containers may do anything on their host."""
    maintenance: Survival | None = None
    pod_failure_policy: tuple[PodFailureRule, ...] = ()
    """What to do with which failed pod; the first rule that matches decides."""
    backoff_limit: OptionalCount | None = None
    """How often failed pods are replaced before the Job fails; by default never on several hosts, else Kubernetes
    decides (6)."""


class PodGpu(Section):
    """GPUs of one pod."""

    type: Text
    """The model, as in the node label cloud.google.com/gke-accelerator, such as nvidia-tesla-t4."""
    count: Count
    """GPUs of one pod."""


class BatchJob(PodKeys, Run):
    """A plain Job of equal pods, which all run at once."""

    at_most_one = (("script", "command"), ("script", "args"))

    kind: Literal["batch-job"]
    """A plain Job of equal pods on ordinary nodes."""
    pods: Count
    """How many pods, all at once."""
    gpu: PodGpu | None = None
    compute_class: KubernetesName | None = None
    """For a workload without a queue: name of the ComputeClass that brings its nodes."""
    script: Text | None = None
    """Lines for bash, run in every pod."""
    command: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    """A program and its arguments, run in every pod."""
    args: tuple[Text, ...] | None = None
    """Arguments of the image's own program, or of `command`."""
    redis: KubernetesName | None = None
    """A workload of kind redis in the same namespace; its address and password are in REDIS_HOST, REDIS_PORT and
    REDIS_PASSWORD."""
    user: OptionalCount | None = None
    """ID of the user that its program runs as, 0 for root; by default the image decides."""
    restart_policy: Literal["Never", "OnFailure"] = "Never"
    """Whether a failed container starts again in its pod."""
    pod_failure_policy: tuple[PodFailureRule, ...] = ()
    """What to do with which failed pod; the first rule that matches decides."""
    backoff_limit: OptionalCount | None = None
    """How often failed pods are replaced before the Job fails; by default Kubernetes decides (6)."""
    awaited: bool = False
    """The update submits the workloads below it only when it is complete, and fails if it fails."""


class RedisMount(Section):
    """A PersistentVolumeClaim of the namespace, as a folder."""

    claim: KubernetesName
    """Name of the claim."""
    path: MountPath
    """Where the folder is in the container."""


class Redis(Section):
    """A Redis with one server and a generated password."""

    kind: Literal["redis"]
    """A Redis with one server and a generated password."""
    name: KubernetesName
    """Name of the StatefulSet."""
    namespace: KubernetesName = DEFAULT_NAMESPACE
    """Namespace that it is in."""
    image: ImageReference
    """Image of the server."""
    service: KubernetesName = "redis"
    """Name of its Service, by which pods reach it."""
    resources: dict[ResourceName, AmountText] = Field(default_factory=lambda: {"cpu": "250m", "memory": "512Mi"})
    """The resources of its pod, as requests and as limits."""
    mounts: Annotated[tuple[RedisMount, ...], Field(min_length=1)]
    """Claims that it mounts; the first one is for its append-only file."""


class Manifest(Section):
    """Kubernetes objects of any kind, as a file beside the stack file has them."""

    kind: Literal["manifest"]
    """Kubernetes objects of any kind, from a file beside the stack file."""
    name: KubernetesName
    """Name of the workload; objects may have it as ${name}."""
    namespace: KubernetesName = DEFAULT_NAMESPACE
    """Namespace of the objects, except those of kinds that are in none."""
    queue: KubernetesName | None = None
    """A LocalQueue of the namespace, whose label is added to each object that Kueue queues."""
    priority: KubernetesName | None = None
    """Name of a priority, whose label is added to each object that Kueue queues."""
    flavor: KubernetesName | None = None
    """Name of a flavor, whose slices the file can describe with ${flavor.topology} and others."""
    file: Text
    """The file, by its path from the stack file. It has values of the stack where it writes ${name}, ${namespace},
    ${queue}, ${priority} or ${project}."""
    values: dict[str, str] = Field(default_factory=dict[str, str])
    """Values of your own, which the file has as ${values.KEY}."""


Workload = Annotated[
    Annotated[JobSet, Tag("|JobSet")]
    | Annotated[TpuJob, Tag("|TpuJob")]
    | Annotated[BatchJob, Tag("|BatchJob")]
    | Annotated[Redis, Tag("|Redis")]
    | Annotated[Manifest, Tag("|Manifest")],
    Discriminator(
        Variants(
            Variant(JobSet, ("kind",), "jobset"),
            Variant(TpuJob, ("kind",), "tpu-job"),
            Variant(BatchJob, ("kind",), "batch-job"),
            Variant(Redis, ("kind",), "redis"),
            Variant(Manifest, ("kind",), "manifest"),
        )
    ),
]
