"""Reports of five changes of the running stack `dev`, by the real engine on a real cluster; its drift; its workflows.

`UPDATE_GOLDEN=1` writes the reports anew. The stack is brought up as it is committed, and one change is made at last.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from policies.drift.__main__ import main as drift
from policies.report.__main__ import declared_in
from policies.report.contents import report_of
from policies.report.costs import OWN_TABLE, prices_in
from policies.report.events import read_events, read_state
from policies.report.markdown import CHARACTERS
from tests.control_plane.edited import EditedStack, entry
from tests.control_plane.life import take_times
from tests.engine.workflows.commands import Checkout
from tests.eventually import eventually
from tests.golden import assert_golden_text
from tests.policies.report.stream import html_of, markdown_of
from tests.tracked import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.harness import Simulator

GOLDEN: Final = Path(__file__).parent / "golden" / "report"
STACK: Final = "dev"
Platform = dict[str, Any]


def add_a_slice(platform: Platform) -> None:
    entry(platform["tpu_slices"], "v5e-slice")["slices"] = 3


def change_a_topology(platform: Platform) -> None:
    for section in ("tpu_slices", "flavors"):
        for each in platform[section]:
            each["topology"] = "4x4"
    for queue in platform["queues"]:
        for share in queue["flavors"]:
            share.update(chips=16, borrow=16)


def cut_a_quota(platform: Platform) -> None:
    for share in entry(platform["queues"], "applied")["flavors"]:
        share.update(chips=4, borrow=0)


def break_a_policy(platform: Platform) -> None:
    platform["labels"] = {}


def nothing(platform: Platform) -> None:
    del platform


CHANGES: Final[dict[Callable[[Platform], None], str]] = {
    nothing: "> **Passes: nothing changes.**",
    add_a_slice: "> **Passes.**",
    change_a_topology: "> **Does not pass: 2 mandatory policies are broken, 3 times in all.**",
    cut_a_quota: "> **Does not pass: the preview failed before policies could check it.**",
    break_a_policy: "> **Does not pass: 1 mandatory policy is broken, 2 times in all.**",
}
"""What the report of each comes to. `nothing` is first: the others are compared in what it does not have."""
_BETWEEN_GROUPS: Final = "\n\n\n"


@dataclass(frozen=True)
class Running:
    """The stack, brought up, and what it was before any change."""

    stack: EditedStack
    platform: Platform
    state: str
    summary: str
    """Of the plan by which it was brought up."""


@pytest.fixture(scope="module")
def checkout(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return Checkout(tmp_path_factory.mktemp("workflows") / "checkout", simulator)


def deployed(checkout: Checkout) -> str:
    """The summary of the plan that was made and, if an update can be limited to one, carried out."""
    planned = checkout.run("deploy-environment.yml", "plan")
    assert not planned.failed, planned.said
    updated = checkout.run("deploy-environment.yml", "up")
    assert not updated.failed, updated.said
    return planned.summary


@pytest.fixture(scope="module")
def running(simulator: Simulator, checkout: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Running:
    stack = EditedStack(simulator, STACK, tmp_path_factory.mktemp("dev") / "project")
    take_times(simulator, idle=86400)  # the slice that came for a run is still there when drift is looked for
    summary = deployed(checkout)
    return Running(stack, stack.read(), json.dumps(stack.simulator.state(STACK)), summary)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_report_of_a_change(running: Running, change: Callable[[Platform], None]) -> None:
    platform = json.loads(json.dumps(running.platform))
    change(platform)
    running.stack.write(platform)
    packs = ("--policy-pack", str(ROOT / "policies/all"))
    config = ("--policy-pack-config", str(ROOT / f"policies/config/all.{STACK}.json"))
    done = running.stack.simulator.pulumi("preview", "--json", "--stack", STACK, *packs, *config, code=None)
    report = report_of(
        read_events(done.out.splitlines()),
        read_state(running.state),
        prices_in(OWN_TABLE),
        STACK,
        declared_in(running.stack.simulator.project / f"Pulumi.{STACK}.yaml"),
    )
    text = markdown_of(report)
    assert CHANGES[change] in text
    assert (done.code == 0) is report.preview.passes
    assert len(text) <= CHARACTERS
    assert_golden_text(GOLDEN / f"{change.__name__}.md", text if change is nothing else _beside_nothing(text))
    if change is change_a_topology:  # the one with every kind of block
        styles = (ROOT / "policies/report/page.css").read_text(encoding="utf-8")
        assert_golden_text(GOLDEN / f"{change.__name__}.html", html_of(report).replace(styles, ""))


def _beside_nothing(text: str) -> str:
    """A report with the heading alone of each group that is the same where nothing changes."""
    same = (GOLDEN / "nothing.md").read_text(encoding="utf-8").split(_BETWEEN_GROUPS)
    groups = text.split(_BETWEEN_GROUPS)
    return _BETWEEN_GROUPS.join(group.splitlines()[0] if group in same else group for group in groups)


def test_a_platform_that_is_not_there_yet_is_deployed_without_being_held_to_a_plan(running: Running) -> None:
    assert (
        "> **The update is not limited to its plan.** It creates or replaces what `kubernetes dev`" in running.summary
    )


def stack_file_with(running: Running, change: Callable[[Platform], None]) -> str:
    """The committed stack file with a change."""
    platform = json.loads(json.dumps(running.platform))
    change(platform)
    running.stack.write(platform)
    return (running.stack.simulator.project / f"Pulumi.{STACK}.yaml").read_text(encoding="utf-8")


def test_a_fork_reads_how_many_chips_there_are_and_would_be(running: Running, checkout: Checkout) -> None:
    checkout.commit()
    checkout.replace(f"Pulumi.{STACK}.yaml", stack_file_with(running, add_a_slice))
    checkout.commit()
    simulated = checkout.run("pull-request.yml", "simulate")
    assert not simulated.failed, simulated.said
    assert "- **Resources:** 1 created; 57 stay as they are." in simulated.summary
    assert "- **Chips:** `v5e on-demand` 16 (2 slices) → ▲ **24 (3 slices)**; `v6e" in simulated.summary
    assert "- **Quota:** no change." in simulated.summary


JOBSETS: Final = "/apis/jobset.x-k8s.io/v1alpha2/jobsets"
POOLS: Final = (
    *("gcloud", "container", "node-pools", "list", "--format=json"),
    *("--cluster", STACK, "--location", "us-south1"),
)
QUEUE: Final = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/research"


def drifted(simulator: Simulator, folder: Path) -> tuple[int, str]:
    """What the command says of a refresh, as the nightly workflow runs it."""
    events = folder / "events"
    events.write_text(simulator.pulumi("refresh", "--preview-only", "--json", "--stack", STACK).out)
    code = drift([str(events), "--markdown", str(folder / "drift.md")])
    return code, (folder / "drift.md").read_text(encoding="utf-8")


def test_work_that_ran_and_pools_that_grew_are_no_drift_and_an_edited_quota_is(
    running: Running, tmp_path: Path
) -> None:
    simulator = running.stack.simulator
    api = simulator.api()
    eventually(
        lambda: {each.get("status", {}).get("terminalState") for each in api.items(JOBSETS)} == {"Completed"},
        seconds=300,
    )
    pools = {each["metadata"]["labels"].get("cloud.google.com/gke-nodepool", "") for each in api.items("/api/v1/nodes")}
    assert any(pool.startswith("v6e-flex") for pool in pools), "the autoscaler brought a slice for the last of them"
    assert drifted(simulator, tmp_path) == (0, "## Drift of dev\n\n> [!TIP]\n> **Nothing drifted.**\n")

    groups = api.get(QUEUE)["spec"]["resourceGroups"]
    groups[0]["flavors"][0]["resources"][0]["nominalQuota"] = "4"
    api.merge(QUEUE, {"spec": {"resourceGroups": groups}})
    code, page = drifted(simulator, tmp_path)
    assert code == 1
    assert "**1 resource is not as declared.**" in page
    path = "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota"
    assert f"| ClusterQueue `research` | is not as declared | `{path}` |" in page
    assert f'- {path}: "8"\n+ {path}: "4"' in page
    groups[0]["flavors"][0]["resources"][0]["nominalQuota"] = "8"
    api.merge(QUEUE, {"spec": {"resourceGroups": groups}})


def test_a_change_of_what_runs_is_held_to_its_plan(running: Running, checkout: Checkout) -> None:
    checkout.replace(f"Pulumi.{STACK}.yaml", stack_file_with(running, add_a_slice))
    summary = deployed(checkout)
    assert "- **Chips:** `v5e on-demand` 16 (2 slices) → ▲ **24 (3 slices)**; `v6e" in summary
    assert "> The update does what the plan contains, or stops." in summary
    pools = {each["name"] for each in json.loads(running.stack.simulator.run(*POOLS).out)}
    assert "v5e-slice3" in pools
