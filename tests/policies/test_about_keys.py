"""Which findings over runs are about a key that should not be there, rather than about its value."""

from __future__ import annotations

from typing import Final

import pytest

from policies.objects.pods import MAKERS
from policies.rules import OBJECT_RULES, judge
from tests.policies.cases import Case, cases

_OF_RULES: Final = {
    *("autopilot-pods-are-plain", "declared-runs-stay", "kueue-has-the-label", "kueue-suspends"),
    "suspended-run-is-queued",
    "chips-need-no-privilege",
    "class-pods-select-no-machines",
    *("namespace-takes-pods", "priority-is-a-label-of-the-run", "queue-is-a-label-of-the-run"),
    "selected-flex-start-exists",
    "slice-requests-are-covered",
}
_OF_CASES: Final = {
    ("flex-start-selector-is-true", "beside spot"),
    ("flex-start-selector-is-true", "beside preemptible"),
    ("flex-start-selector-is-true", "beside spot, and a pool"),
    ("job-fields-agree", "a limit per index without indexes"),
    ("min-parallelism-is-below-the-pods", "a JobSet, of which Kueue does not read it"),
    ("queued-ray-gives-back", "a RayJob with a cluster of its own and one of others"),
    ("start-order-is-possible", "both"),
    ("start-order-is-possible", "the first waits for a later one"),
    ("start-order-is-possible", "an empty list in order, which counts"),
    ("start-order-is-possible", "an empty list of the first, which counts"),
}
_OVER_RUNS: Final = {rule.id for rule in OBJECT_RULES if set(rule.kinds) <= set(MAKERS)}
_CASES: Final = [case for case in cases() if case.finds and case.rule in _OVER_RUNS]


@pytest.mark.parametrize("case", _CASES, ids=[f"{case.rule}: {case.name}" for case in _CASES])
def test_a_finding_is_about_a_key_that_should_not_be_there(case: Case) -> None:
    found = {each.is_about_key for each in judge(case.world, case.settings).findings if each.rule == case.rule}
    assert found == {case.rule in _OF_RULES or (case.rule, case.name) in _OF_CASES}
