"""What counts as drift, of streams in the form of a refresh by the real engine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from policies.drift.__main__ import main
from policies.report.markdown import CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

POOL: Final = "gcp:container/nodePool:NodePool"
JOBSET: Final = "kubernetes:jobset.x-k8s.io/v1alpha2:JobSet"
JOB: Final = "kubernetes:batch/v1:Job"
QUEUE: Final = "kubernetes:kueue.x-k8s.io/v1beta2:ClusterQueue"
QUEUED: Final = {"labels": {"kueue.x-k8s.io/queue-name": "research"}}
POD: Final = "spec.replicatedJobs[0].template.spec.template"
SCALES: Final = "the cluster autoscaler sets it"
SUSPENDS: Final = "Kueue suspends and resumes workloads"
ADDS: Final = "Kueue adds what the flavors of an admitted workload require"
SELECTED: Final = 'spec.nodeSelector["cloud.google.com/gke-tpu-topology"]'
PODSET: Final = 'metadata.labels["kueue.x-k8s.io/podset"]'


def moved(
    type_: str, declared: dict[str, Any], there: dict[str, Any] | None, *paths: str, name: str = "it"
) -> dict[str, Any]:
    """What a refresh tells of a resource that changed, or that is gone."""
    urn = f"urn:pulumi:dev::tpu-platform::{type_}::{name}"
    detailed = {path: {"diffKind": "update", "inputDiff": True} for path in paths} or None
    found = None if there is None else {"inputs": there, "custom": True}
    metadata = {
        "op": "delete" if there is None else "update",
        "urn": urn,
        "type": type_,
        "old": {"inputs": declared, "custom": True},
        "new": found,
        "detailedDiff": detailed,
    }
    begun = {**metadata, "op": "refresh"}
    return {"resourcePreEvent": {"metadata": begun}, "resOutputsEvent": {"metadata": metadata}}


def same(type_: str, name: str) -> dict[str, Any]:
    told = moved(type_, {}, {}, name=name)["resOutputsEvent"]["metadata"]
    return {"resOutputsEvent": {"metadata": {**told, "op": "same"}}}


class Refresh:
    """Runs the command over a stream."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._folder = folder
        self._capsys = capsys
        self.error = ""

    def __call__(self, events: Iterable[Mapping[str, Any]], code: int, result: str = "succeeded") -> str:
        """The page, or nothing."""
        lines = [json.dumps(event) for each in events for event in ({key: value} for key, value in each.items())]
        stream = self._folder / "events"
        stream.write_text("\n".join([*lines, json.dumps({"summaryEvent": {"result": result}})]))
        assert main([str(stream), "--stack", "dev"]) == code
        printed = self._capsys.readouterr()
        self.error = printed.err
        return printed.out


