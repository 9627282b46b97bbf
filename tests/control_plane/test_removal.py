"""What an update removes while others use it: refused, kept or warned of, with jobs that the stack does not know.

The stack is `dev` without work of its own. Its queues hold, so that the jobs of users wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from components.kubeapi.documents import Document, is_true
from components.kubeapi.jobs import WORKLOADS
from components.kubeapi.owners import JOBSETS
from components.manifests.namespace import DELETED
from components.model.facts import gke
from tests.control_plane.edited import EditedStack, entry
from tests.eventually import eventually

if TYPE_CHECKING:
    from components.kubeapi import Api
    from tests.harness import Done, Simulator

_STACK: Final = "dev"
_SECONDS: Final = 120.0
_TEAM: Final = "applied"
_OTHERS: Final = "research"
_NEW: Final = "team-b"
_NAMESPACES: Final = "/api/v1/namespaces"
_RULE: Final = "[removal-takes-nothing-of-others]"


class Team:
    """The stack, the platform that each test begins with, and users who submit to its queues."""

    def __init__(self, stack: EditedStack) -> None:
        """Bring the stack up without work, with queues that admit nothing."""
        self.stack = stack
        whole = stack.read()
        self.open: dict[str, Any] = {**whole, "workloads": []}
        self.base: dict[str, Any] = {**self.open, "queues": [{**each, "stop": "hold"} for each in whole["queues"]]}
        self.up(self.base)

    @property
    def api(self) -> Api:
        """The cluster, as users reach it."""
        return self.stack.simulator.api()

    def up(self, platform: dict[str, Any]) -> Done:
        """Let the stack be this."""
        self.stack.write(platform)
        return self.stack.up()

    def previewed(self, platform: dict[str, Any]) -> Done:
        """What a preview of this says, refused or not."""
        self.stack.write(platform)
        return self.stack.simulator.pulumi("preview", "--stack", _STACK, code=None)

    def refused(self, platform: dict[str, Any]) -> str:
        """What the refusal of this says; the update is refused as the preview is."""
        done = self.previewed(platform)
        assert done.code != 0, done.text
        assert _RULE in done.text, done.text
        assert _RULE in self.stack.up(code=None).text
        return " ".join(done.text.split())

    def submit(self, path: str, document: Document) -> str:
        """The path of an object that a user makes."""
        self.api.create(path, document)
        return f"{path}/{document['metadata']['name']}"

    def job(self, name: str, queue: str, namespace: str) -> str:
        """The path of a Job of a user that waits in a queue."""
        path = self.submit(f"/apis/batch/v1/namespaces/{namespace}/jobs", _job(name, queue, namespace))
        eventually(lambda: self._is_queued(name), what=f"Kueue knows {name}", seconds=_SECONDS)
        return path

    def _is_queued(self, name: str) -> bool:
        found = (owner for each in self.api.items(WORKLOADS) for owner in each["metadata"].get("ownerReferences", ()))
        return any(owner["name"] == name for owner in found)

    def jobset(self, name: str) -> str:
        """The path of a JobSet of a user that waits in the queue of the team."""
        path = JOBSETS.replace("/jobsets", f"/namespaces/{_TEAM}/jobsets")
        made = self.submit(path, _jobset(name))
        eventually(lambda: self._is_queued(name), what=f"Kueue knows {name}", seconds=_SECONDS)
        return made

    def remove(self, *paths: str) -> None:
        """Delete what a user made, and wait until it is gone with all that belonged to it."""
        for path in paths:
            self.api.delete(path, {"propagationPolicy": "Foreground", "gracePeriodSeconds": 0})
            eventually(
                lambda path=path: self.api.find(path), lambda it: it is None, what=f"{path} goes", seconds=_SECONDS
            )


@pytest.fixture(scope="module")
def team(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Team:
    """The stack, up."""
    return Team(EditedStack(simulator, _STACK, tmp_path_factory.mktemp("removal") / "project"))


def _slice(name: str, namespace: str, queue: str) -> Document:
    return {"name": name, "namespace": namespace, "labels": {gke.LABEL_QUEUE_NAME: queue}}


def _job_spec() -> Document:
    """Of a Job of one slice."""
    container = {
        "name": "train",
        "image": "busybox:1.36",
        "command": ["sh", "-c", "sleep 20"],
        "resources": {"limits": {gke.RESOURCE_TPU: 4}},
    }
    nodes = {gke.LABEL_TPU_ACCELERATOR: "tpu-v5-lite-podslice", gke.LABEL_TPU_TOPOLOGY: "2x4"}
    pod = {"restartPolicy": "Never", "nodeSelector": nodes, "containers": [container]}
    return {
        "parallelism": 2,
        "completions": 2,
        "completionMode": "Indexed",
        "backoffLimit": 0,
        "template": {"spec": pod},
    }


def _job(name: str, queue: str, namespace: str) -> Document:
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": _slice(name, namespace, queue), "spec": _job_spec()}


def _jobset(name: str) -> Document:
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": _slice(name, _TEAM, _TEAM),
        "spec": {"replicatedJobs": [{"name": "slice", "replicas": 1, "template": {"spec": _job_spec()}}]},
    }


def _changed(platform: dict[str, Any], queue: str, **values: object) -> dict[str, Any]:
    """The platform with keys of a queue changed."""
    return {
        **platform,
        "queues": [{**each, **values} if each["name"] == queue else each for each in platform["queues"]],
    }


def _without(platform: dict[str, Any], queue: str) -> dict[str, Any]:
    """The platform without a queue and without claims in its namespace."""
    share = platform["shared_storage"][0]
    claims = [claim for claim in share["claims"] if claim["namespace"] != queue]
    return {
        **platform,
        "queues": [each for each in platform["queues"] if each["name"] != queue],
        "shared_storage": [{**share, "claims": claims}],
    }


def test_a_local_queue_in_which_a_job_waits_is_not_removed(team: Team) -> None:
    kept = entry(team.base["queues"], _OTHERS)["local_queues"]
    team.up(_changed(team.base, _OTHERS, local_queues=[*kept, {"name": "extra", "namespace": _OTHERS}]))
    mine = team.job("mine", "extra", _OTHERS)
    told = team.refused(team.base)
    assert f"LocalQueue {_OTHERS}/extra would be removed, and others use it: Job {_OTHERS}/mine." in told
    assert "queues[0].local_queues" in told
    team.remove(mine)
    team.up(team.base)
    path = f"/apis/kueue.x-k8s.io/v1beta2/namespaces/{_OTHERS}/localqueues/extra"
    assert team.api.find(path) is None


def test_a_claim_that_a_pod_mounts_is_not_removed(team: Team) -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "reader", "namespace": _TEAM},
        "spec": {
            "nodeSelector": {"none": "such"},
            "containers": [{"name": "read", "image": "busybox:1.36", "command": ["sleep", "60"]}],
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "shared"}}],
        },
    }
    reader = team.submit(f"{_NAMESPACES}/{_TEAM}/pods", pod)
    share = team.base["shared_storage"][0]
    fewer = {**team.base, "shared_storage": [{**share, "claims": share["claims"][:1]}]}
    told = team.refused(fewer)
    assert f"PersistentVolumeClaim {_TEAM}/shared would be removed, and others use it: Pod {_TEAM}/reader." in told
    team.remove(reader)
    team.up(fewer)
    assert team.api.find(f"{_NAMESPACES}/{_TEAM}/persistentvolumeclaims/shared") is None
    team.up(team.base)


def test_a_namespace_outlives_its_queue_with_the_jobs_in_it(team: Team) -> None:
    paths = [team.jobset("first"), team.jobset("second")]
    before = [team.api.get(path)["metadata"]["uid"] for path in paths]
    namespace = team.api.get(f"{_NAMESPACES}/{_TEAM}")["metadata"]["uid"]
    team.up(_changed(team.base, _TEAM, stop="drain"))
    gone = team.up(_without(team.base, _TEAM))
    assert f"LocalQueue {_TEAM}/{_TEAM} would be removed, and others use it" in " ".join(gone.text.split())
    assert f"JobSet {_TEAM}/first and JobSet {_TEAM}/second" in " ".join(gone.text.split())
    assert team.api.find(f"/apis/kueue.x-k8s.io/v1beta2/clusterqueues/{_TEAM}") is None
    assert [team.api.get(path)["metadata"]["uid"] for path in paths] == before
    assert team.stack.steps() == {}

    team.up(team.open)
    assert team.api.get(f"{_NAMESPACES}/{_TEAM}")["metadata"]["uid"] == namespace
    assert [team.api.get(path)["metadata"]["uid"] for path in paths] == before
    admitted = eventually(
        lambda: [each for each in team.api.items(WORKLOADS) if is_true(each, "QuotaReserved")],
        bool,
        what="a job that waited meanwhile is admitted",
        seconds=_SECONDS,
    )
    assert {each["metadata"]["namespace"] for each in admitted} == {_TEAM}
    team.remove(*paths)
    team.up(team.base)


def test_a_namespace_is_deleted_once_nobody_has_anything_in_it(team: Team) -> None:
    allowed = {**team.base, "namespaces": [{"name": _NEW, "delete": True}]}
    team.up(allowed)
    made = team.api.get(f"{_NAMESPACES}/{_NEW}")
    assert DELETED in made["metadata"]["annotations"]
    notes = team.submit(
        f"{_NAMESPACES}/{_NEW}/configmaps",
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "notes", "namespace": _NEW}, "data": {"a": "b"}},
    )
    job = team.submit(
        f"/apis/batch/v1/namespaces/{_NEW}/jobs",
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "mine", "namespace": _NEW},
            "spec": {**_job_spec(), "suspend": True},
        },
    )
    told = team.refused(team.base)
    assert (
        f"the namespace {_NEW} would be deleted with what the stack did not make: ConfigMap {_NEW}/notes and Job "
        f"{_NEW}/mine." in told
    )
    team.remove(notes, job)
    team.up(team.base)
    assert team.api.find(f"{_NAMESPACES}/{_NEW}") is None


def test_kueue_is_not_removed_with_the_workloads_of_others(team: Team) -> None:
    waiting = team.jobset("waiting")
    drained = _changed(_changed(team.base, _TEAM, stop="drain"), _OTHERS, stop="drain")
    team.up(drained)
    without = {name: part for name, part in team.base.items() if name not in ("queues", "cohorts")}
    told = team.refused({**without, "controllers": {"kueue": {"install": False}}})
    assert f"the release kueue would be removed, and others use it: JobSet {_TEAM}/waiting." in told
    assert "all of them would be deleted" in told
    assert team.api.find(waiting) is not None
    team.remove(waiting)
    done = team.previewed({**without, "controllers": {"kueue": {"install": False}}})
    assert done.code == 0, done.text
    team.up(team.base)
