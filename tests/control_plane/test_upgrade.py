"""A platform with work on it is brought from older releases of Kueue and JobSet to the current ones by `pulumi up`.

The tests are one story in the order of the file. What counts is the API server's own record: ids of Workloads and pods,
conditions with the times of their last change, and events.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from components.kubeapi import Api, ApiError, Document
from components.kubeapi.documents import condition, entries, is_true, section
from components.kubeapi.jobs import EVENTS, WORKLOADS, job_of_pod, owner_label
from components.kubeapi.owners import JOBSETS, PODS
from components.model.facts import gke
from components.model.facts.versions import JOBSET, KUEUE
from simulator.toolchain.provision import locate
from simulator.toolchain.tools import CHART, find_tool
from tests.control_plane.edited import entry
from tests.control_plane.kept import keep_as, kept_versions, not_served
from tests.control_plane.life import hurry
from tests.eventually import eventually
from tests.harness import Simulator, project_with
from tests.stacks import GCP_PROJECT, PLATFORM_KEY, a_platform

if TYPE_CHECKING:
    from pathlib import Path

STACK: Final = "small"
OLDER: Final = ("older-jobset", "older-kueue")
QUEUE: Final = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/research"
_CRD: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/jobsets.jobset.x-k8s.io"
_LEASE: Final = "/apis/coordination.k8s.io/v1/namespaces/kueue-system/leases/c1f6bfd2.kueue.x-k8s.io"
_AGO: Final = dt.timedelta(hours=2)
"""How long ago the work was admitted that is found admitted by the new release."""
RUNNING: Final = ("first", "second", "third")
DOING: Final = {"done": "Finished", **dict.fromkeys(RUNNING, "Running"), "patient": "Pending", "next": "Waiting"}
"""The work before the upgrade: of three slices, and of a flex-start slice that does not come soon."""


def _work(name: str, **more: object) -> dict[str, Any]:
    base = {"kind": "jobset", "queue": "research", "flavor": "v5e-2x4", "slices": 1, "priority": "normal"}
    return {"name": name, **base, "image": "registry.example/train:1.0", "script": "sleep 86400", **more}


def _platform() -> dict[str, Any]:
    """Three slices for five JobSets, and a flex-start slice for a Job."""
    shape = {"machine_type": "ct5lp-hightpu-4t", "topology": "2x4", "capacity": "flex-start"}
    patient = _work("patient", kind="tpu-job", flavor="flex", backoff_limit=0)
    del patient["slices"]
    last = _work("next", priority="low")
    done = _work("done", script="sleep 120")  # long enough for its pods to meet
    jobs = [done, *(_work(name) for name in RUNNING), patient, last]
    return (
        a_platform()
        .set("cluster", deletion_protection=False)
        .set("tpu_slices", 0, slices=3)
        .add("tpu_slices", name="flex", slices=1, zone="us-west4-a", max_run_seconds=86400, **shape)
        .add("flavors", name="flex", **shape)
        .add("queues", 0, "flavors", name="flex")
        .set(workloads=jobs)
        .set(controllers={name.removeprefix("older-"): {"version": _version(name)} for name in OLDER})
        .platform
    )


def _version(tool: str) -> str:
    return find_tool(tool).version.removeprefix("v")


@dataclass(frozen=True)
class Seen:
    """What the API server has of the work at one moment."""

    workloads: dict[str, Document]
    """By job."""
    pods: dict[str, dict[str, Any]]
    """By job: what tells each pod from another of its name, and its restarts, by the pod's name."""

    @property
    def admissions(self) -> dict[str, Any]:
        """By job: the Workload's id, what it was given, and since when."""
        return {job: _admission(workload) for job, workload in self.workloads.items()}


def _admission(workload: Document) -> dict[str, Any]:
    conditions = {type_: condition(workload, type_) for type_ in ("QuotaReserved", "Admitted", "Finished", "Evicted")}
    times = {type_: (found.get("status"), found.get("lastTransitionTime")) for type_, found in conditions.items()}
    return {"uid": workload["metadata"]["uid"], "admission": section(workload, "status", "admission"), **times}


def _seen(api: Api) -> Seen:
    pods: dict[str, dict[str, Any]] = {}
    for pod in api.items(PODS):
        job = job_of_pod(pod)
        if job is not None:
            restarts = [each["restartCount"] for each in entries(pod, "status", "containerStatuses")]
            pods.setdefault(job, {})[pod["metadata"]["name"]] = (pod["metadata"]["uid"], restarts)
    return Seen({owner_label(each): each for each in api.items(WORKLOADS)}, pods)


