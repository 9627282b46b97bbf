"""What a rule over objects is, and how all of them are applied: findings, and what could not be checked and why.

A rule looks at one object at a time. Some need nothing else (`object_rule`), some what surrounds it (`world_rule`),
some what its owners allow (`guard_rule`). A value that is not known yet ends the look at that object only.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final, NotRequired, Protocol, TypedDict, Unpack

from components.model.findings import Finding, Severity, listing
from components.model.secret_forms import shown
from policies.objects.values import UNKNOWN_YET, MalformedError, UndecidedError
from policies.objects.world import MissingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from components.model.facts.kinds import Kind
    from components.model.places import Place
    from policies.objects.world import Object, World


class Family(Enum):
    """What a rule is about; one policy pack for each."""

    TOPOLOGY = "topology"
    """Slices, machines, placement, consumption modes, the shape of workloads."""
    QUOTA = "quota"
    """Conservation of chips: queues, flavors, cohorts, priorities, budgets, workloads that can never fit."""
    GUARDRAILS = "guardrails"
    """Networks, identities, secrets, versions, storage, protection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the owners of an environment allow; every default allows everything."""

    is_protected: bool = False
    """Whether clusters and storage of this environment must be protected from deletion."""
    has_public_access: bool = True
    """Whether nodes and control planes may have public addresses."""
    has_default_identity: bool = True
    """Whether nodes may run as the project's default service account, and pods as their node."""
    regions: tuple[str, ...] = ()
    """Regions that may be used; empty allows all."""
    generations: tuple[str, ...] = ()
    """Ids of TPU generations that may be used; empty allows all."""
    billing_labels: tuple[str, ...] = ()
    """Keys of labels that everything that costs must carry."""
    chips: int | None = None
    """The most TPU chips of all node pools together; None means no limit."""
    chips_of_queue: Mapping[str, int] = field(default_factory=dict[str, int])
    """The most TPU chips in the quota of a ClusterQueue, by name; without an entry there is no limit."""


_DECIDED: Final = "The environment decides it: {} in the file of --policy-pack-config, or of --settings in lint."


