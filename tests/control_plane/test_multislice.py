"""The multislice stack from its first preview to its last trace, by the targets that the README names.

The tests are one story in the order of the file: each finds the stack as the one before it left it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import pytest

from components.kubeapi.documents import Document, is_true, section
from components.kubeapi.jobs import NODES, is_finished
from components.kubeapi.owners import JOBSETS, PODS
from components.model.facts import gke
from tests.control_plane.life import (
    Life,
    admissions_of,
    assert_destroy_leaves_nothing,
    assert_no_secret_in_clear,
    assert_nothing_to_change,
    assert_preview_was_complete,
)
from tests.control_plane.ports import assert_closed
from tests.harness import Simulator, project_with
from tests.stacks import stack_file
from tests.timelines import steps_of
from tpu.watch.record import read_record
from tpu.watch.timeline import entries_of, peak

if TYPE_CHECKING:
    from pathlib import Path

    from tests.control_plane.admissions import Admissions

STACK = "multislice"
QUEUE = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/cluster-queue"
JOBS = ["multislice-3slice", "multislice-2slice", "multislice-1slice", "low-priority"]
CHIPS = {"multislice-3slice": 24, "multislice-2slice": 16, "multislice-1slice": 8, "low-priority": 8}
_DAY = 86400


class Run(NamedTuple):
    """What the first commands on the stack did."""

    life: Life
    admissions: Admissions

    @property
    def timeline(self) -> str:
        """What bringing up and watching the jobs printed."""
        return self.life.followed.out


@pytest.fixture(scope="module")
def run(simulator: Simulator) -> Run:
    """The stack previewed; then brought up from nothing and followed to its end, with every admission watched."""
    before = simulator.previewed(STACK)
    simulator.run("down")
    assert not simulator.home.root.exists(), "the preview has made nothing"
    with admissions_of(simulator) as admissions:
        done = simulator.make("up", f"STACK={STACK}")
        return Run(Life(STACK, simulator, before, up=done, followed=done), admissions)


def test_make_up_follows_the_stack_to_its_end(run: Run) -> None:
    assert "4 jobs: 4 finished" in run.timeline
    assert "   time  chips  job" in run.timeline
    assert "at most 24 chips were admitted at one moment" in run.timeline
    assert f"the same as pictures: build/timeline/{STACK}.html" in run.timeline


def test_the_first_preview_shows_every_object_with_its_values(run: Run) -> None:
    assert_preview_was_complete(run.life)
    flavors = run.life.planned("cluster-queue")["spec"]["resourceGroups"][0]["flavors"]
    assert flavors == [{"name": "vlp-24", "resources": [{"name": "google.com/tpu", "nominalQuota": "24"}]}]
    assert run.life.planned("multislice-3slice")["spec"]["replicatedJobs"][0]["replicas"] == 3
    pool = run.life.planned("nodepool2")
    assert pool["placementPolicy"].items() >= {"type": "COMPACT", "tpuTopology": "2x4"}.items()
    assert pool["nodeCount"] == 2


def test_no_more_chips_than_the_quota_are_admitted_at_any_moment(run: Run) -> None:
    assert run.admissions.peak() == 24


def test_3slice_runs_alone_then_the_two_smaller_ones_together_then_low_priority(run: Run) -> None:
    seen = run.admissions.together()
    assert seen[0] == {"multislice-3slice"}
    assert {"multislice-2slice", "multislice-1slice"} in seen
    assert seen[-1] == {"low-priority"}
    assert not any("multislice-3slice" in jobs and len(jobs) > 1 for jobs in seen)


def test_a_job_that_waits_says_so_with_kueues_own_reason(run: Run) -> None:
    short_of = {"multislice-2slice": 16, "multislice-1slice": 8}
    for job, chips in short_of.items():
        assert re.search(
            rf"{job} +waits: couldn't assign flavors to pod set slice: insufficient unused quota for google.com/tpu in "
            rf"flavor vlp-24, {chips} more needed",
            run.timeline,
        )


def test_every_slice_sits_on_the_two_hosts_of_one_node_pool(run: Run, simulator: Simulator) -> None:
    del run
    api = simulator.api()
    pools = {node["metadata"]["name"]: node["metadata"]["labels"][gke.LABEL_NODE_POOL] for node in api.items(NODES)}
    slices: dict[tuple[str, str], set[str]] = {}
    for pod in api.items(f"{PODS.removesuffix('/pods')}/namespaces/default/pods"):
        labels = pod["metadata"]["labels"]
        key = (labels[gke.LABEL_JOBSET_NAME], labels["jobset.sigs.k8s.io/job-index"])
        slices.setdefault(key, set()).add(pod["spec"]["nodeName"])
    assert len(slices) == 3 + 2 + 1 + 1
    for nodes in slices.values():
        assert len(nodes) == 2
        assert len({pools[node] for node in nodes}) == 1


def test_all_jobs_complete_and_the_timeline_agrees(run: Run, simulator: Simulator) -> None:
    api = simulator.api()
    jobs = api.items(JOBSETS)
    assert sorted(job["metadata"]["name"] for job in jobs) == sorted(JOBS)
    assert all(is_finished(job) and is_true(job, "Completed") for job in jobs)
    found = entries_of(read_record(api))
    assert peak(found) == 24
    assert sum(entry.chips for entry in found) == 0
    assert "at most 24 chips were admitted at one moment" in run.timeline


def test_the_table_of_pods_shows_each_with_its_node_pool(run: Run) -> None:
    table = run.timeline[run.timeline.index("NODE POOL") :].splitlines()[1:]
    placed = [line.split() for line in table if line.startswith(tuple(JOBS))]
    assert len(placed) == 2 * (3 + 2 + 1 + 1)
    assert {line[-1] for line in placed} == {"nodepool1", "nodepool2", "nodepool3"}
    assert {line[2] for line in placed} == {"Completed"}


def test_kubectl_logs_would_show_the_device_count(run: Run, simulator: Simulator) -> None:
    del run
    api = simulator.api()
    for pod in api.items("/api/v1/namespaces/default/pods"):
        metadata = pod["metadata"]
        text = api.text(f"/api/v1/namespaces/default/pods/{metadata['name']}/log")
        chips = CHIPS[metadata["labels"][gke.LABEL_JOBSET_NAME]]
        assert text == f"Global device count: {chips}\n"


def test_a_second_preview_and_a_refresh_find_nothing(run: Run) -> None:
    assert_nothing_to_change(run.life)


def test_a_quota_edited_behind_pulumis_back_is_drift_and_is_repaired(run: Run, simulator: Simulator) -> None:
    del run
    api = simulator.api()
    spec = api.get(QUEUE)["spec"]
    spec["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"] = "16"
    api.merge(QUEUE, {"spec": spec})
    shown = simulator.pulumi("refresh", "--yes", "--skip-preview", "--diff", "--stack", STACK)
    assert re.search(r'nominalQuota: "24" => "16"', shown.out)
    assert simulator.preview_steps(STACK) == {"cluster-queue": "update"}
    simulator.up(STACK)
    amounts = api.get(QUEUE)["spec"]["resourceGroups"][0]["flavors"][0]["resources"]
    assert amounts == [{"name": "google.com/tpu", "nominalQuota": "24"}]


def test_a_node_pool_removed_behind_pulumis_back_is_made_again(run: Run, simulator: Simulator) -> None:
    del run
    client = simulator.client
    name = "projects/tpu-sandbox/locations/us-west4/clusters/multislice-cluster/nodePools/nodepool3"
    operation = client.call("cloud.delete", name=name)
    assert client.call("cloud.wait", operation=operation["name"], seconds=60)["error"] is None
    shown = simulator.pulumi("refresh", "--yes", "--skip-preview", "--stack", STACK)
    assert re.search(r"NodePool nodepool3.*deleted", shown.out)
    assert simulator.preview_steps(STACK) == {"nodepool3": "create"}
    simulator.up(STACK)
    pools = [section(node, "metadata", "labels").get(gke.LABEL_NODE_POOL) for node in simulator.api().items(NODES)]
    assert pools.count("nodepool3") == 2


def test_another_topology_replaces_that_pool_and_nothing_else_in_the_cloud(
    run: Run, simulator: Simulator, tmp_path: Path
) -> None:
    del run
    text = stack_file(STACK)
    slices = "- {name: nodepool, slices: 3, machine_type: ct5lp-hightpu-4t, topology: 2x4, zone: us-west4-a}"
    changed = text.replace(
        slices,
        "- {name: nodepool1, machine_type: ct5lp-hightpu-4t, topology: 2x4, zone: us-west4-a}\n"
        "      - {name: nodepool2, machine_type: ct5lp-hightpu-4t, topology: 2x4, zone: us-west4-a}\n"
        "      - {name: nodepool3, machine_type: ct5lp-hightpu-4t, topology: 4x4, zone: us-west4-a}",
    )
    for old, new in (("slices: 3\n", "slices: 2\n"), ("class: on-demand, chips: 24}", "class: on-demand, chips: 32}")):
        assert changed.count(old) == 1
        changed = changed.replace(old, new)
    assert changed.count("topology: 4x4") == 1
    elsewhere = Simulator(simulator.home, project_with(tmp_path / "project", {STACK: changed}))
    cloud = {
        (step["urn"].rpartition("::")[2], step["op"])
        for step in elsewhere.previewed(STACK)
        if "gcp:" in step["urn"] and step["op"] not in ("same", "create-replacement", "delete-replaced")
    }
    assert cloud == {("nodepool3", "replace")}


def test_no_secret_stands_in_clear_in_the_state_or_a_log(run: Run) -> None:
    assert_no_secret_in_clear(run.life)


def test_ports_are_on_loopback_and_answer_nobody_without_a_credential(run: Run, simulator: Simulator) -> None:
    del run
    assert_closed(simulator, "kueue", "jobset")


def test_a_day_of_sleep_is_skipped_and_seen_as_a_day(run: Run, simulator: Simulator) -> None:
    del run
    simulator.api().create("/apis/batch/v1/namespaces/default/jobs", _sleeper(_DAY))
    done = simulator.run("exec", "--speed=auto", "--", "python", "-m", "tpu.watch", "--stack", STACK, "--until-settled")
    steps = {step.what: step.time for step in steps_of(done.out) if step.job == "sleeper"}
    slept = steps["finished"] - steps["1 pod placed"]
    assert _DAY <= slept + 10 <= _DAY + 60, "stamps have whole seconds, of ten simulated ones each"
    assert (
        "times are simulated; each may be up to 10 s off, because the API server keeps whole real seconds" in done.out
    )


def test_destroy_and_down_leave_no_process_port_or_file(run: Run) -> None:
    assert_destroy_leaves_nothing(run.life, by_make=True)


def test_an_update_that_is_refused_starts_no_control_plane(simulator: Simulator, tmp_path: Path) -> None:
    text = stack_file(STACK).replace("topology: 2x4, zone", "topology: 3x4, zone")
    refused = Simulator(simulator.home, project_with(tmp_path / "project", {STACK: text}))
    assert "topology" in refused.up(STACK, code=1).text
    assert not simulator.home.clusters.exists(), "a cluster that was started and removed leaves this folder"


def _sleeper(seconds: int) -> Document:
    container = {"name": "c", "image": "busybox:1", "command": ["sleep", str(seconds)]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "sleeper"},
        "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [container]}}},
    }
