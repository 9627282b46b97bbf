"""Pods that an object makes: of the jobs of a JobSet, a Job, a Deployment, a DaemonSet, or a Pod itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Final, NamedTuple

from components.model.facts import gke, kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from components.model.places import Place
    from policies.objects.values import Part
    from policies.objects.world import Object

GROUPED: Final = (kinds.JOBSET, kinds.JOB, kinds.CRON_JOB, kinds.LEADER_WORKER_SET, *kinds.RAY_KINDS)
"""Kinds that say how many pods are one group, such as the hosts of a slice."""
MAKERS: Final = (*GROUPED, kinds.DEPLOYMENT, kinds.STATEFUL_SET, kinds.DAEMON_SET, kinds.POD)
"""Kinds that create pods."""
RUNS: Final = (kinds.JOBSET, kinds.JOB)
"""Kinds that run to completion and are queued."""
_CONTAINERS: Final = ("initContainers", "containers")
PATH: Final = ("spec", "affinity", "nodeAffinity")
TERMS: Final = (*PATH, "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
"""Where a template states which nodes its pods may have."""
_IN: Final = "In"


@dataclass(frozen=True, kw_only=True)
class PodGroup:
    """Pods of one template. Values that many rules need are read once."""

    owner: Object
    name: str
    """The name of the replicated job in a JobSet, else of the object."""
    part: Part
    """The replicated job in a JobSet, else the object: what its name and number are stated in."""
    replicas: int
    """How many Jobs, or groups of pods, there are of it."""
    job: Part | None
    """The Job's spec; None where no Job makes the pods."""
    counted: tuple[Part, str] | None = None
    """The part that states the number of pods in a group, and its key; None of a Job, and where pods are single."""
    beside: int = 0
    """How many pods of that number are of another template."""
    template: Part
    """The template of the pods, with metadata and spec; a Pod is its own."""

    @cached_property
    def parallelism(self) -> int:
        """Pods of one Job at a time, or of one group."""
        part, key = self.job_key
        stated = None if part is None else part.whole(key)
        return 1 if stated is None else stated - self.beside

    @property
    def job_key(self) -> tuple[Part | None, str]:
        """The part that states the number of pods in a group, and its key."""
        return (self.job, "parallelism") if self.counted is None else self.counted

    @property
    def completions(self) -> int | None:
        """Pods of one Job that must end well; None where any one is enough."""
        return None if self.job is None else self.job.whole("completions")

    @property
    def completion_mode(self) -> str | None:
        """Whether the pods of a Job have an index; None where nothing is stated."""
        return None if self.job is None else self.job.text("completionMode")

    @cached_property
    def _required(self) -> dict[str, Required]:
        return required_labels(self.template)

    @cached_property
    def selector(self) -> dict[str, str]:
        """Labels of nodes that its pods ask for, by a nodeSelector or by an affinity that leaves one value."""
        stated = self.template.labels("spec", "nodeSelector")
        return {**{key: each.value for key, each in self._required.items()}, **stated} if self._required else stated

    def selected_at(self, key: str | None = None) -> Place:
        """Where a label of `selector` is stated, or would be; without a key, where pods select their nodes."""
        path = ("spec", "nodeSelector")
        if not self._required or self.template.has(*path, *(() if key is None else (key,))):
            return self.template.place.at(*path, *(() if key is None else (key,)))
        if key is None:
            return self.template.place.at(*PATH)
        found = self._required.get(key)
        return self.template.place.at(*path, key) if found is None else found.place

    @cached_property
    def containers(self) -> tuple[Part, ...]:
        """The containers of a pod, without those that end before."""
        return self.template.parts("spec", "containers")

    @cached_property
    def all_containers(self) -> tuple[Part, ...]:
        """The containers of a pod, those that end before among them."""
        return tuple(each for key in _CONTAINERS for each in self.template.parts("spec", key))

    @cached_property
    def chips(self) -> int:
        """TPU chips that one pod asks for."""
        return sum(chips_of(container) for container in self.containers)


def chips_of(container: Part) -> int:
    """TPU chips that a container asks for: its limit, else its request."""
    for kind in ("limits", "requests"):
        amount = container.quantity("resources", kind, gke.RESOURCE_TPU)
        if amount is not None:
            return amount.milli // 1000
    return 0


def asks_for(container: Part, resource: str) -> bool:
    """Whether a container asks for a resource, or for a part of one."""
    amounts = (container.quantity("resources", kind, resource) for kind in ("limits", "requests"))
    return any(amount is not None and amount.milli for amount in amounts)


def ask_for(owner: Object, resource: str, amount: str = "") -> str:
    """The remedy for pods that select nodes with a resource: request some; in a DaemonSet, tolerate its taint."""
    if owner.kind is kinds.DAEMON_SET:
        return f"Add tolerations: [{{key: {resource}, operator: Exists}}], or remove the selector."
    return f"Add {resource}{amount} to resources.limits of a container, or remove the selector."


