"""Declares rules over objects and applies them: findings, and what could not be checked and why.

A rule looks at one object at a time. Some need nothing else (`object_rule`), some what surrounds it (`world_rule`),
some the policy settings of the environment (`guard_rule`). `read_in_object` and `read_in_world` apply a rule over a
plan to objects. A value that is not known yet ends the check of that object only.

Doubts sum up in few words what could not be checked: all rules of one reason together, and one reason for a missing
half.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NotRequired, Protocol, Unpack, cast

from msgspec import Struct, field, structs

from components.model.findings import Finding, listing
from components.model.rule import About, Declaration, Edit, Family, PlanRule, Rule, Scope, family_of, id_of
from components.model.secret_forms import shown
from policies.objects.values import UNKNOWN_YET, MalformedError, UndecidedError
from policies.objects.world import MissingError, Object, World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from components.model.facts.kinds import Kind
    from components.model.places import Place


class Settings(Struct, frozen=True, kw_only=True):
    """The limits of an environment's owners; every default allows everything."""

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


class ObjectJudge(Protocol):
    """Finds what breaks one rule at one object."""

    def __call__(self, each: Object, world: World, settings: Settings, /) -> Iterable[Finding]:
        """Every breach."""
        ...


ObjectRule = Rule[ObjectJudge]


class NotChecked(Struct, frozen=True, kw_only=True):
    """A rule that could not be decided."""

    rule: str
    place: Place | None
    """The value that is not known; None where whole kinds are missing."""
    reason: str
    """A clause that follows the place, or stands alone."""
    lacks: tuple[str, ...] = ()
    """The kinds that are missing, as people call them, the nearest first; empty for all other reasons."""
    referrers: tuple[str, ...] = ()
    """The objects that refer to them, as messages name them."""


class Verdict(Struct, frozen=True, kw_only=True):
    """The findings, and the rules that could not be decided."""

    findings: tuple[Finding, ...]
    not_checked: tuple[NotChecked, ...]


TYPES: Final = About(
    id="field-has-its-type",
    summary="fields hold values of their type",
    why="The API refuses the object, or reads something else than is written.",
    source="the API's own schema",
)
"""The finding of every rule over objects beside its own."""


_QUOTED: Final = {"a whole number": re.compile(r"0|[1-9][0-9]{0,18}"), "true or false": re.compile("true|false")}
"""Text that is of the type without its quotes, by the type."""


def malformed(error: MalformedError) -> Finding:
    """The finding that a field has another type."""
    found = shown(str(error.found))
    return TYPES.signed(
        Finding(
            place=error.place,
            says=f"{found[:60] + '...' if len(found) > 60 else found} is not {error.wanted}.",  # noqa: PLR2004  a line
            remedy=_remedy(error),
        )
    )


def _remedy(error: MalformedError) -> str:
    """The text to write; most values of another type lack their quotes, or have some too many."""
    if error.wanted == "text" and isinstance(error.found, bool | int | float):
        return "Put it in quotes."
    form = _QUOTED.get(error.wanted)
    is_quoted = form is not None and isinstance(error.found, str) and form.fullmatch(error.found) is not None
    return "Remove the quotes." if is_quoted else f"Write {error.wanted}."


class _OfObjects(Declaration):
    """The arguments of every decorator of a rule over objects."""

    kinds: tuple[Kind, ...]
    fix: NotRequired[Callable[[Object], Iterable[Edit]]]
    also_warns: NotRequired[bool]


def object_rule(
    *, family: Family | None = None, **stated: Unpack[_OfObjects]
) -> Callable[[Callable[[Object], Iterable[Finding]]], ObjectRule]:
    """Makes a rule of a function over one object."""
    return lambda judge: _declared(judge, lambda each, _world, _settings: judge(each), Scope.OBJECT, family, **stated)


def guard_rule(
    *, setting: str, family: Family | None = None, **stated: Unpack[_OfObjects]
) -> Callable[[Callable[[Object, Settings], Iterable[Finding]]], ObjectRule]:
    """Makes a rule of a function over one object and the policy settings, by a key of `Settings`."""
    return lambda judge: _declared(
        judge, lambda each, _world, settings: judge(each, settings), Scope.OBJECT, family, setting=setting, **stated
    )


def world_rule(
    *,
    needs: tuple[Kind, ...] = (),
    scope: Scope = Scope.OBJECTS,
    family: Family | None = None,
    **stated: Unpack[_OfObjects],
) -> Callable[[Callable[[Object, World], Iterable[Finding]]], ObjectRule]:
    """Makes a rule of a function over one object and all others; without `needs` it is not decided.

    State `scope=Scope.OBJECT` for a rule that reads only `world.releases`.
    """
    return lambda judge: _declared(
        judge, lambda each, world, _settings: judge(each, world), scope, family, needs=needs, **stated
    )


def environment_rule(
    *, setting: str, family: Family | None = None, **stated: Unpack[_OfObjects]
) -> Callable[[ObjectJudge], ObjectRule]:
    """Makes a rule of a function over one object, all others, and the policy settings, by a key of `Settings`."""
    return lambda judge: _declared(judge, judge, Scope.OBJECTS, family, setting=setting, **stated)


def _declared(
    function: Callable[..., object],
    judge: ObjectJudge,
    scope: Scope,
    family: Family | None,
    *,
    needs: tuple[Kind, ...] = (),
    setting: str = "",
    **stated: Unpack[_OfObjects],
) -> ObjectRule:
    return Rule(
        id=id_of(function),
        family=family or family_of(function),
        scope=scope,
        judge=judge,
        needs=needs,
        setting=setting,
        **stated,
    )


