"""What rules over a rebuilt plan say is about the properties of objects, and never about keys of a stack file."""

from __future__ import annotations

import re
from typing import Final

from components.model.findings import Finding
from policies.objects.ledger_rules import LEDGER_RULES, look_at_ledger
from tests.policies.cases import cases

_SNAKE: Final = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
"""No property of Pulumi and no field of Kubernetes is written so, and no value in the catalogue."""
_STACK: Final = re.compile(
    r"\b(?:capacity|mode|gpu|queued|upgrade|zones|admission_checks):|\bupgrade\b|\{name: nodes\}"
)


def test_no_text_over_objects_speaks_of_a_stack_file() -> None:
    told = [each for case in cases() for each in look_at_ledger(case.world) if isinstance(each, Finding)]
    texts = {(each.rule, text) for each in told for text in (each.says, each.remedy)}
    assert {rule for rule, _ in texts} >= {each.id for each in LEDGER_RULES}
    assert [each for each in texts if _STACK.search(each[1]) or _SNAKE.search(each[1])] == []


def test_values_in_a_phrase_are_kept() -> None:
    told = {each.remedy for case in cases() for each in look_at_ledger(case.world) if isinstance(each, Finding)}
    assert "Add nodeConfig.guestAccelerators[0]: {type: nvidia-h100-80gb, count: 8}." in told
    assert "Name spare in admissionChecksStrategy of a ClusterQueue." in told
    system = "{name: system, nodeConfig: {machineType: e2-standard-4}, nodeCount: 1, nodeLocations: [us-west4-a]}"
    assert f"Such as {system}." in told