def is_for_any_pod(template: Part, taint: str) -> bool:
    """Whether pods tolerate a taint of nodes by themselves, or claim devices."""
    tolerated = [each.text("key") for each in template.parts("spec", "tolerations")]
    return taint in tolerated or None in tolerated or template.has("spec", "resourceClaims")


def _once(read: Callable[[Object], Iterable[PodGroup]]) -> Callable[[Object], tuple[PodGroup, ...]]:
    """A function that reads something of an object once for all rules."""
    name = read.__name__

    @wraps(read)
    def found(owner: Object) -> tuple[PodGroup, ...]:
        derived = owner.derived
        if name not in derived:
            derived[name] = tuple(read(owner))
        return derived[name]

    return found


@_once
def pod_groups(owner: Object) -> Iterator[PodGroup]:
    """The templates of an object's pods; none of kinds that make no pods."""
    if owner.kind is kinds.POD:
        yield PodGroup(owner=owner, name=owner.name, part=owner, replicas=1, job=None, template=owner)
    elif owner.kind is kinds.JOBSET:
        for each in owner.parts("spec", "replicatedJobs"):
            job = each.part("template", "spec")
            template = None if job is None else job.part("template")
            if template is not None:
                replicas = each.whole("replicas")
                yield PodGroup(
                    owner=owner,
                    name=each.string("name"),
                    part=each,
                    replicas=1 if replicas is None else replicas,
                    job=job,
                    template=template,
                )
    elif owner.kind in _READERS:
        yield from _READERS[owner.kind](owner)
    elif owner.kind in MAKERS:
        template = owner.part("spec", "template")
        if template is not None:
            job = owner.part("spec") if owner.kind is kinds.JOB else None
            yield PodGroup(owner=owner, name=owner.name, part=owner, replicas=1, job=job, template=template)


def _of_cron_job(owner: Object) -> Iterator[PodGroup]:
    job = owner.part("spec", "jobTemplate", "spec")
    template = None if job is None else job.part("template")
    if template is not None:
        yield PodGroup(owner=owner, name=owner.name, part=owner, replicas=1, job=job, template=template)


def _of_leader_and_workers(owner: Object) -> Iterator[PodGroup]:
    """The workers, with the leader among them where it has chips or no template of its own; else the leader too."""
    part = owner.part("spec", "leaderWorkerTemplate")
    worker = None if part is None else part.part("workerTemplate")
    if part is None or worker is None:
        return
    leader, stated = part.part("leaderTemplate"), owner.whole("spec", "replicas")
    replicas = 1 if stated is None else stated
    alone = (
        None
        if leader is None
        else PodGroup(owner=owner, name="the leader", part=owner, replicas=replicas, job=None, template=leader)
    )
    is_apart = alone is not None and not alone.chips
    yield PodGroup(
        owner=owner,
        name=owner.name,
        part=owner,
        replicas=replicas,
        job=None,
        counted=(part, "size"),
        beside=int(is_apart),
        template=worker,
    )
    if alone is not None:
        yield alone


def _of_ray(owner: Object) -> Iterator[PodGroup]:
    path = {kinds.RAY_JOB: ("spec", "rayClusterSpec"), kinds.RAY_SERVICE: ("spec", "rayClusterConfig")}
    cluster = owner.part(*path.get(owner.kind, ("spec",)))
    head = None if cluster is None else cluster.part("headGroupSpec", "template")
    if cluster is None:
        return
    if head is not None:
        yield PodGroup(owner=owner, name="the head", part=owner, replicas=1, job=None, template=head)
    for each in cluster.parts("workerGroupSpecs"):
        template = each.part("template")
        if template is not None:
            yield PodGroup(
                owner=owner,
                name=each.string("groupName"),
                part=each,
                replicas=each.count("replicas"),
                job=None,
                counted=(each, "numOfHosts"),
                template=template,
            )


_READERS: Final = {
    kinds.CRON_JOB: _of_cron_job,
    kinds.LEADER_WORKER_SET: _of_leader_and_workers,
    **dict.fromkeys(kinds.RAY_KINDS, _of_ray),
}


@_once
def tpu_groups(owner: Object) -> Iterator[PodGroup]:
    """The templates whose pods ask for chips."""
    return (group for group in pod_groups(owner) if group.chips)


class Required(NamedTuple):
    """The one value that a label must have."""

    value: str
    place: Place


def required_labels(template: Part) -> dict[str, Required]:
    """The labels with one value that every term of a pod template requires; a node needs to match only one term.

    Source: Kubernetes documentation "Assigning Pods to Nodes", read 2026-11.
    """
    if not template.has(*PATH):
        return {}
    terms = [_required(term) for term in template.parts(*TERMS)]
    first = terms[0] if terms else {}
    return {key: found for key, found in first.items() if all(_is_same(found, term.get(key)) for term in terms)}


def _required(term: Part) -> dict[str, Required]:
    found: dict[str, Required] = {}
    for each in term.parts("matchExpressions"):
        values = each.texts("values")
        if each.text("operator") == _IN and len(values) == 1:
            found[each.string("key")] = Required(values[0], each.place.at("values", 0))
    return found


def _is_same(found: Required, other: Required | None) -> bool:
    return other is not None and other.value == found.value
