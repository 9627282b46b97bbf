"""What a folder refers to and another folder has: such references are not broken.

A folder is checked for itself. An object of the whole cluster may be in a folder above or below it, a LocalQueue of the
same namespace and Kueue's configuration anywhere: what breaks a rule without them, and not with them, is not reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import kinds, versions
from policies.lint.grouping import FOLDER, key_of
from policies.objects.kueue_config import CARRIERS
from policies.objects.ledger_rules import LEDGER_RULES
from policies.objects.world import World
from policies.rules import OBJECT_RULES, judge

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

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
        self._anywhere = [one for each in self._groups.values() for one in each if _is_anywhere(one)]

    def confirmed(self, name: str, found: list[Finding], settings: Settings) -> list[Finding]:
        """The findings of a group without those that the objects of other groups answer."""
        own = self._groups.get(name, ())
        if not own or _REFERRING.isdisjoint(each.rule for each in found):
            return found
        keys = {key_of(each) for each in own}
        others = [each for each in (*self._anywhere, *self._around(name)) if key_of(each) not in keys]
        if not others:
            return found
        verdict = judge(World([*own, *others], releases=self._releases), settings)
        there = {(each.rule, each.place) for each in verdict.findings}
        return [each for each in found if each.rule not in _REFERRING or (each.rule, each.place) in there]

    def _around(self, name: str) -> Iterator[Object]:
        """The objects of the cluster in the folders above and below."""
        for other, objects in self._groups.items():
            if other != name and (f"{other}/".startswith(f"{name}/") or f"{name}/".startswith(f"{other}/")):
                yield from (each for each in objects if each.kind in _OF_CLUSTER)


def _is_anywhere(each: Object) -> bool:
    return each.kind is kinds.LOCAL_QUEUE or is_configuration(each)
