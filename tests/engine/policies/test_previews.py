"""The packs on a program of somebody else, by the real engine, at the very first preview: there is no cluster yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from policies.names import SETTINGS, STACK_ERRORS

if TYPE_CHECKING:
    from tests.engine.policies.conftest import Judged, Lab

OVER = ["quota-within-pools chips"]


def levels(**stated: str) -> dict[str, dict[str, dict[str, str]]]:
    """A configuration with levels by rule (with _ for -)."""
    return {SETTINGS: {"levels": {rule.replace("_", "-"): level for rule, level in stated.items()}}}


@pytest.fixture(scope="module")
def over(lab: Lab) -> Judged:
    return lab.preview("quota")


@pytest.fixture(scope="module")
def late(lab: Lab) -> Judged:
    return lab.preview("late")


@pytest.fixture(scope="module")
def remedied(lab: Lab) -> Judged:
    return lab.preview("totals", config=levels(slice_limits_are_per_zone="remediate"))


def test_a_quota_above_the_chips_fails_the_first_preview(over: Judged) -> None:
    assert over.done.code != 0
    assert over.errors == OVER
    [said] = [each for each in over.violations if each.level == "mandatory"]
    assert said.urn.endswith("kubernetes:kueue.x-k8s.io/v1beta2:ClusterQueue::chips")
    assert said.text.endswith("24 chips are promised, but v5e has 16. Set 16 (2 slices), or declare more slices.")


def test_a_sound_program_passes_and_what_was_open_is_told(lab: Lab) -> None:
    sound = lab.preview("sound", code=0)
    assert sound.errors == []
    assert "LocalQueue chips metadata.namespace is not known yet" in sound.undecided


def test_what_is_not_known_yet_is_not_checked_and_not_said_to_be_kept(late: Judged) -> None:
    assert "NodePool slice-1 placementPolicy.tpuTopology is not known yet" in late.undecided
    assert "quota-within-pools" in late.undecided
    assert STACK_ERRORS not in late.passed


def test_a_policy_whose_rules_are_all_decided_counts_as_kept(lab: Lab) -> None:
    decided = lab.preview("sound", "guardrails", config=levels(controllers_come_first="advisory"), code=0)
    assert "1 of " in decided.undecided
    assert decided.passed == {STACK_ERRORS}


def test_a_value_that_is_not_known_yet_downgrades_no_rule(lab: Lab, late: Judged) -> None:
    assert "can't run policy" not in late.done.text
    mixed = lab.preview("late", config=levels(quota_is_whole_slices="advisory"))
    assert mixed.undecided == late.undecided != ""
    assert {each.level for each in late.violations} <= {"mandatory", "advisory"}


def test_levels_come_from_the_configuration(lab: Lab) -> None:
    lenient = lab.preview("quota", config=levels(quota_within_pools="advisory"), code=0)
    assert lenient.errors == []
    assert "quota-within-pools" in [each.policy for each in lenient.violations]


@pytest.mark.parametrize("level", ["advisory", "mandatory", "disabled"])
def test_a_level_that_is_set_for_a_rule_as_for_a_policy_stops_the_preview(lab: Lab, level: str) -> None:
    old = lab.preview("sound", config={"quota-within-pools": level})
    assert old.errors == [f"{SETTINGS} foreign-sound"]
    [said] = [each.text for each in old.violations if each.policy == SETTINGS]
    assert said.endswith(f'as in {{"{SETTINGS}": {{"levels": {{"quota-within-pools": "advisory"}}}}}}.')


def test_a_level_for_all_policies_stops_the_preview_with_the_new_form(lab: Lab) -> None:
    old = lab.preview("sound", config={"all": "advisory"})
    assert old.done.code != 0
    assert f"the level of {SETTINGS} must stay remediate" in old.done.text
    assert "Set levels by rule" in old.done.text


def test_a_level_of_no_rule_stops_the_preview(lab: Lab) -> None:
    unknown = lab.preview("sound", config=levels(quota_within_pool="advisory"))
    assert unknown.errors == [f"{SETTINGS} foreign-sound"]
    assert any("Did you mean quota-within-pools?" in each.text for each in unknown.violations)


def test_settings_that_mean_nothing_stop_the_preview(lab: Lab) -> None:
    unknown = lab.preview("sound", config={SETTINGS: {"generations": ["v9"]}})
    assert f"{SETTINGS} foreign-sound" in unknown.errors
    ill_typed = lab.preview("sound", config={SETTINGS: {"regions": "us-west4"}})
    assert ill_typed.done.code != 0
    assert "regions: Invalid type" in ill_typed.done.text


def test_three_packs_say_together_what_the_whole_one_says(lab: Lab, over: Judged) -> None:
    three = lab.preview("quota", "topology", "quota", "guardrails")
    assert three.errors == over.errors


def test_a_queue_named_in_an_annotation_is_made_a_label(lab: Lab) -> None:
    rule = "queue-is-a-label-of-the-run"
    assert lab.preview("annotation").errors == [f"{rule} train"]
    remedied = lab.preview("annotation", config={SETTINGS: {"levels": {rule: "remediate"}}}, code=0)
    assert remedied.errors == []
    assert remedied.remedied["train"]["metadata"]["labels"] == {"kueue.x-k8s.io/queue-name": "chips"}


def test_a_queue_beside_the_release_of_its_controller_fails_and_passes_after_it(lab: Lab) -> None:
    beside = lab.preview("beside")
    assert beside.errors == ["controllers-come-first chips"]
    assert STACK_ERRORS not in beside.passed
    assert lab.preview("first", code=0).errors == []


def test_nothing_is_remedied_by_itself(lab: Lab) -> None:
    as_it_is = lab.preview("totals")
    assert set(as_it_is.errors) == {"slice-limits-are-per-zone slice-1", "slice-limits-are-per-zone slice-2"}
    assert as_it_is.remedied == {}


def test_a_remedy_changes_what_is_created(remedied: Judged) -> None:
    assert remedied.errors == []
    assert set(remedied.remedied) == {"slice-1", "slice-2"}
    created = {
        event["resourcePreEvent"]["metadata"]["urn"].rpartition("::")[2]: event["resourcePreEvent"]["metadata"]["new"]
        for event in remedied.events
        if "resourcePreEvent" in event
    }
    assert created["slice-1"]["inputs"]["autoscaling"] == {
        "__defaults": [],
        "minNodeCount": 0,
        "maxNodeCount": 2,
    }