@dataclass
class Upgrade:
    """The platform, and what was seen of it before the update."""

    simulator: Simulator
    before: Seen
    leader: str
    """The process of Kueue that acted before."""
    steps: dict[str, str]
    """What the preview of the upgrade showed, by logical name."""

    @property
    def api(self) -> Api:
        return self.simulator.api()

    def migrate(self, *flags: str, code: int) -> str:
        """What `tpu migrate` prints."""
        return self.simulator.run("exec", "--", "python", "-m", "tpu.migrate", *flags, "--stack", STACK, code=code).out


def _write(project: Path, platform: dict[str, Any]) -> None:
    config = {"gcp:project": GCP_PROJECT, PLATFORM_KEY: platform}
    (project / f"Pulumi.{STACK}.yaml").write_text(yaml.safe_dump({"config": config}, sort_keys=False))


@pytest.fixture(scope="module")
def upgrade(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Upgrade:
    """The platform as older releases left it, upgraded: JobSet's definition by hand, all else by `pulumi up`."""
    locate(OLDER)
    platform = _platform()
    project = project_with(tmp_path_factory.mktemp("upgrade") / "project", {STACK: ""})
    _write(project, platform)
    used = Simulator(simulator.home, project)
    hurry(used, 10, queue=10 * 86400)
    used.up(STACK)
    api = used.api()
    eventually(lambda: _doing(api), lambda now: now == DOING, what="the work before the upgrade", seconds=180)
    _age(api)
    keep_as(used, api, "v1beta1")
    before, leader = _seen(api), _leader(api)
    _write(project, {**platform, "controllers": {each.name: {"version": each.version} for each in (KUEUE, JOBSET)}})
    made = Upgrade(used, before, leader, used.preview_steps(STACK))
    _bring_up_jobsets_definition(used, api)
    used.up(STACK)
    return made


def _doing(api: Api) -> dict[str, str]:
    """By job: the phases of its pods, or what its Workload says where that is over or waits."""
    seen, phases = _seen(api), dict[str, set[str]]()
    for pod in api.items(PODS):
        phases.setdefault(str(job_of_pod(pod)), set()).add(str(section(pod, "status").get("phase")))
    return {
        job: "Finished"
        if is_true(workload, "Finished")
        else " ".join(sorted(phases.get(job, ()))) or ("Admitted" if is_true(workload, "Admitted") else "Waiting")
        for job, workload in seen.workloads.items()
    }


def _age(api: Api) -> None:
    """Let what is admitted have been so for some time, so that every default timeout of an hour or less is over."""
    for workload in api.items(WORKLOADS):
        found = entries(workload, "status", "conditions")
        for each in found:
            before = dt.datetime.fromisoformat(each["lastTransitionTime"]) - _AGO
            each["lastTransitionTime"] = f"{before:%Y-%m-%dT%H:%M:%SZ}"
        metadata = workload["metadata"]
        path = f"{WORKLOADS.replace('workloads', 'namespaces')}/{metadata['namespace']}/workloads/{metadata['name']}"
        api.merge(f"{path}/status", {"status": {"conditions": found}})


def _bring_up_jobsets_definition(simulator: Simulator, api: Api) -> None:
    """As the guide has it: `helm show crds CHART | kubectl apply --server-side --force-conflicts -f -`."""
    chart = locate(["jobset"]).artefact("jobset", CHART)
    definition = yaml.safe_load(simulator.run("exec", "--", "helm", "show", "crds", str(chart)).out)
    api.apply(_CRD, definition, manager="kubectl", force=True)


def test_the_preview_shows_the_two_releases_alone(upgrade: Upgrade) -> None:
    assert upgrade.steps == {"kueue": "update", "jobset": "update"}


def test_the_new_releases_have_taken_over(upgrade: Upgrade) -> None:
    api = upgrade.api

    def images() -> list[str]:
        pods = [pod for name in ("kueue", "jobset") for pod in api.items(f"/api/v1/namespaces/{name}-system/pods")]
        return [pod["spec"]["containers"][0]["image"] for pod in pods]

    new = [f"{each.image}:v{each.version}" for each in (KUEUE, JOBSET)]
    eventually(images, lambda now: now == new, what="no pod of an older release is left")
    eventually(lambda: _leader(api), lambda now: now != upgrade.leader, what="the new Kueue leads", seconds=90)


def _leader(api: Api) -> str:
    """The process of Kueue that acts; another waits until it ends."""
    return str(section(api.get(_LEASE), "spec").get("holderIdentity"))


def test_jobsets_definition_is_that_of_the_new_release(upgrade: Upgrade) -> None:
    chart = locate(["jobset"]).artefact("jobset", CHART)
    (path,) = (chart / "crds").iterdir()
    assert upgrade.api.get(_CRD)["spec"]["versions"] == yaml.safe_load(path.read_text())["spec"]["versions"]


def test_when_room_comes_the_one_that_waited_is_admitted(upgrade: Upgrade) -> None:
    api = upgrade.api
    assert not is_true(_seen(api).workloads["next"], "QuotaReserved")
    platform = yaml.safe_load((upgrade.simulator.project / f"Pulumi.{STACK}.yaml").read_text())["config"][PLATFORM_KEY]
    platform["workloads"].remove(entry(platform["workloads"], "third"))
    _write(upgrade.simulator.project, platform)
    upgrade.simulator.up(STACK)
    eventually(lambda: is_true(_seen(api).workloads["next"], "Admitted"), what="next is admitted", seconds=90)
    assert upgrade.before.workloads["next"]["metadata"]["uid"] == _seen(api).workloads["next"]["metadata"]["uid"]


@pytest.mark.parametrize("job", [*RUNNING[:2], "patient", "done"])
def test_what_was_admitted_stays_as_it_was(upgrade: Upgrade, job: str) -> None:
    now = _seen(upgrade.api)
    assert now.admissions[job] == upgrade.before.admissions[job]
    assert now.admissions[job]["Evicted"] == (None, None)
    assert now.pods[job] == upgrade.before.pods[job]


def test_nothing_was_admitted_twice_or_evicted_by_the_record_of_events(upgrade: Upgrade) -> None:
    names = {each["metadata"]["name"]: job for job, each in upgrade.before.workloads.items()}
    reasons = [
        (names[each["involvedObject"]["name"]], each["reason"])
        for each in upgrade.api.items(EVENTS)
        if each["involvedObject"]["kind"] == "Workload"
    ]
    assert sorted(job for job, reason in reasons if reason == "Admitted") == sorted(names.values())
    assert [each for each in reasons if "Evict" in each[1] or "Preempt" in each[1]] == []


def test_no_jobset_was_started_again(upgrade: Upgrade) -> None:
    restarts = {
        each["metadata"]["name"]: section(each, "status").get("restarts", 0) for each in upgrade.api.items(JOBSETS)
    }
    assert restarts == dict.fromkeys(["done", *RUNNING[:2], "next"], 0)


def test_the_quota_in_use_is_that_of_the_admitted(upgrade: Upgrade) -> None:
    status = eventually(
        lambda: section(upgrade.api.get(QUEUE), "status"),
        lambda found: found.get("reservingWorkloads") == 4 and found.get("pendingWorkloads") == 0,
        what="the queue counts four Workloads",
    )
    assert status["admittedWorkloads"] == 4
    used = {each["name"]: entries(each, "resources") for each in entries(status, "flavorsUsage")}
    assert {name: found[0]["total"] for name, found in used.items()} == {"v5e-2x4": "24", "flex": "8"}
    assert all(found[0]["name"] == gke.RESOURCE_TPU for found in used.values())


def test_the_webhooks_and_the_conversion_are_those_of_the_new_release(upgrade: Upgrade) -> None:
    api = upgrade.api
    older = api.get(QUEUE.replace("v1beta2", "v1beta1"))
    assert older["apiVersion"] == "kueue.x-k8s.io/v1beta1"
    queue = api.get(QUEUE)
    twice = {**queue["spec"], "resourceGroups": queue["spec"]["resourceGroups"] * 2}
    with pytest.raises(ApiError, match=r"^admission webhook \"vclusterqueue.kb.io\" denied the request"):
        api.merge(QUEUE, {"spec": twice})


def test_objects_that_an_older_release_kept_are_written_anew(upgrade: Upgrade) -> None:
    assert set(kept_versions(upgrade.simulator)) == {"kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta2"}
    said = upgrade.migrate(code=1)
    assert "workloads.kueue.x-k8s.io: objects are stored as v1beta2, and perhaps as v1beta1\n" in said
    before = _seen(upgrade.api)
    written = upgrade.migrate("--write", code=0)
    assert f"workloads.kueue.x-k8s.io: {len(before.workloads)} objects are stored as v1beta2 now\n" in written
    assert set(kept_versions(upgrade.simulator)) == {"kueue.x-k8s.io/v1beta2"}
    assert not_served(upgrade.api) == {}
    assert "v1beta1" not in upgrade.migrate(code=0)
    assert _seen(upgrade.api).admissions == before.admissions


def test_nothing_is_left_to_change(upgrade: Upgrade) -> None:
    upgrade.simulator.pulumi("preview", "--expect-no-changes", "--stack", STACK)
