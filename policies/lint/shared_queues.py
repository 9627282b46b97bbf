"""Queues in one folder, and the objects of other folders that refer to them.

A folder is judged for itself. A reference is not broken if another folder has the object: one of the whole cluster in a
folder above or below, a LocalQueue or Kueue's configuration anywhere. A workload that states a namespace is judged
with the queues of all folders, if its own has none. Where an object of Kueue is there twice with different values, the
folders describe several clusters, and names alone are checked.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds, versions
from policies.lint.findings import value_at
from policies.lint.recognising import key_of
from policies.objects.kueue_config import CARRIERS
from policies.objects.ledger_rules import LEDGER_RULES
from policies.objects.ownership import labels_of
from policies.objects.world import World
from policies.rules import OBJECT_RULES, judge_together

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from components.model.findings import Finding
    from policies.objects.judging import NotChecked, Settings
    from policies.objects.world import Object

_QUEUES: Final = frozenset({kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE})
_NAMED: Final = (*_QUEUES, kinds.WORKLOAD_PRIORITY)
_IDENTITY: Final = ("apiVersion", "kind", "metadata")
_OF_CLUSTER: Final = frozenset({*kinds.KUEUE_KINDS, kinds.NAMESPACE, kinds.PRIORITY_CLASS})
_REFERRING: Final = frozenset(
    rule.id for rule in (*OBJECT_RULES, *LEDGER_RULES) if not _OF_CLUSTER.isdisjoint(rule.needs)
)
"""Rules about the objects that an object refers to."""


class SharedQueues:
    """The queues of all folders, and the workloads that may be in them."""

    def __init__(
        self, folders: Mapping[str, Collection[Object]], unbuilt: Collection[Object], releases: Mapping[str, str]
    ) -> None:
        """Takes the objects of each folder by its path, and those of kustomizations that are not built."""
        self._folders, self._releases = folders, releases
        every = [one for each in folders.values() for one in each]
        self._configurations = [each for each in every if each.kind in CARRIERS and versions.KUEUE.name in each.name]
        queues = [each for each in every if each.kind in kinds.KUEUE_KINDS]
        self._local_queues = [each for each in queues if each.kind is kinds.LOCAL_QUEUE]
        self._near = {each.namespace for each in self._local_queues}, {each.name for each in self._local_queues}
        self._is_one_cluster = _agree(queues)
        once = {key_of(each) or each.place.origin: each for each in queues}.values()
        self._queues = once if self._is_one_cluster else [_bare(each) for each in once if each.kind in _NAMED]
        is_whole = _has_queues(queues) and not any(each.kind in kinds.KUEUE_KINDS for each in unbuilt)
        runs = (one for each in folders.values() if is_whole and not _has_queues(each) for one in each)
        self._runs = {each.place.origin: each for each in runs if self._is_of_a_queue(each)}
        """By origin."""

    def _is_of_a_queue(self, each: Object) -> bool:
        """Whether a run names a queue, and some queue has this name or is in its namespace."""
        path = (*labels_of(each), gke.LABEL_QUEUE_NAME)
        if each.kind not in kinds.QUEUED_KINDS or each.namespace == gke.DEFAULT_NAMESPACE or not each.has(*path):
            return False
        namespaces, names = self._near
        stated = value_at(each.value, path)
        return each.namespace in namespaces or (isinstance(stated, str) and stated in names)

    def confirmed(self, folder: str, found: list[Finding], settings: Settings) -> list[Finding]:
        """The findings of a folder without those that the objects of other folders answer."""
        if len(self._folders) == 1 or _REFERRING.isdisjoint(each.rule for each in found):
            return found
        own = self._folders[folder]
        keys = {key_of(each) for each in own}
        others = (*self._configurations, *self._local_queues, *self._around(folder))
        once = {id(each): each for each in others if key_of(each) not in keys}
        verdict = judge_together(World([*own, *once.values()], releases=self._releases), settings)
        there = {(each.rule, each.place) for each in verdict.findings}
        return [each for each in found if each.rule not in _REFERRING or (each.rule, each.place) in there]

    def _around(self, folder: str) -> Iterator[Object]:
        """The objects of the cluster in the folders above and below."""
        for other, objects in self._folders.items():
            if folder.startswith(f"{other}/") or other.startswith(f"{folder}/"):
                yield from (each for each in objects if each.kind in _OF_CLUSTER)

    def findings(self, settings: Settings) -> list[Finding]:
        """The findings about the workloads with the queues of other folders."""
        if not self._runs:
            return []
        found = [*self._queues, *self._configurations, *self._runs.values()]
        verdict = judge_together(World(found, releases=self._releases), settings)
        return [each for each in verdict.findings if each.place.origin in self._runs]

    def is_decided(self, doubt: NotChecked) -> bool:
        """Whether a rule that lacked objects in a folder now has them, for all who asked."""
        there = {each.kind.section for each in self._queues} if self._is_one_cluster else set[str]()
        runs = {str(each) for each in self._runs.values()}
        return bool(doubt.lacks) and there.issuperset(doubt.lacks) and runs.issuperset(doubt.referrers)


def _has_queues(objects: Iterable[Object]) -> bool:
    return {each.kind for each in objects} >= _QUEUES


def _bare(each: Object) -> Object:
    """A ClusterQueue without its quota, which another cluster may have otherwise."""
    if each.kind is not kinds.CLUSTER_QUEUE:
        return each
    return dataclasses.replace(each, value={key: each.value[key] for key in _IDENTITY if key in each.value})


def _agree(queues: Iterable[Object]) -> bool:
    """Whether each name is known, and means one object."""
    seen = dict[tuple[str, ...] | None, "Object"]()
    return all(key_of(each) is not None and seen.setdefault(key_of(each), each).value == each.value for each in queues)
