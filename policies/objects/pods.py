"""Pods that an object makes: of a JobSet's jobs, a Job, a Deployment, a StatefulSet, or a Pod itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from policies.objects.node_affinity import PATH, required_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from components.model.places import Place
    from policies.objects.node_affinity import Required
    from policies.objects.values import Part
    from policies.objects.world import Object

MAKERS: Final = (kinds.JOBSET, kinds.JOB, kinds.DEPLOYMENT, kinds.STATEFUL_SET, kinds.POD)
"""Kinds that create pods."""
RUNS: Final = (kinds.JOBSET, kinds.JOB)
"""Kinds that run to completion and are queued."""
_CONTAINERS: Final = ("initContainers", "containers")


@dataclass(frozen=True, kw_only=True)
class PodGroup:
    """Pods of one template. Values that many rules need are read once."""

    owner: Object
    name: str
    """Of the replicated job in a JobSet, else of the object."""
    part: Part
    """The replicated job in a JobSet, else the object: what its name and number are stated in."""
    replicas: int
    """How many Jobs there are of it."""
    job: Part | None
    """The Job's spec; None where no Job makes the pods."""
    template: Part
    """Of the pods, with metadata and spec; a Pod is its own."""

    @cached_property
    def parallelism(self) -> int:
        """Pods of one Job at a time.

        Raises:
            UndecidedError, MalformedError: it cannot be read.
        """
        stated = None if self.job is None else self.job.whole("parallelism")
        return 1 if stated is None else stated

    @property
    def completions(self) -> int | None:
        """Pods of one Job that must end well; None where any one is enough.

        Raises:
            UndecidedError, MalformedError: it cannot be read.
        """
        return None if self.job is None else self.job.whole("completions")

    @cached_property
    def _required(self) -> dict[str, Required]:
        return required_labels(self.template)

    @cached_property
    def selector(self) -> dict[str, str]:
        """Labels of nodes that its pods ask for, by a nodeSelector or by an affinity that leaves one value.

        Raises:
            UndecidedError, MalformedError: it cannot be read.
        """
        stated = self.template.labels("spec", "nodeSelector")
        return {**{key: each.value for key, each in self._required.items()}, **stated} if self._required else stated

    def selected_at(self, key: str | None = None) -> Place:
        """Where a label of `selector` is stated, or would be; without a key, where pods select their nodes.

        Raises:
            UndecidedError, MalformedError: the affinity cannot be read.
        """
        path = ("spec", "nodeSelector")
        if not self._required or self.template.has(*path, *(() if key is None else (key,))):
            return self.template.place.at(*path, *(() if key is None else (key,)))
        if key is None:
            return self.template.place.at(*PATH)
        found = self._required.get(key)
        return self.template.place.at(*path, key) if found is None else found.place

    @cached_property
    def containers(self) -> tuple[Part, ...]:
        """The containers of a pod, without those that end before.

        Raises:
            UndecidedError, MalformedError: they cannot be read.
        """
        return self.template.parts("spec", "containers")

    @cached_property
    def all_containers(self) -> tuple[Part, ...]:
        """The containers of a pod, those that end before among them.

        Raises:
            UndecidedError, MalformedError: they cannot be read.
        """
        return tuple(each for key in _CONTAINERS for each in self.template.parts("spec", key))

    @cached_property
    def chips(self) -> int:
        """TPU chips that one pod asks for.

        Raises:
            UndecidedError, MalformedError: an amount cannot be read.
        """
        return sum(chips_of(container) for container in self.containers)


def chips_of(container: Part) -> int:
    """TPU chips that a container asks for: its limit, else its request.

    Raises:
        UndecidedError, MalformedError: the amount cannot be read.
    """
    for kind in ("limits", "requests"):
        amount = container.quantity("resources", kind, gke.RESOURCE_TPU)
        if amount is not None:
            return amount.milli // 1000
    return 0


def pod_groups(owner: Object) -> tuple[PodGroup, ...]:
    """The templates of an object's pods; none of kinds that make no pods.

    Raises:
        UndecidedError, MalformedError: what leads to a template cannot be read.
    """
    return _once(owner, "pod groups", _pod_groups)


def _once(owner: Object, name: str, read: Callable[[Object], Iterable[PodGroup]]) -> tuple[PodGroup, ...]:
    """What is read of an object, once for all rules."""
    found = owner.derived.get(name)
    if found is None:
        found = owner.derived[name] = tuple(read(owner))
    return found


def _pod_groups(owner: Object) -> Iterator[PodGroup]:
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
    elif owner.kind in MAKERS:
        template = owner.part("spec", "template")
        if template is not None:
            job = owner.part("spec") if owner.kind is kinds.JOB else None
            yield PodGroup(owner=owner, name=owner.name, part=owner, replicas=1, job=job, template=template)


def tpu_groups(owner: Object) -> tuple[PodGroup, ...]:
    """The templates whose pods ask for chips.

    Raises:
        UndecidedError, MalformedError: a template cannot be read.
    """
    return _once(owner, "TPU groups", lambda each: (group for group in pod_groups(each) if group.chips))
