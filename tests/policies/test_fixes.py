"""The mechanical fixes of rules, on the broken cases of the catalogue: each makes the object sound."""

from __future__ import annotations

import copy
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from policies import rules  # by name at each use: mutants change what is in it
from policies.remedies import make
from tests.golden import assert_golden_text
from tests.policies.cases import Case, an_object, cases, name_of

if TYPE_CHECKING:
    from components.model.rule import Edit

GOLDEN = Path(__file__).with_name("fixes.txt")


def _edits(rule_id: str, resource: dict[str, Any]) -> list[Edit]:
    """What the rule's fix does to a resource; nothing where the rule has none."""
    (fix,) = [rule.fix for rule in rules.OBJECT_RULES if rule.id == rule_id]
    return [] if fix is None else list(fix(an_object(resource)))


def _broken(case: Case) -> list[dict[str, Any]]:
    return [resource for resource in case.resources if name_of(resource) in case.finds]


FIXED = {rule.id for rule in rules.OBJECT_RULES if rule.fix is not None}
CASES = [case for case in cases() if case.rule in FIXED and any(_edits(case.rule, each) for each in _broken(case))]


def test_every_fix_has_a_case() -> None:
    assert {case.rule for case in CASES} == FIXED


@pytest.mark.parametrize("case", CASES, ids=[f"{case.rule}: {case.name}" for case in CASES])
def test_a_fixed_object_breaks_the_rule_no_longer(case: Case) -> None:
    fixed = dataclasses.replace(case, resources=copy.deepcopy(case.resources))
    for resource in _broken(fixed):
        edits = _edits(case.rule, resource)
        assert edits
        for edit in edits:
            make(edit, resource.get("manifest") or resource["properties"])
    said = rules.judge(fixed.world, fixed.settings).findings
    assert [finding for finding in said if finding.rule == case.rule] == []


def test_the_edits_of_every_fix() -> None:
    lines = [
        f"{case.rule}: {case.name}: {'.'.join(map(str, edit.path))} = {edit.value!r}\n"
        for case in CASES
        for resource in _broken(case)
        for edit in _edits(case.rule, resource)
    ]
    assert_golden_text(GOLDEN, "".join(lines))
