"""Every rule over objects on resources written by hand: what is broken is found by it alone, what is sound is clean."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from components.model.rules import ALL_RULES
from policies.rules import OBJECT_RULES, RULE_IDS, judge
from tests.policies.cases import Case, cases
from tests.tracked import tracked

CASES = list(cases())


@pytest.mark.parametrize("case", CASES, ids=[f"{case.rule}: {case.name}" for case in CASES])
def test_a_case_is_found_by_its_rule_alone(case: Case) -> None:
    verdict = judge(case.world, case.settings)
    found = {(finding.rule, finding.place.origin) for finding in verdict.findings}
    said = [f"{each.rule} {each.place}: {each.says}" for each in verdict.findings]
    assert found == {(case.rule, name) for name in case.finds} | case.beside, said
    places = {(each.place.origin, str(each.place)) for each in verdict.findings if each.rule == case.rule}
    assert places == {(name, path) for name, paths in case.finds.items() for path in paths}, said
    doubts = [each for each in verdict.not_checked if each.rule == case.rule]
    assert case.open in (None, {f"{each.place} {each.reason}" for each in doubts if each.place is not None}), doubts


def test_every_rule_has_a_broken_and_a_sound_case() -> None:
    broken = {case.rule for case in CASES if case.finds}
    sound = {case.rule for case in CASES if not case.finds}
    assert broken == sound == set(RULE_IDS)
    assert len(RULE_IDS) == len(set(RULE_IDS))


def test_no_text_or_table_restates_the_id_of_a_rule() -> None:
    texts = [path.read_text(encoding="utf-8") for path in tracked("components/**/*.py", "policies/**/*.py")]
    stated = Counter(found for text in texts for found in re.findall(r'"([a-z0-9]+(?:-[a-z0-9]+)+)"', text))
    ids = [rule.id for rule in (*ALL_RULES, *OBJECT_RULES)]
    assert {rule_id: stated[rule_id] for rule_id in ids if stated[rule_id]} == {}
