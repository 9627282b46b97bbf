"""What rules over a rebuilt plan say is about the properties of objects, and never about keys of a stack file."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import pytest

from components.model.findings import Finding
from policies.objects.ledger_rules import LEDGER_RULES, look_at_ledger
from policies.objects.rebuilding import rebuild
from policies.objects.wording import PHRASES
from tests.policies.cases import cases

_RULES: Final = {each.rule.id: each.rule for each in LEDGER_RULES}
_SNAKE: Final = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
"""No property of Pulumi and no field of Kubernetes is written so, and no value in the catalogue."""
_STACK: Final = re.compile(
    r"\b(?:capacity|mode|gpu|queued|upgrade|zones|admission_checks):|\bupgrade\b|\{name: nodes\}"
)


def test_no_text_over_objects_speaks_of_a_stack_file() -> None:
    told = [each for case in cases() for each in look_at_ledger(case.world) if isinstance(each, Finding)]
    texts = {(each.rule, text) for each in told for text in (each.says, each.remedy)}
    assert {rule for rule, _ in texts} >= set(_RULES)
    assert [each for each in texts if _STACK.search(each[1]) or _SNAKE.search(each[1])] == []


@cache
def _as_of_stack_files(rule_id: str) -> str:
    """What a rule says of the plans of its cases before it is translated."""
    plans = [rebuild(case.world).plan for case in cases() if case.rule == rule_id]
    return "\n".join(f"{each.says}\n{each.remedy}" for plan in plans for each in _RULES[rule_id].findings(plan))


@pytest.mark.parametrize(("rule_id", "phrase"), [(rule, phrase) for rule in PHRASES for phrase in PHRASES[rule]])
def test_a_translated_phrase_is_one_that_the_rule_says(rule_id: str, phrase: str) -> None:
    assert re.search(phrase, _as_of_stack_files(rule_id)) is not None


def test_values_in_a_phrase_are_kept() -> None:
    told = {each.remedy for case in cases() for each in look_at_ledger(case.world) if isinstance(each, Finding)}
    assert "Add nodeConfig.guestAccelerators: [{type: nvidia-h100-80gb, count: 8}]." in told
    assert "Name spare in admissionChecksStrategy of a ClusterQueue." in told
    system = "{name: system, nodeConfig: {machineType: e2-standard-4}, nodeCount: 1, nodeLocations: [us-west4-a]}"
    assert f"Such as {system}." in told
