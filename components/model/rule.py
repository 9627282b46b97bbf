"""A rule: what must hold, why, where the fact is from, what the rule looks at and what it needs.

A rule is one decorated function in a module of rules: the function's name is the rule's id, with hyphens, and the
module's constant `FAMILY` is its family, unless its decorator states another one. No list names rules: `rules_in` finds
them in their modules.
"""

from __future__ import annotations

import sys
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, NotRequired, Protocol, TypedDict, TypeGuard, TypeVar, Unpack

from msgspec import Struct, structs

from components.model.findings import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import ModuleType

    from components.model.facts.kinds import Kind
    from components.model.places import Key
    from components.model.plan import Plan

_Judge = TypeVar("_Judge")


class Family(Enum):
    """The subject of a rule; one policy pack for each."""

    TOPOLOGY = "topology"
    """Slices, machines, placement, consumption modes, the shape of workloads."""
    QUOTA = "quota"
    """Conservation of chips: queues, flavors, cohorts, priorities, budgets, workloads that can never fit."""
    GUARDRAILS = "guardrails"
    """Networks, identities, secrets, versions, storage, protection."""


class Scope(Enum):
    """The arguments of a judge."""

    PLAN = "plan"
    """A plan: that of a stack file, or one that is rebuilt from objects."""
    OBJECT = "object"
    """One object, and the environment's policy settings."""
    OBJECTS = "objects"
    """One object with all others, and the environment's policy settings."""


class Edit(Struct, frozen=True):
    """A change of one property."""

    path: tuple[Key, ...]
    value: str | int | None
    """None removes it."""


class About(Struct, frozen=True, kw_only=True):
    """A rule without its function."""

    id: str
    summary: str
    """The condition, as a clause."""
    why: str
    """The consequence of a breach."""
    source: str
    """Where the fact is from."""
    severity: Severity = Severity.ERROR
    """The severity of each finding; the worst one where the rule also warns."""
    also_warns: bool = False
    """Whether some findings are errors and some are warnings; each finding then states its own severity."""

    @property
    def severities(self) -> tuple[Severity, ...]:
        """The severities of the findings, the worst first."""
        return (Severity.ERROR, Severity.WARNING) if self.also_warns else (self.severity,)

    def signed(self, finding: Finding) -> Finding:
        """The finding with the id, the source and the severity of the rule."""
        severity = finding.severity if self.also_warns else self.severity
        return structs.replace(finding, rule=self.id, source=self.source, severity=severity)


class Rule(About, Generic[_Judge], frozen=True, kw_only=True):
    """A rule, with the function that finds what breaks it."""

    family: Family
    kinds: tuple[Kind, ...] = ()
    """The objects that the rule is about; a rule over a plan without kinds judges stack files alone."""
    needs: tuple[Kind, ...] = ()
    """The kinds without which the rule is not decided for an object that refers to them; the nearest first."""
    setting: str = ""
    """The key of the policy settings by which an environment decides the rule; empty where none does."""
    fix: Callable[[Any], Iterable[Edit]] | None = None
    """The edits by which an object of `kinds` keeps the rule; None where a person has to choose."""
    scope: Scope
    judge: _Judge


class PlanJudge(Protocol):
    """Finds what breaks one rule in a plan."""

    def __call__(self, plan: Plan, /) -> Iterable[Finding]:
        """Every breach."""
        ...


PlanRule = Rule[PlanJudge]


def id_of(judge: Callable[..., object]) -> str:
    """The id of the rule that a function judges by: its name, with hyphens."""
    return judge.__name__.strip("_").replace("_", "-")


def family_of(judge: Callable[..., object]) -> Family:
    """The family of the rules in the module of a function: its constant `FAMILY`.

    Raises:
        KeyError: the module has none.
    """
    return vars(sys.modules[judge.__module__])["FAMILY"]


def rules_in(*modules: ModuleType) -> tuple[Rule[Any], ...]:
    """The rules of modules, in the order of their text; also those that a module imports from another one."""
    return tuple(each for module in modules for each in vars(module).values() if _is_rule(each))


def _is_rule(each: object) -> TypeGuard[Rule[Any]]:
    return isinstance(each, Rule)


class Declaration(TypedDict):
    """The arguments of the decorator of every rule, as `Rule` has them."""

    summary: str
    why: str
    source: str
    severity: NotRequired[Severity]


class _OfPlan(Declaration):
    also_warns: NotRequired[bool]
    kinds: NotRequired[tuple[Kind, ...]]
    needs: NotRequired[tuple[Kind, ...]]


def rule(
    *, family: Family | None = None, **stated: Unpack[_OfPlan]
) -> Callable[[Callable[[Plan], Iterable[Finding]]], PlanRule]:
    """Makes a rule of a function over a plan; with `kinds`, the rule judges plans that are rebuilt from objects too."""

    def make(judge: Callable[[Plan], Iterable[Finding]]) -> PlanRule:
        return Rule(id=id_of(judge), family=family or family_of(judge), scope=Scope.PLAN, judge=judge, **stated)

    return make


def breaches(rule: PlanRule, plan: Plan) -> Iterator[Finding]:
    """Every breach of the rule, signed; one finding where pools of one entry agree."""
    yield from map(rule.signed, dict.fromkeys(rule.judge(plan)))
