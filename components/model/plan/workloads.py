"""The plan of runs, with what follows a failure, and of the Redis beside them; their pods by what they run on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from components.model import names
from components.model.plan.pods import ClaimMountPlan, PodPlan, SecretKeyPlan, SecretMountPlan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from components.model.facts.failures import JobSetAction, PodAction
    from components.model.facts.quantities import Quantity
    from components.model.places import Key, Place


class PodFailurePlan(Struct, frozen=True, kw_only=True):
    """The action of a Job on a failed pod: by the exit codes of its containers, or by its conditions."""

    place: Place
    action: PodAction
    exit_codes: tuple[int, ...] = ()
    """Sorted, each once, as the API server wants them; empty for a rule about conditions."""
    is_other_code: bool = False
    """Whether the rule is about all other codes than these."""
    conditions: tuple[str, ...] = ()


class FailureRulePlan(Struct, frozen=True, kw_only=True):
    """The action of a JobSet on a failed Job."""

    place: Place
    name: str
    action: JobSetAction
    exit_codes: tuple[int, ...] = ()
    conditions: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    """Reasons of the failed Job; empty for any, and so below."""
    messages: tuple[str, ...] = ()
    replicated_jobs: tuple[str, ...] = ()

    @property
    def is_about_pods(self) -> bool:
        """Whether the rule is about a failed pod, which the Job must look at for the JobSet."""
        return bool(self.exit_codes or self.conditions)

    def concerns(self, replicated_job: str) -> bool:
        """Whether the rule is about Jobs of that replicated job."""
        return not self.replicated_jobs or replicated_job in self.replicated_jobs


class SuccessPlan(Struct, frozen=True, kw_only=True):
    """When a JobSet has succeeded."""

    place: Place
    operator: str
    replicated_jobs: tuple[str, ...]
    """Empty for all of them."""


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


class JobSetPlan(TpuRunPlan, frozen=True, kw_only=True):
    """A multislice workload."""

    lists_flavors: bool
    """Whether the stack file lists its flavors, rather than naming one."""
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


class ManifestObject(Struct, frozen=True, kw_only=True):
    """An object of a file of Kubernetes objects, with the values of the stack in it."""

    document: Mapping[str, Any]
    line_of: Callable[[Sequence[Key]], int]
    """The line of the file, from 1, in which the field at a path stands, or what would hold it."""


class ManifestPlan(Struct, frozen=True, kw_only=True):
    """Kubernetes objects of any kind, from a file of the user."""

    place: Place
    name: str
    namespace: str
    queue: str | None
    """None where the objects themselves state it, and so below."""
    priority: str | None
    flavor: str | None
    """The flavor whose slices the file describes; None where it names none."""
    file: str
    objects: tuple[ManifestObject, ...]
    """Empty where the file cannot be used."""
    problem: Problem | None = None
    """Why it cannot."""


class Problem(Struct, frozen=True, kw_only=True):
    """Why a file of Kubernetes objects cannot be used."""

    says: str
    """With the file and the line."""
    remedy: str


RunsPlan = JobSetPlan | TpuJobPlan | BatchJobPlan
"""A run to completion."""
WorkloadPlan = RunsPlan | RedisPlan | ManifestPlan


class PodGroupPlan(Struct, frozen=True, kw_only=True):
    """Equal pods of a workload."""

    work: RunsPlan | RedisPlan | ReplicatedJobPlan
    """The workload; the replicated job for pods beside slices."""
    pod: PodPlan
    count: int
    """How many of them run at once."""
    container: str
    """Name of the container beside those that the user adds."""
    is_on_slices: bool = False
    """Whether each is on a host of a slice; else they are on ordinary nodes."""
    is_on_host_network: bool = False
    node_selector: Mapping[str, str] = field(default_factory=dict["str", "str"])

    @property
    def flavors(self) -> tuple[str, ...]:
        """The flavors that their slices may be of; none for pods on ordinary nodes."""
        return self.work.flavors if self.is_on_slices and isinstance(self.work, TpuRunPlan) else ()


def pod_groups(work: WorkloadPlan) -> Iterator[PodGroupPlan]:
    """The pods of a workload, those beside its slices last; none of a manifest."""
    match work:
        case JobSetPlan():
            yield _hosts(work, work.pod, names.CONTAINER)
            yield from map(_plain, work.replicated_jobs)
        case TpuJobPlan():
            yield _hosts(work, work.pod, names.CONTAINER)
        case BatchJobPlan():
            yield _plain(work)
        case RedisPlan():
            pod = PodPlan(place=work.place, requests=work.requests, mounts=work.mounts)
            yield PodGroupPlan(work=work, pod=pod, count=1, container=names.REDIS_CONTAINER)
        case ManifestPlan():
            return  # its pods are in its objects, which rules over objects judge


def _hosts(work: JobSetPlan | TpuJobPlan, pod: PodPlan, container: str) -> PodGroupPlan:
    return PodGroupPlan(
        work=work,
        pod=pod,
        count=work.slices * work.hosts,
        container=container,
        is_on_slices=True,
        is_on_host_network=work.is_on_host_network,
        node_selector=work.node_selector,
    )


def _plain(work: BatchJobPlan | ReplicatedJobPlan) -> PodGroupPlan:
    return PodGroupPlan(
        work=work, pod=work.pod, count=work.pods, container=names.TASK_CONTAINER, node_selector=work.node_selector
    )


class SecretRead(Struct, frozen=True, kw_only=True):
    """A Secret that pods cannot start without."""

    place: Place
    namespace: str
    name: str
    key: str | None
    """The key that the pods need; None where they need the whole Secret."""
    command: str
    """How somebody makes it by hand."""


def secret_reads(group: PodGroupPlan) -> Iterator[SecretRead]:
    """The Secrets that these pods read as variables, as files, and to pull their images."""
    for container in group.pod.containers:
        for name, value in container.env.items():
            if isinstance(value, SecretKeyPlan):
                yield _read(group, container.place.at("env", name), value.secret, value.key)
        for mount in container.mounts:
            if isinstance(mount, SecretMountPlan):
                yield _read(group, mount.place.at("secret"), mount.secret, None)
    for index, name in enumerate(group.pod.pull_secrets):
        place, home = group.pod.place.at("image_pull_secrets", index), group.work.namespace
        flags = "--docker-server=... --docker-username=... --docker-password=..."
        command = f"kubectl create secret docker-registry {name} --namespace {home} {flags}"
        yield SecretRead(place=place, namespace=home, name=name, key=None, command=command)


def _read(group: PodGroupPlan, place: Place, name: str, key: str | None) -> SecretRead:
    home = group.work.namespace
    value = f"{'KEY' if key is None else key}=..."
    command = f"kubectl create secret generic {name} --namespace {home} --from-literal={value}"
    return SecretRead(place=place, namespace=home, name=name, key=key, command=command)