def read_in_object(
    of_plan: PlanRule, *, kinds: tuple[Kind, ...]
) -> Callable[[Callable[[Object], Iterable[Finding]]], ObjectRule]:
    """Makes the reader of single objects for a rule that is declared over a plan."""
    return lambda judge: _reader(of_plan, Scope.OBJECT, lambda each, _world, _settings: judge(each), kinds)


def read_in_world(
    of_plan: PlanRule, *, kinds: tuple[Kind, ...], needs: tuple[Kind, ...] = ()
) -> Callable[[Callable[[Object, World], Iterable[Finding]]], ObjectRule]:
    """Makes the reader of one object and all others for a rule that is declared over a plan."""
    return lambda judge: _reader(
        of_plan, Scope.OBJECTS, lambda each, world, _settings: judge(each, world), kinds, needs
    )


def _reader(
    of_plan: PlanRule, scope: Scope, judge: ObjectJudge, kinds: tuple[Kind, ...], needs: tuple[Kind, ...] = ()
) -> ObjectRule:
    read = structs.replace(of_plan, kinds=kinds, needs=needs, scope=scope, judge=judge)
    return cast("ObjectRule", read)


def look_at(
    rule: ObjectRule, objects: Iterable[Object], world: World, settings: Settings, missing: tuple[Kind, ...] = ()
) -> Iterator[Finding | NotChecked]:
    """Every breach at some objects, signed; why a check ended early; and which of them ask for kinds that are missing.

    One generator serves all objects of a rule: most have nothing to say, and there are a hundred thousand checks.
    """
    judge = rule.judge
    referrers: list[Object] = []
    for each in objects:
        try:
            for finding in judge(each, world, settings):
                # one with a rule tells of another type than its field, which is not a breach of this rule
                yield finding if finding.rule else _signed(rule, finding)
        except UndecidedError as error:
            yield NotChecked(rule=rule.id, place=error.place, reason=error.reason)
        except MalformedError as error:
            yield malformed(error)
        except MissingError:
            referrers.append(each)
    if referrers:
        yield missing_kinds(rule.id, missing, referrers)


def _signed(rule: ObjectRule, finding: Finding) -> Finding:
    remedy = f"{finding.remedy} {_DECIDED.format(rule.setting)}" if rule.setting else finding.remedy
    return rule.signed(structs.replace(finding, remedy=remedy))


def look(rules: Iterable[ObjectRule], world: World, settings: Settings) -> Iterator[Finding | NotChecked]:
    """The findings of the rules in the world.

    Where there is nothing of a kind that a rule needs, it is decided of the objects for which it does not ask for one.
    """
    for rule in rules:
        if not world.has(*rule.kinds):
            continue
        missing = world.lacks(rule.needs)
        seen = world.without(missing) if missing else world
        for each in world.unread(*rule.kinds):
            yield NotChecked(rule=rule.id, place=each.place, reason=UNKNOWN_YET)
        yield from look_at(rule, world.known(*rule.kinds), seen, settings, missing)


def missing_kinds(rule_id: str, missing: Iterable[Kind], referrers: Iterable[Object]) -> NotChecked:
    """The rule is not decided: objects refer to kinds that have no objects."""
    lacking = tuple(kind.section for kind in missing)
    return NotChecked(
        rule=rule_id,
        place=None,
        reason=f"needs {listing(lacking)}, and there are none here",
        lacks=lacking,
        referrers=tuple(str(each) for each in referrers),
    )


def verdict(found: Iterable[Finding | NotChecked]) -> Verdict:
    """Findings and doubts apart, each once and in order."""
    once = tuple(dict.fromkeys(found))
    return Verdict(
        findings=tuple(each for each in once if isinstance(each, Finding)),
        not_checked=tuple(each for each in once if isinstance(each, NotChecked)),
    )


class Doubt(Struct, frozen=True, kw_only=True):
    """Rules that could not be decided for one reason."""

    rules: tuple[str, ...]
    """Their ids, in order."""
    place: Place | None
    """The value that is not known; None where whole kinds are missing."""
    reason: str
    """A clause that follows the place, or stands alone."""
    lacks: tuple[str, ...] = ()
    """The kinds that are missing, as people call them."""


def doubts(found: Iterable[NotChecked], *, is_grouped: bool = False) -> tuple[Doubt, ...]:
    """Rules that were not decided, by the reason; those that miss the same kind first are one group.

    `is_grouped`: whether objects were checked with those beside them alone, so that others may be elsewhere.
    """
    of_reason: dict[tuple[Place | None, str], list[NotChecked]] = {}
    for each in found:
        key = (None, each.lacks[0]) if each.lacks else (each.place, each.reason)
        of_reason.setdefault(key, []).append(each)
    return tuple(_doubt(alike, is_grouped=is_grouped) for alike in of_reason.values())


def _doubt(alike: list[NotChecked], *, is_grouped: bool) -> Doubt:
    lacks = tuple(dict.fromkeys(kind for each in alike for kind in each.lacks))
    rules = tuple(sorted({each.rule for each in alike}))
    return Doubt(rules=rules, place=alike[0].place, reason=_reason(alike, lacks, is_grouped=is_grouped), lacks=lacks)


def _reason(alike: list[NotChecked], lacks: tuple[str, ...], *, is_grouped: bool) -> str:
    """The kind that is missing, and who refers to it; else the reason that all give."""
    referrers = list(dict.fromkeys(referrer for each in alike for referrer in each.referrers))
    if not lacks:
        return alike[0].reason
    is_one = len(referrers) == 1
    others = " refers" if is_one else f" and {len(referrers) - 1} more refer"
    where = f"beside {'it' if is_one else 'them'}" if is_grouped else "here"
    return f"{referrers[0]}{others} to {listing(lacks, 'or')}, and there are none {where}"
