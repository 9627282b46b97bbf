"""One run of the engine: the resources that it has shown of a stack so far, and the findings of the rules.

At a preview in which the cluster is yet to be made, the engine knows nothing of what Kubernetes resources will be, and
asks about the whole stack with empty properties. It has shown their inputs before, one resource at a time: these are
kept, and checked in place of whatever the engine shows of the same resource later. They are also what the owners
wrote, while outputs contain what an autoscaler changed since then.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from components.model.findings import Finding, Severity, listing
from components.model.rule import About, PlanRule, Scope
from policies.names import DECIDED, SETTINGS, message
from policies.objects.judging import TYPES, NotChecked, Settings, Verdict, doubts, look, look_at, verdict
from policies.objects.ledger_rules import look_at_ledger
from policies.objects.order import Order, Registration
from policies.objects.rebuilding import rebuild
from policies.objects.world import Object, World
from policies.observe import observe, secret_paths
from policies.observed import Observed, world_of
from policies.remedies import remedied
from policies.settings import LEVELS, MANDATORY, REMEDIATE, delivered_levels, key_of, settings_from, stated_levels

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pulumi_policy import PolicyResource, ResourceValidationArgs, StackValidationArgs

    from components.model.facts.kinds import Kind
    from policies.objects.judging import Doubt, ObjectRule
    from policies.observe import Path

_INSTEAD: Final = "[secret]"
_LISTED: Final = 12
"""Reasons that are written out where rules could not be decided; more are counted."""
EVERY_RULE: Final = About(
    id=DECIDED,
    summary="every rule could be decided",
    why="Values that a preview does not know are checked in the update. A rule that needs objects of another stack is "
    "checked only where they are in the same stack.",
    source="the engine",
    severity=Severity.WARNING,
)
"""What is reported where something was not checked."""


class NotShownError(Exception):
    """The policy that reads resources is off, so that nothing can be checked."""

    def __init__(self) -> None:
        """Says what to configure."""
        super().__init__(
            f"the level of {SETTINGS} must stay {REMEDIATE}, because it reads the resources for all rules. "
            f'Set levels by rule, as in {{"{SETTINGS}": {{"{LEVELS}": {{"RULE": "advisory"}}}}}}.'
        )


class Violation(Struct, frozen=True):
    """A finding as a policy reports it."""

    text: str
    """Begins with the key of its rule."""
    urn: str
    """Of the resource; empty for one of the whole stack."""


class Reported(Struct, frozen=True):
    """The findings of one level."""

    violations: list[Violation]
    undecided: str
    """Why one of the rules with that level was not decided; empty where all were."""


class Run:
    """What a pack knows of the stack, and how its rules check it. Each question is checked once, for all policies."""

    def __init__(self, object_rules: Iterable[ObjectRule], ledger_rules: Iterable[PlanRule]) -> None:
        """The rules of the pack."""
        rules = tuple(object_rules)
        self.rules: Final[Mapping[str, About]] = {each.id: each for each in (TYPES, *rules, *ledger_rules, EVERY_RULE)}
        """All that levels can be set for, by id."""
        self._local = _by_kind(rule for rule in rules if rule.scope is Scope.OBJECT)
        self._wide = tuple(rule for rule in rules if rule.scope is Scope.OBJECTS)
        self._wide_of = _by_kind(self._wide)
        self._ledger = tuple(ledger_rules)
        self._count = len(rules) + len(self._ledger)
        self.fixable: Final = {rule.id: rule for rule in rules if rule.fix is not None}
        """The rules with a remedy, by id."""
        self.delivered: Final = delivered_levels(self.rules.values())
        self._levels = self.delivered
        self._settings = Settings()
        self._secret_paths: dict[str, frozenset[Path]] = {}
        self._shown: dict[str, Observed] = {}
        self._display_names: dict[str, str] = {}
        """What people call the object of a URN."""
        self._secrets: set[str] = set()
        self._of_resource: dict[str, Verdict] = {}
        self._of_stack: Verdict | None = None

    def show(self, args: ResourceValidationArgs) -> None:
        """Take the configuration, and where the resource has secrets: the SDK marks them only before it validates."""
        config = args.get_config()
        self._settings = settings_from(config)
        self._levels = {**self.delivered, **stated_levels(config)}
        self._secret_paths[args.urn] = frozenset(secret_paths(args.props))
        self._of_stack = None

    def check(self, args: ResourceValidationArgs) -> None:
        """Keep the inputs of a resource, and check them by the rules over one object.

        Raises:
            NotShownError: the resource was not shown before.
        """
        if args.urn not in self._secret_paths:
            raise NotShownError
        observed = self._observed(args, self._secret_paths[args.urn])
        if observed is None:
            self._of_resource[args.urn] = verdict(())
            return
        self._shown[args.urn] = observed
        alone, rules = World([observed.object]), self._local.get(observed.object.kind, ())
        self._of_resource[args.urn] = verdict(
            [*look(rules, alone, self._settings), *self._ill_typed(observed.object, alone)]
        )

    def of_resource(self, urn: str, level: str) -> Reported:
        """The findings of one level at a resource that was checked.

        Raises:
            NotShownError: the resource was not checked.
        """
        if urn not in self._of_resource:
            raise NotShownError
        return self._reported(self._of_resource[urn], level)

    def of_stack(self, args: StackValidationArgs, level: str) -> Reported:
        """The findings of one level in the whole stack, with what could not be decided of single resources."""
        if self._of_stack is None:
            self._of_stack = self._judge_stack(args.resources)
        found = self._reported(self._of_stack, level)
        if not self._of_stack.not_checked or self.level(DECIDED) != level:
            return found
        last = self._violation(DECIDED, EVERY_RULE, self._undecided(self._of_stack.not_checked))
        return Reported([*found.violations, last], found.undecided)

    def level(self, key: str) -> str:
        """The level of the findings that are named by a key."""
        level = self._levels[key]
        return MANDATORY if level == REMEDIATE else level

    def remedy(self, rule_id: str, args: ResourceValidationArgs) -> Mapping[str, Any]:
        """The properties of a resource that breaks a rule, corrected; empty unless the rule's level asks for it."""
        rule = self.fixable.get(rule_id)
        return {} if rule is None or self._levels[rule_id] != REMEDIATE else remedied(rule, args, self._settings)

    def _reported(self, found: Verdict, level: str) -> Reported:
        violations = [
            self._violation(key, rule, self._text(each), each.place.origin)
            for each in found.findings
            if self.level(key := key_of(rule := self.rules[each.rule], each.severity)) == level
        ]
        doubts = (self._reason(each) for each in found.not_checked if level in self._levels_of_rule(each.rule))
        return Reported(violations, self._without_secrets(next(doubts, "")))

    def _violation(self, key: str, rule: About, text: str, urn: str = "") -> Violation:
        return Violation(self._without_secrets(message(key, rule.summary, text)), urn)

    def _levels_of_rule(self, rule_id: str) -> set[str]:
        """The levels of the findings that a rule can have."""
        rule = self.rules[rule_id]
        return {self.level(key_of(rule, severity)) for severity in rule.severities}

    def _text(self, finding: Finding) -> str:
        """What is wrong, where and why, and what would be right."""
        where = ", ".join(part for part in (self._display_names.get(finding.place.origin), str(finding.place)) if part)
        text = f"{where}: {finding.says} {finding.remedy}" if where else f"{finding.says} {finding.remedy}"
        is_fixable = finding.rule in self.fixable and self._levels[finding.rule] != REMEDIATE
        return f"{text} At its level {REMEDIATE}, the pack corrects this." if is_fixable else text

    def _undecided(self, found: tuple[NotChecked, ...]) -> str:
        """How many rules could not be decided, and which for what reason."""
        lines = [f"- {listing(each.rules)}: {self._reason(each)}" for each in doubts(found)]
        more = [f"- and {len(lines) - _LISTED} more reasons"] if len(lines) > _LISTED else []
        named = len({doubt.rule for doubt in found})
        head = f"{named} of {self._count} rules could not be decided for everything:"
        return "\n".join([head, *lines[:_LISTED], *more])

    def _reason(self, doubt: NotChecked | Doubt) -> str:
        if doubt.place is None:
            return doubt.reason
        where = [self._display_names.get(doubt.place.origin), str(doubt.place)]
        return f"{' '.join(part for part in where if part)} {doubt.reason}"

    def _without_secrets(self, text: str) -> str:
        """A message, with secrets of the program made unreadable."""
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(secret, _INSTEAD)
        return text

    def _observed(
        self, resource: ResourceValidationArgs | PolicyResource, secrets: frozenset[Path] = frozenset()
    ) -> Observed | None:
        """The object that a resource is; None for types that no rule knows."""
        found = observe(
            resource.resource_type,
            resource.urn,
            resource.props,
            is_protected=resource.opts.protect,
            secrets=secrets,
        )
        if found is not None:
            self._secrets.update(filter(None, found.secrets))
            name = resource.urn.rpartition("::")[2]
            kind = found.object.kind.name
            self._display_names[resource.urn] = str(found.object) if found.object.name else f"{kind} {name}"
        return found

    def _ill_typed(self, each: Object, alone: World) -> Iterator[Finding]:
        """Fields of another type than rules over several objects read, so that they are found before it is made."""
        yield from rebuild(alone).malformed
        for rule in self._wide_of.get(each.kind, ()):
            for found in look_at(rule, (each,), alone, self._settings):
                if isinstance(found, Finding) and found.rule == TYPES.id:
                    yield found

    def _judge_stack(self, stack: Iterable[PolicyResource]) -> Verdict:
        """The verdict of all rules over several objects.

        What the program only reads (`get`) is shown here for the first time, without marks of secrets.
        """
        resources = sorted(stack, key=lambda each: each.urn)  # the engine gives them in any order
        there = [self._shown.get(each.urn) or self._observed(each) for each in resources]
        order = Order(map(_registration, resources))
        world = world_of((each for each in there if each is not None), order=order)
        seen = verdict([*look(self._wide, world, self._settings), *look_at_ledger(world, self._ledger)])
        of_resources = [found for _, found in sorted(self._of_resource.items())]
        ill_typed = [each for each in seen.findings if each.rule == TYPES.id]
        reported = {finding for found in of_resources for finding in found.findings}
        return Verdict(
            findings=tuple(each for each in seen.findings if each.rule != TYPES.id),
            not_checked=(
                *(each for found in of_resources for each in found.not_checked),
                *(_not_checked(each) for each in ill_typed if each not in reported),
                *seen.not_checked,
            ),
        )


def _not_checked(finding: Finding) -> NotChecked:
    """A field of another type that was not reported with its resource."""
    reason = f"is of another type: {finding.says.rstrip('.')}"
    return NotChecked(rule=TYPES.id, place=finding.place, reason=reason)


def _by_kind(rules: Iterable[ObjectRule]) -> Mapping[Kind, list[ObjectRule]]:
    """The rules that look at objects of each kind, in their order."""
    found: defaultdict[Kind, list[ObjectRule]] = defaultdict(list)
    for rule in rules:
        for kind in rule.kinds:
            found[kind].append(rule)
    return found


def _registration(resource: PolicyResource) -> Registration:
    """What the engine makes before a resource."""
    depended = (*resource.dependencies, *(each for some in resource.property_dependencies.values() for each in some))
    return Registration(
        origin=resource.urn,
        type_=resource.resource_type,
        after=frozenset(each.urn for each in depended),
        parent="" if resource.parent is None else resource.parent.urn,
        provider="" if resource.provider is None else resource.provider.urn,
    )
