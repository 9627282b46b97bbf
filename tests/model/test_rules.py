"""Every rule on broken stacks, with the whole of what it says, and on sound ones.

The stacks are in `catalogue/`, by the subject of the rules, each with one defect, under the rules that find it.
`golden/findings/` has the texts: a line for each finding, with the name of the case, the rule, the place, the severity
of what is not an error, what is said and the remedy.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from components.model.rules import ALL_RULES
from components.model.stack_file.reading import read
from tests.golden import assert_golden_text
from tests.model.stacks_of_rules import BROKEN, MODULES, SOUND
from tests.stacks import Stack, Told, a_platform, committed, given_file, stack_file, told

if TYPE_CHECKING:
    from types import ModuleType

_GOLDEN: Final = Path(__file__).parent / "golden" / "findings"


def _name(module: ModuleType) -> str:
    """The name of a module of the catalogue in its folder."""
    return module.__name__.rpartition(".")[2]


def _severity(found: Told) -> str:
    """What the finding is; nothing for an error."""
    return "" if found.severity == "error" else f"({found.severity}) "


@pytest.mark.parametrize(("stack", "rules"), BROKEN.values(), ids=BROKEN)
def test_broken_stack_is_found_by_these_rules_alone(stack: Stack, rules: str) -> None:
    assert {each.rule for each in stack.findings()} == set(rules.split(", "))


@pytest.mark.parametrize("module", MODULES, ids=_name)
def test_broken_stack_is_told_exactly_this(module: ModuleType) -> None:
    lines = [
        f"{case}: {each.rule} {each.place}: {_severity(each)}{each.says} {each.remedy}\n"
        for stacks in module.BROKEN.values()
        for case, stack in stacks.items()
        for each in told(stack.findings())
    ]
    assert_golden_text(_GOLDEN / f"{_name(module)}.txt", "".join(lines))


def test_no_text_is_of_a_module_that_is_gone() -> None:
    assert {file.stem for file in _GOLDEN.iterdir()} == {_name(module) for module in MODULES}


@pytest.mark.parametrize("stack", SOUND.values(), ids=SOUND)
def test_sound_stack_is_told_nothing(stack: Stack) -> None:
    assert told(stack.findings()) == []


def test_every_rule_has_a_broken_stack() -> None:
    found = {each for _, rules in BROKEN.values() for each in rules.split(", ")}
    assert found == {rule.id for rule in ALL_RULES}


def test_no_case_hides_another() -> None:
    named = (stacks for module in MODULES for stacks in (*module.BROKEN.values(), module.SOUND))
    cases = Counter(case for stacks in named for case in stacks)
    assert [case for case, count in cases.items() if count > 1] == []


def test_rules_are_told_apart_and_explain_themselves() -> None:
    assert [rule.id for rule in ALL_RULES if not re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.id)] == []
    assert len({rule.id for rule in ALL_RULES}) == len(ALL_RULES)
    assert [rule.id for rule in ALL_RULES if not (rule.summary and rule.source and rule.why.endswith("."))] == []


def test_findings_are_whole_sentences() -> None:
    texts = [text for stack, _ in BROKEN.values() for each in stack.findings() for text in (each.says, each.remedy)]
    assert [text for text in texts if not text.endswith(".") or "  " in text] == []


def test_one_mistake_in_an_entry_of_many_pools_is_told_once() -> None:
    stack = a_platform().set("tpu_slices", 0, slices=500, topology="3x4")
    assert [finding.rule for finding in stack.findings()] == ["topology-exists"]


_OPEN = "control-plane-is-closed"
"""What a user sees of a stack that anybody may reach: only `prod` knows from where its users come."""
_WARNED = {
    "prod": [],
    # GKE's page about multislice on Autopilot names the older version, its page about TPUs there the newer one.
    "multislice-autopilot": [_OPEN, "autopilot-tpu-version"],
    # The stack's own page and docs/policies.md say why both stay.
    "training": [_OPEN, "queued-may-be-refused", "moved-jobsets-can-run"],
}


@pytest.mark.parametrize("name", committed())
def test_a_committed_stack_is_told_no_more_than_is_known(name: str) -> None:
    report = read(given_file(stack_file(name))).report
    assert re.findall(r"\[([-a-z]+)\]", report) == _WARNED.get(name, [_OPEN])
    assert "error" not in report
