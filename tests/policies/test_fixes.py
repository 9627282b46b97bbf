"""The mechanical fixes of rules, on the broken cases of the catalogue: each makes the object sound."""

from __future__ import annotations

import copy
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from policies import rules  # by name at each use: mutants change what is in it
from policies.remedies import make
from tests.golden import assert_golden_text
from tests.policies.cases import an_object, cases, name_of

if TYPE_CHECKING:
    from tests.policies.cases import Case

GOLDEN = Path(__file__).with_name("fixes.txt")
FIXED = {rule.id: rule.fix for rule in rules.OBJECT_RULES if rule.fix is not None}


def _is_fixed(case: Case) -> bool:
    """Whether the rule of the case has a fix for an object at fault: some mistakes are the author's to mend."""
    fix, broken = FIXED.get(case.rule), [each for each in case.resources if name_of(each) in case.finds]
    return fix is not None and any(list(fix(an_object(each))) for each in broken)


CASES = [case for case in cases() if _is_fixed(case)]


def test_every_fix_has_a_case() -> None:
    assert {case.rule for case in CASES} == set(FIXED)


@pytest.mark.parametrize("case", CASES, ids=[f"{case.rule}: {case.name}" for case in CASES])
def test_a_fixed_object_breaks_the_rule_no_longer(case: Case) -> None:
    (fix,) = [rule.fix for rule in rules.OBJECT_RULES if rule.id == case.rule]
    assert fix is not None
    resources = copy.deepcopy(case.resources)
    for resource in resources:
        if name_of(resource) in case.finds:
            edits = list(fix(an_object(resource)))
            assert edits
            for edit in edits:
                make(edit, resource.get("manifest") or resource["properties"])
    fixed = dataclasses.replace(case, resources=resources)
    said = rules.judge(fixed.world, fixed.settings).findings
    assert [finding for finding in said if finding.rule == case.rule] == []


def test_the_edits_of_every_fix() -> None:
    fixes = {rule.id: rule.fix for rule in rules.OBJECT_RULES if rule.fix is not None}
    lines = [
        f"{case.rule}: {case.name}: {'.'.join(map(str, edit.path))} = {edit.value!r}\n"
        for case in CASES
        for resource in case.resources
        if name_of(resource) in case.finds
        for edit in fixes[case.rule](an_object(resource))
    ]
    assert_golden_text(GOLDEN, "".join(lines))