class Judge(Protocol):
    """Finds what breaks one rule at one object."""

    def __call__(self, each: Object, world: World, settings: Settings, /) -> Iterable[Finding]:
        """Every breach."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectRule:
    """One thing that must hold of objects of some kinds."""

    id: str
    summary: str
    """What holds, as a clause."""
    why: str
    """What happens otherwise."""
    source: str
    family: Family
    severity: Severity = Severity.ERROR
    kinds: tuple[Kind, ...]
    needs: tuple[Kind, ...] = ()
    """Where there is none of these, it cannot be decided of what refers to them; the nearest first."""
    setting: str = ""
    """The key of `Settings` by which an environment decides it; empty where none does."""
    is_local: bool = True
    """Whether it looks at nothing but the object and the settings."""
    judge: Judge

    def look(self, each: Object, world: World, settings: Settings) -> Iterator[Finding | NotChecked]:
        """Every breach at one object, signed; what ends the look early is told."""
        try:
            for finding in self.judge(each, world, settings):
                remedy = f"{finding.remedy} {_DECIDED.format(self.setting)}" if self.setting else finding.remedy
                yield dataclasses.replace(
                    finding, remedy=remedy, rule=self.id, source=self.source, severity=self.severity
                )
        except UndecidedError as error:
            yield NotChecked(rule=self.id, place=error.place, reason=error.reason)
        except MalformedError as error:
            yield malformed(error)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotChecked:
    """A rule that could not be decided."""

    rule: str
    place: Place | None
    """The value that is not known; None where whole kinds are missing."""
    reason: str
    """A clause that follows the place, or stands alone."""
    lacks: tuple[str, ...] = ()
    """The kinds that are missing, as people call them, the nearest first; empty for all other reasons."""
    askers: tuple[str, ...] = ()
    """The objects that refer to them, as messages name them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is wrong, and what nobody can say."""

    findings: tuple[Finding, ...]
    not_checked: tuple[NotChecked, ...]


TYPE_RULE: Final = "field-has-its-type"
TYPE_SUMMARY: Final = "fields hold values of their type"
TYPE_WHY: Final = "The API refuses the object, or reads something else than is written."
TYPE_SOURCE: Final = "the API's own schema"


def malformed(error: MalformedError) -> Finding:
    """The finding that a field has another type."""
    found = shown(str(error.found))
    return Finding(
        place=error.place,
        says=f"{found[:60] + '...' if len(found) > 60 else found} is not {error.wanted}.",  # noqa: PLR2004  a line
        remedy=f"Write {error.wanted}.",
        rule=TYPE_RULE,
        source=TYPE_SOURCE,
    )


class _Stated(TypedDict):
    """What every rule says of itself, as `ObjectRule` has it."""

    summary: str
    why: str
    source: str
    kinds: tuple[Kind, ...]
    severity: NotRequired[Severity]


def object_rule(
    rule_id: str, *, family: Family, **stated: Unpack[_Stated]
) -> Callable[[Callable[[Object], Iterable[Finding]]], ObjectRule]:
    """Makes a rule of a function over one object."""

    def make(judge: Callable[[Object], Iterable[Finding]]) -> ObjectRule:
        return ObjectRule(id=rule_id, family=family, judge=lambda each, _world, _settings: judge(each), **stated)

    return make


def guard_rule(
    rule_id: str, *, setting: str, family: Family = Family.GUARDRAILS, **stated: Unpack[_Stated]
) -> Callable[[Callable[[Object, Settings], Iterable[Finding]]], ObjectRule]:
    """Makes a rule of a function over one object and what its owners allow, by a key of `Settings`."""

    def make(judge: Callable[[Object, Settings], Iterable[Finding]]) -> ObjectRule:
        return ObjectRule(
            id=rule_id,
            family=family,
            setting=setting,
            judge=lambda each, _world, settings: judge(each, settings),
            **stated,
        )

    return make


def world_rule(
    rule_id: str, *, family: Family, needs: tuple[Kind, ...] = (), **stated: Unpack[_Stated]
) -> Callable[[Callable[[Object, World], Iterable[Finding]]], ObjectRule]:
    """Makes a rule of a function over one object and all others; without `needs` it is not decided."""

    def make(judge: Callable[[Object, World], Iterable[Finding]]) -> ObjectRule:
        return ObjectRule(
            id=rule_id,
            family=family,
            needs=needs,
            is_local=False,
            judge=lambda each, world, _settings: judge(each, world),
            **stated,
        )

    return make


def environment_rule(
    rule_id: str, *, setting: str, family: Family, **stated: Unpack[_Stated]
) -> Callable[[Callable[[Object, World, Settings], Iterable[Finding]]], ObjectRule]:
    """Makes a rule of a function over one object, all others, and what the owners allow, by a key of `Settings`."""

    def make(judge: Callable[[Object, World, Settings], Iterable[Finding]]) -> ObjectRule:
        return ObjectRule(id=rule_id, family=family, setting=setting, is_local=False, judge=judge, **stated)

    return make


def look(rules: Iterable[ObjectRule], world: World, settings: Settings) -> Iterator[Finding | NotChecked]:
    """What the rules find in the world.

    Where there is nothing of a kind that a rule needs, it is decided of the objects for which it does not ask for one.
    """
    for rule in rules:
        missing = world.lacks(rule.needs)
        seen = world.without(missing) if missing else world
        for each in world.unread(*rule.kinds):
            yield NotChecked(rule=rule.id, place=each.place, reason=UNKNOWN_YET)
        askers: list[Object] = []
        for each in world.known(*rule.kinds):
            try:
                yield from rule.look(each, seen, settings)
            except MissingError:
                askers.append(each)
        if askers:
            yield missing_halves(rule.id, missing, askers)


def missing_halves(rule_id: str, missing: Iterable[Kind], askers: Iterable[Object]) -> NotChecked:
    """That objects refer to kinds of which there is nothing."""
    lacking = tuple(kind.section for kind in missing)
    return NotChecked(
        rule=rule_id,
        place=None,
        reason=f"needs {listing(lacking)}, and there are none here",
        lacks=lacking,
        askers=tuple(str(each) for each in askers),
    )


def verdict(found: Iterable[Finding | NotChecked]) -> Verdict:
    """Findings and doubts apart, each once and in order."""
    once = tuple(dict.fromkeys(found))
    return Verdict(
        findings=tuple(each for each in once if isinstance(each, Finding)),
        not_checked=tuple(each for each in once if isinstance(each, NotChecked)),
    )
