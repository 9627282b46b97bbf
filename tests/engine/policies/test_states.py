"""The catalogue as stored states, judged by `pulumi policy analyze`."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import pytest
from msgspec import structs

from components.model.rule import Scope
from policies.names import SETTINGS, STACK_ERRORS, STACK_WARNINGS, rule_of
from policies.objects.judging import TYPES, Settings
from policies.objects.ledger_rules import LEDGER_RULES
from policies.objects.order import Order, Registration
from policies.objects.world import Object, World
from policies.rules import OBJECT_RULES, judge
from policies.settings import ADVISORY, DISABLED, LEVELS, delivered_levels
from tests.policies.asking import registered, settings_of
from tests.policies.cases import Case, an_object, cases, name_of, registration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.engine.policies.conftest import Lab

    Found = set[tuple[str, str]]
    """Rules, and names of resources with the mark of their case."""

LOCAL: Final = {TYPES.id, *(rule.id for rule in OBJECT_RULES if rule.scope is Scope.OBJECT)}
BROKEN: Final = [case for case in cases() if case.finds]
FREE: Final = [case for case in BROKEN if case.rule in LOCAL and case.settings == Settings()]
WIDE: Final = {case.rule: case for case in BROKEN if case.rule not in {free.rule for free in FREE}}
"""One broken case of each rule that looks at several resources, or at what owners allow."""
DELIVERED: Final = delivered_levels((TYPES, *OBJECT_RULES, *LEDGER_RULES))
ASKED_FOR: Final = {key: ADVISORY for key, level in DELIVERED.items() if level == DISABLED}
"""Levels that a configuration file must state to see advice."""
MOST: Final = 20
"""Resources of a state that takes another case: the more there are, the less often one more is apart from them."""


def state_of(resources: Iterable[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """A state with resources of cases, each with what makes its URN its own."""
    entries = [(mark, registered(resource)) for mark, resource in resources]
    entries.sort(key=lambda entry: len(entry[1].after))  # a state has what is depended on first
    urns = {f"{each.name}{mark}": f"{each.urn}{mark}" for mark, each in entries}
    return {
        "version": 3,
        "deployment": {
            "manifest": {"time": "2026-01-01T00:00:00Z", "magic": "", "version": ""},
            "resources": [
                {
                    "urn": f"{each.urn}{mark}",
                    "custom": True,
                    "id": f"{each.name}{mark}",
                    "type": each.type,
                    "inputs": each.inputs,
                    "outputs": each.inputs,
                    "protect": each.protect,
                    "dependencies": [urns[f"{name}{mark}"] for name in each.after],
                }
                for mark, each in entries
            ],
        },
    }


@dataclass(eq=False)
class Shared:
    """A state of several cases that have nothing to do with each other: judged together, each has its own findings.

    A state of its own for each would start the engine a hundred times.
    """

    settings: Settings
    members: dict[str, Case] = field(default_factory=dict[str, "Case"])
    """By their rule, which is the mark of their resources too."""
    objects: list[Object] = field(default_factory=list["Object"])
    registrations: list[Registration] = field(default_factory=list["Registration"])

    @property
    def resources(self) -> list[tuple[str, dict[str, Any]]]:
        """With the marks of their cases."""
        return [(f"#{rule}", each) for rule, case in self.members.items() for each in case.resources]

    def takes(self, case: Case) -> bool:
        """Add a case, unless it and the others would say something of each other."""
        if case.settings != self.settings or len(self.objects) > MOST:
            return False
        mine = [_marked(an_object(each), case.rule) for each in case.resources]
        registrations = [*self.registrations, *(_of_case(registration(each), case.rule) for each in case.resources)]
        wanted = set[tuple[str, str]]().union(*map(_wanted, (*self.members.values(), case)))
        for objects in ([*mine, *self.objects], [*self.objects, *mine]):  # what two cases share is said of the first
            findings = judge(World(objects, order=Order(registrations)), case.settings).findings
            if {(each.rule, each.place.origin) for each in findings} != wanted:
                return False
        objects = [*self.objects, *mine]
        self.members[case.rule], self.objects, self.registrations = case, objects, registrations
        return True


def _marked(each: Object, rule: str) -> Object:
    return dataclasses.replace(each, start=dataclasses.replace(each.start, origin=f"{each.start.origin}#{rule}"))


def _of_case(each: Registration, rule: str) -> Registration:
    after = frozenset(f"{name}#{rule}" for name in each.after)
    return structs.replace(each, origin=f"{each.origin}#{rule}", after=after)


def _wanted(case: Case) -> Found:
    """What is found of a case, with its mark."""
    return {(rule, f"{name}#{case.rule}") for rule, name in {(case.rule, name) for name in case.finds} | case.beside}


@cache
def _states() -> list[Shared]:
    made: list[Shared] = []
    for case in WIDE.values():
        if not any(state.takes(case) for state in made):
            made.append(Shared(case.settings))
            assert made[-1].takes(case)
    return made


@pytest.fixture(scope="module")
def found_in(lab: Lab) -> Callable[[Shared], Found]:
    """What the engine and the pack find in a state, asked once."""

    @cache
    def found(state: Shared) -> Found:
        settings = settings_of(next(iter(state.members.values())))
        judged = lab.analyzed(state_of(state.resources), {SETTINGS: {**settings, LEVELS: ASKED_FOR}})
        names = {f"{registered(each).urn}{mark}": f"{name_of(each)}{mark}" for mark, each in state.resources}
        said = [each for each in judged.violations if each.policy != "every-rule-is-decided"]
        return {(rule_of(each.policy), names[each.urn]) for each in said}

    return found


def test_rules_over_one_object_find_theirs_in_one_state(lab: Lab) -> None:
    resources = [(f"-{index}", each) for index, case in enumerate(FREE) for each in case.resources]
    # The cases are of different worlds: what looks at several objects is off.
    off = dict.fromkeys((STACK_ERRORS, STACK_WARNINGS), DISABLED)
    judged = lab.analyzed(state_of(resources), {**off, SETTINGS: {LEVELS: ASKED_FOR}})
    wanted = {
        f"{rule} {registered(each).name}-{index}"
        for index, case in enumerate(FREE)
        for rule, name in {(case.rule, name) for name in case.finds} | case.beside
        for each in case.resources
        if name_of(each) == name and rule in LOCAL
    }
    found = {f"{rule_of(each.policy)} {each.urn.rpartition('::')[2]}" for each in judged.violations}
    assert found == wanted


@pytest.mark.parametrize("rule", sorted(WIDE))
def test_any_other_rule_finds_its_own_in_a_state(found_in: Callable[[Shared], Found], rule: str) -> None:
    state = next(state for state in _states() if rule in state.members)
    found = {(by, name) for by, name in found_in(state) if name.endswith(f"#{rule}")}
    assert found == _wanted(WIDE[rule])


def test_every_rule_is_asked_of_the_engine() -> None:
    assert {case.rule for case in FREE} | set(WIDE) == {case.rule for case in BROKEN}
