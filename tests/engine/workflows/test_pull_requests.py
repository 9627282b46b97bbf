"""The commands of the workflows, by the real engine in the simulator and with a double of GitHub's `gh`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from tests.engine.workflows.commands import Checkout, Ran
from tests.engine.workflows.gh import BOT, GitHub
from tests.rehearsal.recorded import CHANGED, busy, dev, record_of
from tests.stacks import PLATFORM_KEY, stack_file

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness import Simulator

SECRET: Final = "hidden-in-the-plan"  # noqa: S105  made up
SMALL: Final = f"""
import pulumi
import pulumi_gcp as gcp

gcp.compute.Network("small", name="small", auto_create_subnetworks=False, description=pulumi.Output.secret("{SECRET}"))
"""
"""A program that is up at once."""
SHARED: Final = """
import pulumi
import pulumi_gcp as gcp

network = gcp.compute.Network("shared", name="shared", auto_create_subnetworks=False)
gcp.filestore.Instance(
    "share",
    name="share",
    tier="ZONAL",
    location="us-south1-a",
    file_shares={"name": "shared", "capacity_gb": pulumi.Config().require_int("capacity")},
    networks=[{"network": network.name, "modes": ["MODE_IPV4"]}],
    labels={"environment": "dev"},
)
"""
"""A program that the stack file says something to, and that needs no cluster."""
MORE: Final = 'gcp.compute.Network("{0}", name="{0}", auto_create_subnetworks=False)\n'


@pytest.fixture
def github(tmp_path: Path) -> GitHub:
    return GitHub(tmp_path / "github.json")


@pytest.fixture
def checkout(simulator: Simulator, github: GitHub, tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "checkout", simulator, github.environment)


@pytest.fixture
def small(checkout: Checkout, tmp_path: Path) -> Checkout:
    """With another program, and a project of its own for it: tests share the simulator and its states."""
    checkout.replace("__main__.py", SMALL)
    named = yaml.safe_load((checkout.path / "Pulumi.yaml").read_text())
    checkout.replace("Pulumi.yaml", yaml.safe_dump({"name": tmp_path.name, "runtime": named["runtime"]}))
    checkout.replace("Pulumi.dev.yaml", "config:\n  gcp:project: tpu-sandbox\n")
    return checkout


def pull_request(checkout: Checkout) -> Ran:
    """The preview, and the comment after it, as of a branch of this repository."""
    checkout.clean()
    preview = checkout.run("pull-request.yml", "preview")
    comment = checkout.run("pull-request.yml", "comment")
    assert not comment.failed, comment.said
    return preview


def without_labels(text: str) -> str:
    """A stack file that breaks a policy of its owners."""
    document: dict[str, Any] = yaml.safe_load(text)
    document["config"][PLATFORM_KEY]["labels"] = {}
    return yaml.safe_dump(document, sort_keys=False)


def test_a_sound_change_then_one_that_breaks_a_policy_are_told_in_one_comment(
    checkout: Checkout, github: GitHub
) -> None:
    sound = pull_request(checkout)
    assert not sound.failed, sound.said
    [comment] = github.comments
    assert comment["body"].startswith("<!-- tpu-platform preview-dev -->\n## ")
    assert "> **Passes.**" in comment["body"]
    assert "Commit 0123456 · [log of the run]" in comment["body"]
    assert sound.summary in comment["body"]
    assert (checkout.path / "build/report/dev.html").exists()

    checkout.replace("Pulumi.dev.yaml", without_labels(stack_file("dev")))
    broken = pull_request(checkout)
    assert broken.failed
    [edited] = github.comments
    assert edited["id"] == comment["id"]
    comment = edited
    assert "> **Does not pass: 1 mandatory policy is broken" in comment["body"]
    assert broken.summary in comment["body"]


def test_with_a_record_the_comment_says_what_a_change_does_to_those_who_queue(
    checkout: Checkout, github: GitHub
) -> None:
    checkout.replace("traces/dev.jsonl", record_of(busy()))
    checkout.commit()
    checkout.replace("Pulumi.dev.yaml", dev(CHANGED))
    checkout.commit()
    pull_request(checkout)
    [comment] = github.comments
    assert "### Those who queue\n" in comment["body"]
    assert "before is HEAD^1:Pulumi.dev.yaml" in comment["body"].replace("\\", "")
    assert "- applied waits 48 min 31 s longer in the median (0 s before, 48 min 31 s after)" in comment["body"]
    assert "both admit 6, 6 of them in the same flavor" in comment["body"]


def test_a_preview_that_cannot_begin_is_told_too(checkout: Checkout, github: GitHub) -> None:
    checkout.replace("Pulumi.dev.yaml", "config: [")
    preview = pull_request(checkout)
    assert preview.failed
    [comment] = github.comments
    assert "> **Does not pass: the preview failed before policies could check it.**" in comment["body"]
    assert "invalid YAML file" in comment["body"]


def test_a_job_that_ended_before_its_report_leaves_a_comment_that_says_so(checkout: Checkout, github: GitHub) -> None:
    assert not checkout.run("pull-request.yml", "comment").failed
    assert "preview-dev: there is no report" in github.comments[0]["body"]


def test_the_comment_of_an_environment_is_found_among_all_others(checkout: Checkout, github: GitHub) -> None:
    marker = "<!-- tpu-platform preview-dev -->"
    github.add("comments", body=f"{marker}\nPasses, says somebody.")
    github.add("comments", BOT, body="<!-- tpu-platform preview-dev-2 -->\nAnother environment")
    github.add("comments", BOT, body=f"See this: {marker}")
    for number in range(100):
        github.add("comments", body=f"remark {number}")
    before = github.comments
    for _ in range(2):
        assert not checkout.run("pull-request.yml", "comment").failed
    *others, mine = github.comments
    assert others == before
    assert (mine["user"]["login"], mine["body"].splitlines()[0]) == (BOT, marker)


def test_an_issue_is_open_while_there_is_drift(checkout: Checkout, github: GitHub) -> None:
    github.add("issues", title="Mine", body="<!-- tpu-platform drift-dev -->\nmine")
    github.add("issues", BOT, title="Another", body=None)
    before = github.issues

    def drifted(code: int, report: str) -> None:
        folder = checkout.path / "build/drift"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "dev.md").write_text(report)
        (folder / "dev.code").write_text(f"{code}\n")
        issue = checkout.run("drift.yml", "issue")
        assert not issue.failed, issue.said

    drifted(0, "## Nothing\n")
    assert github.issues == before
    drifted(1, "## Drift\n")
    drifted(1, "## Less\n")
    *_, opened = github.issues
    footer = "<sub>[log of the run](https://github.example/octo/platform/actions/runs/42)</sub>\n"
    assert (opened["title"], opened["state"]) == ("Drift of dev", "open")
    assert opened["body"] == f"<!-- tpu-platform drift-dev -->\n## Less\n\n{footer}"
    drifted(0, "## Nothing\n")
    drifted(1, "## Drift\n")
    assert [each["state"] for each in github.issues[2:]] == ["closed", "open"]
    assert github.issues[:2] == before


def with_capacity(small: Checkout, gibibytes: int) -> None:
    """A commit in which the share has that size."""
    stated = {"gcp:project": "tpu-sandbox", "capacity": gibibytes}
    small.replace("Pulumi.dev.yaml", yaml.safe_dump({"config": stated}))
    small.commit()


def test_a_fork_gets_a_report_of_what_it_would_change_in_the_summary(small: Checkout, github: GitHub) -> None:
    small.replace("__main__.py", SHARED)
    small.replace("traces/dev.jsonl", record_of(busy()))
    with_capacity(small, 1024)
    with_capacity(small, 2560)
    simulated = small.run("pull-request.yml", "simulate")
    assert not simulated.failed, simulated.said
    assert "> **Passes.**" in simulated.summary
    assert "- **Resources:** 1 updated; 2 stay as they are." in simulated.summary
    assert "Filestore ZONAL in us-south1 (1,024 GiB before, 2,560 GiB after)" in simulated.summary
    assert "### Those who queue\n\nNo rehearsal: " in simulated.summary
    assert (small.path / "build/report/dev.md").read_text() == simulated.summary
    assert github.comments == []


def test_an_environment_that_a_fork_adds_begins_with_nothing(small: Checkout) -> None:
    stack_file = (small.path / "Pulumi.dev.yaml").read_text()
    (small.path / "Pulumi.dev.yaml").unlink()
    small.commit()
    small.replace("Pulumi.dev.yaml", stack_file)
    small.commit()
    simulated = small.run("pull-request.yml", "simulate")
    assert not simulated.failed, simulated.said
    assert "- **Resources:** 2 created; 0 stay as they are." in simulated.summary


LATER: Final = """
import json

