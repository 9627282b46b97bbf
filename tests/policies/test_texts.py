"""What every rule over objects says of the broken cases of the catalogue, and where.

A line for each finding: the name of the case, the resource and the path in it, with `(key)` where the finding is about
the key rather than its value, what is said, the remedy. Of a rule that also warns, whether the finding is a warning.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from components.model.findings import Finding, Severity
from policies.rules import OBJECT_RULES, judge
from tests.golden import assert_golden_text
from tests.policies.cases import Case, cases

_GOLDEN: Final = Path(__file__).parent / "golden"
_CASES: Final = tuple(cases())
_WARNING: Final = {each.id for each in OBJECT_RULES if each.also_warns}


def _severity(found: Finding) -> str:
    """What the finding is, of a rule whose findings are not all alike; nothing for an error."""
    is_error = found.rule not in _WARNING or found.severity is Severity.ERROR
    return "" if is_error else f"({found.severity.value}) "


def _lines(case: Case) -> list[str]:
    return [
        f"{case.name}: {found.place.origin} {found.place}{' (key)' if found.is_about_key else ''}: "
        f"{_severity(found)}"
        f"{found.says} {found.remedy}\n"
        for found in judge(case.world, case.settings).findings
    ]


def test_no_text_is_of_a_rule_that_is_gone() -> None:
    assert {file.stem for file in _GOLDEN.glob("*.txt")} <= {each.id for each in OBJECT_RULES}


@pytest.mark.parametrize("rule_id", sorted({each.id for each in OBJECT_RULES}))
def test_rule_says_what_is_wrong_where_and_what_would_be_right(rule_id: str) -> None:
    told = [line for case in _CASES if case.rule == rule_id for line in _lines(case)]
    assert told
    assert_golden_text(_GOLDEN / f"{rule_id}.txt", "".join(told))
