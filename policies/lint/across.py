"""Workloads in one folder and their queues in another: checked together where all files describe one platform.

They do where nothing else makes or renames queues: neither a template nor a kustomization. Where an object of Kueue is
there twice with different values, they describe several clusters, and names alone are checked. A workload that states
no namespace is an example and may be meant for any cluster, and so is one that no queue here is like.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from policies.lint.beside import is_configuration
from policies.lint.grouping import key_of
from policies.lint.kustomizations import renamed
from policies.lint.left_out import absolute
from policies.objects.ownership import labels_of
from policies.objects.world import World

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from components.model.findings import Finding
    from policies.lint.files import File
    from policies.lint.left_out import Layout
    from policies.objects.judging import NotChecked
    from policies.objects.world import Object

_QUEUES: Final = frozenset({kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE})
_NAMED: Final = (kinds.LOCAL_QUEUE, kinds.WORKLOAD_PRIORITY)
"""The kinds that the labels of a run name."""
_IDENTITY: Final = ("apiVersion", "kind", "metadata")


class Across:
    """The workloads of groups without queues, and the queues of all groups."""

    def __init__(self, files: Iterable[File], objects: Mapping[str, Collection[Object]], layout: Layout) -> None:
        """Takes the objects of each file by its name."""
        moved = renamed(layout.kustomizations)
        self._moved = {one.place.origin for name in objects if absolute(name) in moved for one in objects[name]}
        self._queues = [one for found in objects.values() for one in found if one.kind in kinds.KUEUE_KINDS]
        self._configurations = [one for found in objects.values() for one in found if is_configuration(one)]
        words = [kind.name.encode() for kind in _NAMED]
        silent = (each.content for each in files if not objects.get(each.name))
        is_made = any(word in content for content in silent for word in words)
        is_moved = any(each.place.origin in self._moved for each in self._queues)
        self._is_whole = not is_made and not is_moved and {each.kind for each in self._queues} >= _QUEUES
        self._is_one_cluster = _agree(self._queues)
        named = [each for each in self._queues if each.kind is kinds.LOCAL_QUEUE]
        self._near = {each.namespace for each in named}, {each.name for each in named}
        self._runs = dict[str, "Object"]()
        """By origin."""

    def add(self, group: Collection[Object]) -> None:
        """Take the runs of a group that name a queue, where the group has no queues."""
        if self._is_whole and not {each.kind for each in group} >= _QUEUES:
            own = (each for each in group if each.place.origin not in self._moved and self._is_of_a_platform(each))
            self._runs.update((each.place.origin, each) for each in own)

    def _is_of_a_platform(self, each: Object) -> bool:
        """Whether some queue has the name that a run states, or is in its namespace."""
        if each.kind not in kinds.QUEUED_KINDS or each.namespace == gke.DEFAULT_NAMESPACE:
            return False
        path = (*labels_of(each), gke.LABEL_QUEUE_NAME)
        namespaces, names = self._near
        return each.has(*path) and (each.namespace in namespaces or _stated(each, path) in names)

    def world(self, releases: Mapping[str, str]) -> World | None:
        """The runs with the queues, or with their names where they are of several clusters; None without a run."""
        once = {key_of(each) or each.place.origin: each for each in self._queues}.values()
        queues = once if self._is_one_cluster else [_bare(each) for each in once if _is_named(each)]
        found = [*queues, *self._configurations, *self._runs.values()]
        return World(found, releases=releases) if self._runs else None

    def is_of_a_run(self, finding: Finding) -> bool:
        """Whether a finding is about one of the runs."""
        return finding.place.origin in self._runs

    def is_decided(self, doubt: NotChecked) -> bool:
        """Whether a rule that lacked objects in a group now has them, for all who asked."""
        there = {each.kind.section for each in self._queues} if self._is_one_cluster else set[str]()
        runs = {str(each) for each in self._runs.values()}
        return bool(doubt.lacks) and there.issuperset(doubt.lacks) and runs.issuperset(doubt.referrers)


def _stated(each: Object, path: tuple[str, ...]) -> object:
    """What an object states at a path, of whatever type."""
    found: object = each.value
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _is_named(each: Object) -> bool:
    return each.kind in _NAMED or each.kind is kinds.CLUSTER_QUEUE


def _bare(each: Object) -> Object:
    """A ClusterQueue without its quota, which another cluster may have otherwise."""
    if each.kind is not kinds.CLUSTER_QUEUE:
        return each
    return dataclasses.replace(each, value={key: each.value[key] for key in _IDENTITY if key in each.value})


def _agree(queues: Iterable[Object]) -> bool:
    """Whether each name is known, and means one object."""
    seen = dict[tuple[str, ...] | None, "Object"]()
    return all(key_of(each) is not None and seen.setdefault(key_of(each), each).value == each.value for each in queues)
