"""One run of the engine: the resources that it has shown of a stack so far, and the findings of the rules.

At a preview in which the cluster is yet to be made, the engine knows nothing of what Kubernetes resources will be, and
asks about the whole stack with empty bags for them. It has shown their inputs before, one resource at a time: these are
kept, and checked in place of whatever the engine shows of the same resource later. They are also what the owners
wrote, while outputs contain what an autoscaler changed since then.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, TypeVar
from weakref import WeakKeyDictionary

from components.model.findings import Finding
from components.model.rule import LooksAt
from policies.objects.judging import TYPES, NotChecked, Verdict, look, look_at, verdict
from policies.objects.ledger_rules import look_at_ledger
from policies.objects.order import Order, Registration
from policies.objects.rebuilding import rebuild
from policies.objects.world import World
from policies.observe import observe
from policies.observed import world_of
from policies.settings import settings_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pulumi_policy import PolicyResource, ResourceValidationArgs, StackValidationArgs

    from components.model.facts.kinds import Kind
    from components.model.rule import PlanRule
    from policies.objects.judging import ObjectRule, Settings
    from policies.objects.world import Object
    from policies.observed import Observed

_INSTEAD: Final = "[secret]"
_Asked = TypeVar("_Asked", "ResourceValidationArgs", "StackValidationArgs")


class Run:
    """What a pack knows of the stack, and how its rules check it. Each question is checked once, for all policies."""

    def __init__(self, object_rules: Iterable[ObjectRule], ledger_rules: Iterable[PlanRule]) -> None:
        """The rules of the pack."""
        rules = tuple(object_rules)
        self._local = _by_kind(rule for rule in rules if rule.looks_at is LooksAt.OBJECT)
        self._wide = tuple(rule for rule in rules if rule.looks_at is LooksAt.OBJECTS)
        self._wide_of = _by_kind(self._wide)
        self._ledger = tuple(ledger_rules)
        self._shown: dict[str, Observed] = {}
        self._secrets: set[str] = set()
        self._of_resource: dict[str, Verdict] = {}
        self._resource_answers: WeakKeyDictionary[ResourceValidationArgs, Verdict] = WeakKeyDictionary()
        self._stack_answers: WeakKeyDictionary[StackValidationArgs, Verdict] = WeakKeyDictionary()

    def of_resource(self, args: ResourceValidationArgs) -> Verdict:
        """What rules over one object say of a resource, by its inputs; these are kept."""
        return _once(self._resource_answers, args, self._judge_resource)

    def of_stack(self, args: StackValidationArgs) -> Verdict:
        """What all other rules say of the whole stack, with what could not be read of single resources."""
        return _once(self._stack_answers, args, self._judge_stack)

    def has(self, urn: str) -> bool:
        """Whether the inputs of a resource are kept."""
        return urn in self._shown

    def called(self, origin: str) -> str:
        """What people call the object of a URN; empty where there is none."""
        if origin not in self._shown:
            return ""
        found = self._shown[origin].object
        return str(found) if found.name else f"{found.kind.name} {origin.rpartition('::')[2]}"

    def without_secrets(self, text: str) -> str:
        """A message, with secrets of the program made unreadable."""
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(secret, _INSTEAD)
        return text

    def _keep(self, urn: str, observed: Observed) -> None:
        self._shown[urn] = observed
        self._secrets.update(filter(None, observed.secrets))

    def _judge_resource(self, args: ResourceValidationArgs) -> Verdict:
        observed = observe(args.resource_type, args.urn, args.props, is_protected=args.opts.protect)
        if observed is None:
            return Verdict(findings=(), not_checked=())
        self._keep(args.urn, observed)
        alone = World([observed.object])
        rules, settings = self._local.get(observed.object.kind, ()), _settings(args)
        found = [*look(rules, alone, settings), *self._ill_typed(observed.object, alone, settings)]
        self._of_resource[args.urn] = verdict(found)
        return self._of_resource[args.urn]

    def _ill_typed(self, each: Object, alone: World, settings: Settings) -> Iterator[Finding]:
        """Fields of another type than rules over several objects read, so that they are found before it is made."""
        yield from rebuild(alone).malformed
        for rule in self._wide_of.get(each.kind, ()):
            for found in look_at(rule, (each,), alone, settings):
                if isinstance(found, Finding) and found.rule == TYPES.id:
                    yield found

    def _judge_stack(self, args: StackValidationArgs) -> Verdict:
        resources = sorted(args.resources, key=lambda each: each.urn)  # the engine gives them in any order
        there = (observed for each in resources if (observed := self._observed(each)) is not None)
        world = world_of(there, order=Order(map(_registration, resources)))
        seen = verdict([*look(self._wide, world, _settings(args)), *look_at_ledger(world, self._ledger)])
        return Verdict(
            findings=tuple(each for each in seen.findings if each.rule != TYPES.id),
            not_checked=(*self._left_by_resources(), *self._ill_typed_elsewhere(seen), *seen.not_checked),
        )

    def _observed(self, resource: PolicyResource) -> Observed | None:
        if resource.urn not in self._shown:
            found = observe(
                resource.resource_type,
                resource.urn,
                resource.props,
                is_protected=resource.opts.protect,
            )
            if found is None:
                return None
            self._keep(resource.urn, found)
        return self._shown[resource.urn]

    def _left_by_resources(self) -> Iterator[NotChecked]:
        """What rules over one object could not decide."""
        for _, found in sorted(self._of_resource.items(), key=lambda each: each[0]):
            yield from found.not_checked

    def _ill_typed_elsewhere(self, seen: Verdict) -> Iterator[NotChecked]:
        """Fields of another type that were not reported with their resource."""
        told = {found for each in self._of_resource.values() for found in each.findings}
        for found in seen.findings:
            if found.rule == TYPES.id and found not in told:
                yield NotChecked(
                    rule=TYPES.id, place=found.place, reason=f"is of another type: {found.says.rstrip('.')}"
                )


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


def _settings(args: ResourceValidationArgs | StackValidationArgs) -> Settings:
    return settings_from(args.get_config())


def _once(answers: WeakKeyDictionary[_Asked, Verdict], args: _Asked, judge: Callable[[_Asked], Verdict]) -> Verdict:
    """The verdict on a question, made the first time that it is asked for."""
    found = answers.get(args)
    if found is None:
        found = answers[args] = judge(args)
    return found
