"""What a folder refers to and another folder has: such references are not broken.

A folder is checked for itself. An object of the whole cluster may be in a folder above or below it, a LocalQueue of the
same namespace and Kueue's configuration anywhere: what breaks a rule without them, and not with them, is not reported.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from components.model.facts import kinds, versions
from policies.lint.grouping import FOLDER, key_of
from policies.objects.kueue_config import CARRIERS
from policies.objects.ledger_rules import LEDGER_RULES
from policies.objects.ownership import queue_name
from policies.objects.values import MalformedError, UndecidedError
from policies.objects.world import World
from policies.rules import OBJECT_RULES, judge_together

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from components.model.findings import Finding
    from policies.objects.judging import Settings
    from policies.objects.world import Object

_OF_CLUSTER: Final = frozenset({*kinds.KUEUE_KINDS, kinds.NAMESPACE, kinds.PRIORITY_CLASS})
_REFERRING: Final = frozenset(
    rule.id for rule in (*OBJECT_RULES, *LEDGER_RULES) if not _OF_CLUSTER.isdisjoint(rule.needs)
)
"""Rules about what an object refers to."""


def is_configuration(each: Object) -> bool:
    """Whether an object may hold the configuration of Kueue."""
    return each.kind in CARRIERS and versions.KUEUE.name in each.name


class Beside:
    """The groups of a call, each with the objects of the others that it may refer to."""

    def __init__(self, groups: Mapping[str, Collection[Object]], releases: Mapping[str, str]) -> None:
        """Takes the objects of each group by its name."""
        self._groups = {name: each for name, each in groups.items() if name.startswith(FOLDER)}
        self._releases = releases
        everything = [one for each in self._groups.values() for one in each]
        self._configurations = [each for each in everything if is_configuration(each)]
        self._queues = dict[tuple[str | None, ...], list["Object"]]()
        """LocalQueues by namespace and name, and by the ClusterQueue that they lead to."""
        for each in everything:
            if each.kind is kinds.LOCAL_QUEUE:
                self._queues.setdefault((each.namespace, each.name), []).append(each)
                self._queues.setdefault((_readable(partial(each.string, "spec", "clusterQueue")),), []).append(each)
        self._near = dict[str, list[str]]()
        """The folders above and below each folder, as far as they have objects."""
        for name in self._groups:
            for above in _above(name):
                if above in self._groups:
                    self._near.setdefault(name, []).append(above)
                    self._near.setdefault(above, []).append(name)

    def confirmed(self, name: str, found: list[Finding], settings: Settings) -> list[Finding]:
        """The findings of a group without those that the objects of other groups answer."""
        own = self._groups.get(name, ())
        if not own or _REFERRING.isdisjoint(each.rule for each in found):
            return found
        keys = {key_of(each) for each in own}
        anywhere = (*self._configurations, *self._queues_of(own))
        others = {id(each): each for each in (*anywhere, *self._around(name)) if key_of(each) not in keys}
        if not others:
            return found
        verdict = judge_together(World([*own, *others.values()], releases=self._releases), settings)
        there = {(each.rule, each.place) for each in verdict.findings}
        return [each for each in found if each.rule not in _REFERRING or (each.rule, each.place) in there]

    def _queues_of(self, own: Collection[Object]) -> Iterator[Object]:
        """The LocalQueues that runs name, and those that lead to ClusterQueues."""
        for each in own:
            if each.kind is kinds.CLUSTER_QUEUE:
                yield from self._queues.get((each.name,), ())
            elif each.kind in kinds.QUEUED_KINDS:
                yield from self._queues.get((each.namespace, _readable(partial(queue_name, each))), ())

    def _around(self, name: str) -> Iterator[Object]:
        """The objects of the cluster in the folders above and below."""
        for other in self._near.get(name, ()):
            yield from (each for each in self._groups[other] if each.kind in _OF_CLUSTER)


def _above(folder: str) -> Iterator[str]:
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        yield folder


def _readable(read: Callable[[], str | None]) -> str | None:
    """What is read; None where it is not there or not known."""
    try:
        return read()
    except (UndecidedError, MalformedError):
        return None
