"""Queues in one folder, and the objects of other folders that refer to them.

A folder is judged for itself. A reference is not broken if another folder has the object: one of the whole cluster in a
folder above or below, a LocalQueue or Kueue's configuration anywhere. A workload that states a namespace is judged
with the queues of all folders, if its own has none and no template may make more. Where an object of Kueue is there
twice with different values, the folders describe several clusters, and names alone are checked.
"""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds, versions
from policies.lint.findings import value_at
from policies.lint.recognising import Identity, key_of
from policies.objects.kueue_config import CARRIERS
from policies.objects.ledger_rules import LEDGER_RULES
from policies.objects.ownership import labels_of, queue_name
from policies.objects.values import MalformedError, UndecidedError, Unknown
from policies.objects.world import Object, World
from policies.rules import OBJECT_RULES, judge_together

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from components.model.findings import Finding
    from policies.objects.judging import NotChecked, Settings

_QUEUES: Final = frozenset({kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE})
_NAMED: Final = (*_QUEUES, kinds.WORKLOAD_PRIORITY)
_BY_WORKLOADS: Final = tuple(each.name.encode() for each in (kinds.LOCAL_QUEUE, kinds.WORKLOAD_PRIORITY))
"""Kinds that the labels of a workload name, as a template writes them."""
_IDENTITY: Final = ("apiVersion", "kind", "metadata")
_OF_CLUSTER: Final = frozenset({*kinds.KUEUE_KINDS, kinds.NAMESPACE, kinds.PRIORITY_CLASS})
_REFERRING: Final = frozenset(
    rule.id for rule in (*OBJECT_RULES, *LEDGER_RULES) if not _OF_CLUSTER.isdisjoint(rule.needs)
)
"""Rules about the objects that an object refers to."""


class SharedQueues:
    """The queues of all folders, and the workloads that may be in them."""

    def __init__(
        self,
        folders: Mapping[str, Collection[Object]],
        unbuilt: Collection[Object],
        templates: Iterable[bytes],
        releases: Mapping[str, str],
    ) -> None:
        """Takes the objects of each folder by its path, those of kustomizations that are not built, and templates."""
        self._folders, self._releases = folders, releases
        every = [one for each in folders.values() for one in each]
        self._configurations = [each for each in every if each.kind in CARRIERS and versions.KUEUE.name in each.name]
        queues = [each for each in every if each.kind in kinds.KUEUE_KINDS]
        self._local_queues = dict[tuple[str | None, ...], list["Object"]]()
        """By namespace and name, and by their ClusterQueue; None stands for a name that cannot be read."""
        local_queues = [each for each in queues if each.kind is kinds.LOCAL_QUEUE]
        for each in local_queues:
            name = (None, None) if _has_unknown_name(each) else (each.namespace, each.name)
            for key in (name, (_readable(partial(each.string, "spec", "clusterQueue")),)):
                self._local_queues.setdefault(key, []).append(each)
        self._near = {each.namespace for each in local_queues}, {each.name for each in local_queues}
        self._around = _around(folders)
        self._is_one_cluster = _agree(queues)
        once = {key_of(each) or each.place.origin: each for each in queues}.values()
        self._queues = once if self._is_one_cluster else [_bare(each) for each in once if each.kind in _NAMED]
        is_made = any(word in text for text in templates for word in _BY_WORKLOADS)
        is_built = not any(each.kind in kinds.KUEUE_KINDS for each in unbuilt)
        is_whole = _has_queues(queues) and is_built and not is_made
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
        others = (*self._configurations, *self._local_queues_of(own), *self._of_cluster(folder))
        once = {id(each): each for each in others if key_of(each) not in keys}
        if not once:
            return found
        verdict = judge_together(World([*own, *once.values()], releases=self._releases), settings)
        there = {(each.rule, each.place) for each in verdict.findings}
        return [each for each in found if each.rule not in _REFERRING or (each.rule, each.place) in there]

    def _local_queues_of(self, own: Iterable[Object]) -> Iterator[Object]:
        """The LocalQueues that some workloads name, and those that lead to some ClusterQueues.

        Of those whose name is not known one is enough to leave a rule undecided, and one of those without a readable
        ClusterQueue.
        """
        for unknown in ((None, None), (None,)):
            yield from self._local_queues.get(unknown, ())[:1]
        for each in own:
            if each.kind is kinds.CLUSTER_QUEUE:
                yield from self._local_queues.get((each.name,), ())
            elif (name := _readable(partial(queue_name, each))) is not None:
                yield from self._local_queues.get((each.namespace, name), ())

    def _of_cluster(self, folder: str) -> Iterator[Object]:
        """The objects of the cluster in the folders above and below."""
        for other in self._around.get(folder, ()):
            yield from (each for each in self._folders[other] if each.kind in _OF_CLUSTER)

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


def _around(folders: Collection[str]) -> dict[str, list[str]]:
    """The folders above and below each one that has some."""
    found = dict[str, list[str]]()
    for folder in folders:
        above = folder
        while "/" in above:
            above = above.rpartition("/")[0]
            if above in folders:
                found.setdefault(folder, []).append(above)
                found.setdefault(above, []).append(folder)
    return found


def _readable(read: Callable[[], str | None]) -> str | None:
    """The value that is read; None if it is not there, not known, or not text."""
    try:
        return read()
    except (UndecidedError, MalformedError):
        return None


def _has_unknown_name(each: Object) -> bool:
    return any(isinstance(value_at(each.value, ("metadata", key)), Unknown) for key in ("name", "namespace"))


def _has_queues(objects: Iterable[Object]) -> bool:
    return {each.kind for each in objects} >= _QUEUES


def _bare(each: Object) -> Object:
    """A ClusterQueue without its quota, which another cluster may have otherwise."""
    if each.kind is not kinds.CLUSTER_QUEUE:
        return each
    return dataclasses.replace(each, value={key: each.value[key] for key in _IDENTITY if key in each.value})


def _agree(queues: Iterable[Object]) -> bool:
    """Whether each name is known, and means one object."""
    seen = dict["Identity | None", "Object"]()
    return all(key_of(each) is not None and seen.setdefault(key_of(each), each).value == each.value for each in queues)