import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes

network = gcp.compute.Network("later", name="later", auto_create_subnetworks=False)
kubernetes.Provider("later", kubeconfig=network.self_link.apply(lambda link: json.dumps({"clusters": [], "of": link})))
"""
"""A program with a provider that is not configured before the first update."""


def test_an_update_that_no_plan_has_right_is_told_as_such_and_goes_without(small: Checkout) -> None:
    small.replace("__main__.py", LATER)
    planned = small.run("deploy-environment.yml", "plan")
    assert not planned.failed, planned.said
    assert (
        "> **The update is not limited to its plan.** It creates or replaces what `kubernetes later`" in planned.summary
    )

    small.replace("__main__.py", f"{LATER}{MORE.format('beside')}")
    updated = small.run("deploy-environment.yml", "up")
    assert not updated.failed, updated.said
    assert "+ 4 created" in updated.said, "more than was planned"


def test_a_plan_is_carried_out_and_afterwards_nothing_changes_and_nothing_drifted(
    small: Checkout, github: GitHub
) -> None:
    planned = small.run("deploy-environment.yml", "plan")
    assert not planned.failed, planned.said
    assert "> **Passes.**" in planned.summary
    assert "> The update does what the plan contains, or stops." in planned.summary
    plan = (small.path / "build/deploy/plan.json").read_text()
    assert len(json.loads(plan)["resourcePlans"]) == 3, "the stack, its provider and the network"
    assert SECRET not in plan, "the secrets provider of the stack encrypts it"

    small.replace("__main__.py", f"{SMALL}{MORE.format('more')}")
    another = small.run("deploy-environment.yml", "up")
    assert another.failed
    assert "more" in another.said, another.said
    small.replace("__main__.py", SMALL)
    again = small.run("deploy-environment.yml", "plan")
    updated = small.run("deploy-environment.yml", "up")
    assert [again.failed, updated.failed] == [False, False], again.said + updated.said

    preview = pull_request(small)
    assert not preview.failed, preview.said
    assert "> **Passes: nothing changes.**" in github.comments[0]["body"]

    refresh = small.run("drift.yml", "refresh")
    assert not refresh.failed, refresh.said
    assert "**Nothing drifted.**" in refresh.summary
    issue = small.run("drift.yml", "issue")
    assert not issue.failed, issue.said
    assert "No issue is open about the drift of dev." in issue.said
    assert github.issues == []
