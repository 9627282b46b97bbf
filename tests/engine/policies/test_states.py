"""The catalogue as stored states, judged by `pulumi policy analyze`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from components.model.objects.judging import TYPE_RULE
from components.model.objects.rules import OBJECT_RULES
from policies.pack import SETTINGS, pack_of
from tests.policies.asking import registered, settings_of
from tests.policies.cases import cases, name_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.engine.policies.conftest import Lab
    from tests.policies.cases import Case

LOCAL: Final = {TYPE_RULE, *(rule.id for rule in OBJECT_RULES if rule.is_local)}
BROKEN: Final = [case for case in cases() if case.finds]
WIDE: Final = {case.rule: case for case in BROKEN if case.rule not in LOCAL}
"""One broken case of each rule that looks at several resources."""


def state_of(resources: Iterable[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """A state with resources of cases, each with what makes its URN its own."""
    entries = [(mark, registered(resource)) for mark, resource in resources]
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
                }
                for mark, each in entries
            ],
        },
    }


def test_rules_over_one_object_find_theirs_in_one_state(lab: Lab) -> None:
    free = [case for case in BROKEN if case.rule in LOCAL and not _is_limited(case)]
    resources = [(f"-{index}", each) for index, case in enumerate(free) for each in case.resources]
    # The cases are of different worlds: what looks at several objects is off.
    off = {each.name: "disabled" for each in pack_of("all").policies if each.name not in LOCAL}
    judged = lab.analyzed(state_of(resources), off)
    wanted = {
        f"{rule} {registered(each).name}-{index}"
        for index, case in enumerate(free)
        for rule, name in {(case.rule, name) for name in case.finds} | case.beside
        for each in case.resources
        if name_of(each) == name and rule in LOCAL
    }
    assert {f"{each.policy} {each.urn.rpartition('::')[2]}" for each in judged.violations} == wanted


@pytest.mark.parametrize("rule", sorted(WIDE))
def test_a_rule_over_several_objects_finds_its_own_in_a_state(lab: Lab, rule: str) -> None:
    case = WIDE[rule]
    judged = lab.analyzed(state_of(("", each) for each in case.resources), {SETTINGS: settings_of(case)})
    urns = {registered(each).urn: name_of(each) for each in case.resources}
    found = [each for each in judged.violations if each.policy != "every-rule-is-decided"]
    rules = {(each.policy.removesuffix("-advice"), urns[each.urn]) for each in found}
    assert rules == {(rule, name) for name in case.finds} | case.beside


def _is_limited(case: Case) -> bool:
    """Whether the case has settings: those of two cases may differ."""
    return case.settings != type(case.settings)()