@pytest.fixture
def refresh(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Refresh:
    return Refresh(tmp_path, capsys)


def pool(**more: object) -> dict[str, Any]:
    return {"nodeCount": 0, "initialNodeCount": 0, **more}


def jobset(**spec: object) -> dict[str, Any]:
    return {
        "metadata": QUEUED,
        "spec": {"replicatedJobs": [{"template": {"spec": {"template": {"spec": {}}}}}], **spec},
    }


def test_nothing_moved(refresh: Refresh) -> None:
    assert "**Nothing drifted.**" in refresh([same(POOL, "a"), same(QUEUE, "b")], 0)


EXPECTED: Final = {
    "the count of an autoscaled pool": (
        moved(POOL, pool(autoscaling={"maxNodeCount": 2}), pool(nodeCount=2), "nodeCount", "initialNodeCount"),
        [f"| NodePool `it` | `initialNodeCount` | {SCALES} |", f"| NodePool `it` | `nodeCount` | {SCALES} |"],
    ),
    "a run that Kueue let go": (
        moved(JOBSET, jobset(suspend=True), jobset(suspend=False), "spec.suspend"),
        [f"| JobSet `it` | `spec.suspend` | {SUSPENDS} |"],
    ),
    "a run that Kueue suspended": (
        moved(JOB, {"metadata": QUEUED, "spec": {}}, {}, "spec.suspend"),
        [f"| Job `it` | `spec.suspend` | {SUSPENDS} |"],
    ),
    "what an admitted JobSet is given": (
        moved(JOBSET, jobset(), jobset(), *(f"{POD}.{part}" for part in (SELECTED, "spec.tolerations[0]", PODSET))),
        [f"| JobSet `it` | `{POD}.{part}` | {ADDS} |" for part in (PODSET, SELECTED, "spec.tolerations[0]")],
    ),
    "what an admitted Job is given": (
        moved(JOB, {"metadata": QUEUED, "spec": {}}, {}, "spec.template.spec.nodeSelector"),
        [f"| Job `it` | `spec.template.spec.nodeSelector` | {ADDS} |"],
    ),
    "a status": (
        moved(QUEUE, {}, {}, "status.admittedWorkloads"),
        ["| ClusterQueue `it` | `status.admittedWorkloads` | it is status, which nobody declares |"],
    ),
    "a run that its TTL removed": (
        moved(JOBSET, jobset(ttlSecondsAfterFinished=60), None),
        ["| JobSet `it` | gone | it has ended, and ttlSecondsAfterFinished removes it |"],
    ),
}


@pytest.mark.parametrize("what", EXPECTED)
def test_an_expected_difference_is_no_drift_and_is_told_with_its_reason(refresh: Refresh, what: str) -> None:
    event, rows = EXPECTED[what]
    page = refresh([event], 0)
    assert "**Nothing drifted.**" in page
    assert f"<details><summary>Expected: {len(rows)} change" in page
    assert [line for line in page.splitlines() if line.startswith("|")][2:] == rows


DRIFT: Final = {
    "the count of a pool that nobody scales": (moved(POOL, pool(), pool(nodeCount=2), "nodeCount"), "`nodeCount`"),
    "the limits of an autoscaled pool": (
        moved(POOL, pool(autoscaling={"maxNodeCount": 2}), pool(), "autoscaling.maxNodeCount"),
        "`autoscaling.maxNodeCount`",
    ),
    "a quota": (moved(QUEUE, {}, {}, "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota"), "nominalQuota`"),
    "suspended outside of Kueue": (moved(JOB, {"spec": {}}, {}, "spec.suspend"), "`spec.suspend`"),
    "a declared selector that changed": (
        moved(
            JOB,
            {"metadata": QUEUED, "spec": {"template": {"spec": {"nodeSelector": {"a": "1"}}}}},
            {},
            "spec.template.spec.nodeSelector.a",
        ),
        "`spec.template.spec.nodeSelector.a`",
    ),
    "an image": (moved(JOBSET, jobset(), jobset(), f"{POD}.spec.containers[0].image"), "containers[0].image`"),
    "a run without a TTL that is gone": (moved(JOBSET, jobset(), None), "is gone; an update runs it again"),
    "a run with a TTL that somebody changed": (
        moved(JOBSET, jobset(ttlSecondsAfterFinished=60), jobset()),
        "the provider does not say what",
    ),
    "what only begins with the word for what tells what is": (
        moved(QUEUE, {}, {}, "statusOfTheTeam"),
        "`statusOfTheTeam`",
    ),
    "a status that is no object's of a cluster": (moved(POOL, pool(), pool(), "status"), "`status`"),
    "what only begins with the word for suspended": (
        moved(JOBSET, jobset(), jobset(), "spec.suspendedUntil"),
        "`spec.suspendedUntil`",
    ),
    "a queue that is gone": (moved(QUEUE, {}, None), "| ClusterQueue `it` | is gone |"),
    "a change that the provider does not name": (moved(QUEUE, {}, {}), "the provider does not say what"),
}


@pytest.mark.parametrize("what", DRIFT)
def test_the_rest_is_drift(refresh: Refresh, what: str) -> None:
    event, told = DRIFT[what]
    page = refresh([event], 1)
    assert "**1 resource is not as declared.**" in page
    assert told in page


def test_both_in_one_resource(refresh: Refresh) -> None:
    declared = pool(autoscaling={"maxNodeCount": 2}, version="1")
    page = refresh([moved(POOL, declared, pool(nodeCount=2, version="2"), "nodeCount", "version")], 1)
    assert "| NodePool `it` | is not as declared | `version` |" in page
    assert '- version: "1"\n+ version: "2"' in page
    assert "<summary>Expected: 1 change</summary>" in page


def test_programs_read_json(refresh: Refresh, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    declared = pool(autoscaling={"maxNodeCount": 2}, version="1")
    moved_pool = moved(POOL, declared, pool(nodeCount=2, version="2"), "nodeCount", "version", name="a")
    ended = moved(JOBSET, jobset(ttlSecondsAfterFinished=60), None, name="b")
    refresh([moved_pool, ended, moved(QUEUE, {}, None, name="c"), same(QUEUE, "d")], 1)
    assert main([str(tmp_path / "events"), "--format", "json"]) == 1
    of_pool, of_run, of_queue = (
        {"urn": f"urn:pulumi:dev::tpu-platform::{type_}::{name}", "type": type_, "name": name, "op": op}
        for type_, name, op in ((POOL, "a", "update"), (JOBSET, "b", "delete"), (QUEUE, "c", "delete"))
    )
    ttl = "it has ended, and ttlSecondsAfterFinished removes it"
    found = json.loads(capsys.readouterr().out)
    assert found["stack"] == "dev"
    assert sorted(found["drifted"], key=str) == sorted(
        [{**of_pool, "paths": ["version"]}, {**of_queue, "paths": []}], key=str
    )
    assert sorted(found["expected"], key=str) == sorted(
        [{**of_pool, "path": "nodeCount", "why": SCALES}, {**of_run, "why": ttl}], key=str
    )


def test_names_become_no_markup(refresh: Refresh) -> None:
    evil = "<script>|@octocat](x)`\n# h"
    page = refresh([moved(QUEUE, {}, {}, f'metadata.labels["{evil}"]', name=evil)], 1)
    code = r"<script>\|@octocat](x)`\n# h"
    found = [line for line in page.splitlines() if "script" in line or "# h" in line]
    row, diff = found
    assert row == (f'| ClusterQueue `` {code} `` | is not as declared | `` metadata.labels["{code}"] `` |'), (
        "all of it stands in code, in one cell each"
    )
    assert diff == f"@@ update {QUEUE} {code.replace(chr(92) + '|', '|')} @@"
    assert page.partition(diff)[0].endswith("```diff\n")


def test_a_row_names_six_properties_and_counts_the_others(refresh: Refresh) -> None:
    page = refresh([moved(QUEUE, {}, {}, *(f"spec.p{number}" for number in range(8)))], 1)
    assert "`spec.p4`, `spec.p5` and 2 more |\n" in page


def test_a_page_about_drift_says_what_to_do_and_one_without_does_not(refresh: Refresh) -> None:
    assert "> - To restore what is declared: `pulumi up --refresh`.\n> - To keep what is there: " in refresh(
        [moved(QUEUE, {}, None)], 1
    )
    assert "To put back" not in refresh([same(QUEUE, "b")], 0)


def test_the_stack_is_called_as_it_is_told_or_as_its_resources_say(
    refresh: Refresh, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refresh([moved(QUEUE, {}, None)], 1).startswith("## Drift of dev\n")
    page = tmp_path / "page.md"
    for words, name in (((), "dev"), (("--stack", "mine"), "mine")):
        assert main([str(tmp_path / "events"), "--markdown", str(page), *words]) == 1
        assert capsys.readouterr().out == f"1 resource is not as declared. See {page}\n"
        assert page.read_text(encoding="utf-8").startswith(f"## Drift of {name}\n")


def test_thousands_of_resources_fit_into_an_issue(refresh: Refresh) -> None:
    events = [moved(QUEUE, {"spec": "x" * 500}, {}, "spec", name=f"queue-{number}") for number in range(3000)]
    page = refresh(events, 1)
    assert len(page) <= CHARACTERS
    assert "**3000 resources are not as declared.**" in page
    rows = [line for line in page.splitlines() if line.startswith("| ClusterQueue `queue-")]
    assert len(rows) > 2
    assert f"| and {3000 - len(rows):,} more |" in page


def test_a_refresh_that_failed_says_nothing_of_drift(refresh: Refresh) -> None:
    error = {"diagnosticEvent": {"message": "no credentials", "severity": "error"}}
    assert refresh([error, moved(QUEUE, {}, None)], 2, result="failed") == ""
    assert "the refresh failed: no credentials" in refresh.error


def test_what_is_no_stream_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "events"
    file.write_text('{"resOutputsEvent": {}}\n')
    assert main([str(file)]) == 2
    assert "line 1 is not an event of the engine" in capsys.readouterr().err
    assert main([str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.startswith("drift: [Errno 2] No such file or directory: ")
    file.write_text("{}", encoding="utf-16")
    assert main([str(file)]) == 2
    assert capsys.readouterr().err == f"drift: {file}:1: it is UTF-16, and must be UTF-8. Save the file as UTF-8.\n"
