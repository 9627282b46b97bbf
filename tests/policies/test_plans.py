"""Whether an update can be limited to a plan: the engine's form of plans, and what the command says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from components.model.facts.engine import UNKNOWN_TEXT
from policies.plans.__main__ import PlanError, main, not_configured_yet

if TYPE_CHECKING:
    from pathlib import Path

_STACK: Final = "urn:pulumi:dev::tpu-platform::"
KUBERNETES: Final = f"{_STACK}tpu-platform:cluster:Cluster$pulumi:providers:kubernetes::dev"
GCP: Final = f"{_STACK}pulumi:providers:gcp::default"
NETWORK: Final = f"{_STACK}gcp:compute/network:Network::dev"


def planned(**differences: dict[str, Any] | None) -> str:
    """A plan of those resources: what changes of the inputs of each, None for one that goes."""
    urns = {"kubernetes": KUBERNETES, "gcp": GCP, "network": NETWORK}
    goals = {urns[name]: None if each is None else {"inputDiff": each} for name, each in differences.items()}
    return json.dumps({"resourcePlans": {urn: {"goal": goal, "steps": []} for urn, goal in goals.items()}})


@pytest.mark.parametrize(
    "difference",
    [
        {"adds": {"clusterIdentifier": "dev", "kubeconfig": UNKNOWN_TEXT}},
        {"updates": {"kubeconfig": UNKNOWN_TEXT}},
        {"adds": {"exec": {"args": ["--cluster", UNKNOWN_TEXT]}}},
    ],
    ids=["a new cluster", "another cluster", "deep inside"],
)
def test_a_provider_that_is_configured_with_what_is_not_known_is_named(difference: dict[str, Any]) -> None:
    plan = planned(gcp={"adds": {"project": "tpu-sandbox"}}, kubernetes=difference)
    assert not_configured_yet(plan) == ["kubernetes dev"]


@pytest.mark.parametrize(
    "plan",
    [
        planned(gcp={}, kubernetes={}, network={}),
        planned(gcp={"adds": {"project": "tpu-sandbox"}}, kubernetes={"updates": {"kubeconfig": "known"}}),
        planned(network={"adds": {"id": UNKNOWN_TEXT}}),
        planned(kubernetes=None),
    ],
    ids=["nothing changes", "all is known", "a resource is no provider", "a provider goes"],
)
def test_all_others_hold(plan: str) -> None:
    assert not_configured_yet(plan) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "has no resourcePlans"),
        ("{}", "has no resourcePlans"),
        ('{"resourcePlans": {"kubernetes": {}}}', "has a resource in another form"),
        (json.dumps({"resourcePlans": {KUBERNETES: None}}), "has a resource in another form"),
    ],
)
def test_what_is_no_plan_is_refused(text: str, says: str) -> None:
    with pytest.raises(PlanError, match=says):
        not_configured_yet(text)


def test_the_command_tells_those_who_approve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "plan.json"
    file.write_text(planned(kubernetes={"adds": {"kubeconfig": UNKNOWN_TEXT}}))
    assert main([str(file)]) == 1
    assert (
        "> **The update is not limited to its plan.** It creates or replaces what `kubernetes dev`"
        in capsys.readouterr().out
    )
    file.write_text(planned(kubernetes={}))
    assert main([str(file)]) == 0
    assert capsys.readouterr().out == "\n> The update does what the plan contains, or stops.\n"


def test_a_plan_that_cannot_be_read_is_an_error_and_not_an_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "plan.json")]) == 2
    (tmp_path / "plan.json").write_text("{}")
    assert main([str(tmp_path / "plan.json")]) == 2
    assert "plan.json: has no resourcePlans" in capsys.readouterr().err
    (tmp_path / "plan.json").write_text("{}", encoding="utf-16")
    assert main([str(tmp_path / "plan.json")]) == 2
    assert "plan.json:1: it is UTF-16, and must be UTF-8. Save the file as UTF-8." in capsys.readouterr().err
