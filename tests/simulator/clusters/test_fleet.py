"""All clusters: what the cloud asks for, what is told of an outage, and what a restart finds."""

from __future__ import annotations

import base64
import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from components.kubeapi import ApiError, Document
from components.kubeapi.documents import is_true
from simulator.cloud.machines import ClusterEndpoint, MachinesError, Node
from simulator.clusters import node_calls
from simulator.clusters.supervisor import Incident, ProcessError
from tests.eventually import eventually
from tests.simulator.clusters.fake_clusters import FakeClusters, Listening
from tests.simulator.clusters.fleet_builders import a_spec
from tests.simulator.pods.podspecs import a_pod

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from simulator.clusters.fleet import Fleet

_NAME: Final = a_spec().name
_TEAM: Final = "/api/v1/namespaces/team/pods"


def a_node(name: str, **labels: str) -> Node:
    """A node of a TPU pool."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {"taints": [{"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"}]},
        "status": {"phase": "Running"},
    }


def contexts(tmp_path: Path) -> list[str]:
    """The contexts of the fleet's kubeconfig."""
    document: Document = json.loads((tmp_path / "kubeconfig").read_text())
    return [context["name"] for context in document["contexts"]]


def test_a_cluster_is_started_once_and_told_where_it_is(
    new_fleet: Callable[[], Fleet], clusters: FakeClusters, tmp_path: Path
) -> None:
    fleet = new_fleet()
    authority = base64.b64encode(f"PEM of {_NAME}".encode()).decode()
    endpoint = ClusterEndpoint(host="127.0.0.1:20001", ca_certificate=authority)
    assert fleet.start_cluster(a_spec()) == endpoint
    assert fleet.start_cluster(a_spec()) == endpoint
    assert [cluster.life for cluster in clusters.all] == [["start"]]
    assert contexts(tmp_path) == ["gke_acme_us-west4_tpus"]


def test_clusters_of_one_name_in_two_projects_have_two_folders(fleet: Fleet, clusters: FakeClusters) -> None:
    fleet.start_cluster(replace(a_spec(), name=_NAME.replace("acme", "other")))
    first, second = (cluster.folder for cluster in clusters.all)
    assert first != second
    assert first.name.startswith("tpus-")
    assert second.name.startswith("tpus-")


def test_a_deleted_cluster_is_gone_from_disk_and_kubeconfig(
    fleet: Fleet, clusters: FakeClusters, tmp_path: Path
) -> None:
    fleet.start_cluster(a_spec("more"))
    fleet.delete_cluster(_NAME)
    assert clusters.all[0].life == ["start", "delete"]
    assert contexts(tmp_path) == ["gke_acme_us-west4_more"]
    assert [path.name.partition("-")[0] for path in (tmp_path / "clusters").iterdir()] == ["more"]
    fleet.delete_cluster(_NAME)
    assert clusters.all[0].life == ["start", "delete"], "what is gone already is no error"


def test_a_cluster_that_does_not_come_up_is_named_and_can_be_removed(
    new_fleet: Callable[[], Fleet], clusters: FakeClusters, tmp_path: Path
) -> None:
    clusters.failures[_NAME] = ProcessError("etcd keeps ending: it exited with status 1.")
    fleet = new_fleet()
    with pytest.raises(MachinesError) as caught:
        fleet.start_cluster(a_spec())
    assert str(caught.value) == f"control plane of {_NAME}: etcd keeps ending: it exited with status 1."
    assert clusters.all[0].life == ["start", "stop"]
    assert fleet.status() == []
    fleet.delete_cluster(_NAME)
    assert list((tmp_path / "clusters").iterdir()) == []


def test_a_new_daemon_brings_back_what_was_there(
    fleet: Fleet, new_fleet: Callable[[], Fleet], clusters: FakeClusters
) -> None:
    fleet.start_cluster(a_spec("more"))
    fleet.stop()
    assert [cluster.life for cluster in clusters.all] == [["start", "stop"]] * 2
    again = new_fleet()
    again.resume()
    assert {cluster.spec.name for cluster in clusters.all[2:]} == {_NAME, a_spec("more").name}
    assert {cluster.spec for cluster in clusters.all[2:]} == {a_spec(), a_spec("more")}
    assert len(again.status()) == 2


def test_a_cluster_that_does_not_come_back_is_told_and_the_others_run(
    fleet: Fleet, new_fleet: Callable[[], Fleet], clusters: FakeClusters
) -> None:
    fleet.start_cluster(a_spec("more"))
    fleet.stop()
    clusters.failures[_NAME] = ProcessError("etcd keeps ending: it exited with status 1.")
    again = new_fleet()
    text = f"control plane of {_NAME}: etcd keeps ending: it exited with status 1."
    assert again.resume() == again.failed() == {_NAME: text}
    assert [status["name"] for status in again.status()] == [a_spec("more").name]
    del clusters.failures[_NAME]
    again.start_cluster(a_spec())
    assert again.failed() == {}


def test_whoever_follows_is_told_of_every_cluster(new_fleet: Callable[[], Fleet]) -> None:
    follower = Listening()
    fleet = new_fleet()
    fleet.follow(follower)
    fleet.start_cluster(a_spec())
    fleet.start_cluster(a_spec())
    fleet.delete_cluster(_NAME)
    fleet.start_cluster(a_spec())
    fleet.stop()
    began = f"{_NAME} began at https://127.0.0.1:6443"
    assert follower.told == [began, f"{_NAME} ends", began, f"{_NAME} ends"]


def test_a_node_fails_with_what_is_on_it(fleet: Fleet, clusters: FakeClusters) -> None:
    memory = clusters.all[0].memory
    fleet.add_nodes(_NAME, [a_node("n1"), a_node("n2")])
    path = "/api/v1/namespaces/team/pods/p"
    memory.put(path, a_pod().named("p").document)
    for _ in range(2):
        fleet.break_nodes(_NAME, ["n1", "gone"])
    node, other = memory.get("/api/v1/nodes/n1"), memory.get("/api/v1/nodes/n2")
    assert node["metadata"]["annotations"] == {"simulator.tpu-platform.dev/broken": "true"}
    *_, condition = node["status"]["conditions"]
    assert (condition["status"], condition["reason"]) == ("Unknown", "NodeStatusUnknown")
    assert is_true(other, "Ready")
    assert memory.get(path)["metadata"]["annotations"]["simulator.tpu-platform.dev/lost"] == "true"


def test_the_status_names_processes_pods_and_incidents(fleet: Fleet, clusters: FakeClusters) -> None:
    incident = Incident(process="etcd", time=5.0, reason="was killed by SIGKILL", last_lines=("bye",))
    clusters.all[0].supervisor.incidents.append(incident)
    (status,) = json.loads(json.dumps(fleet.status()))
    folder = clusters.all[0].folder
    assert (status["name"], status["folder"], status["endpoint"]) == (_NAME, str(folder), "127.0.0.1:20001")
    assert status["processes"] == [
        {"name": "etcd", "pid": 11, "given_up": False, "log": f"{folder}/logs/etcd.log"},
        {"name": "kube-apiserver", "pid": 12, "given_up": False, "log": f"{folder}/logs/kube-apiserver.log"},
        {"name": "kwok", "pid": None, "given_up": True, "log": f"{folder}/logs/kwok.log"},
    ]
    assert status["pods"] == [
        {
            "namespace": "kueue-system",
            "name": "kueue-0",
            "program": "kueue",
            "pid": 13,
            "restarts": 1,
            "log": f"{folder}/pods/uid/container.log",
        }
    ]
    assert status["incidents"] == [{"time": 5.0, "text": "etcd was killed by SIGKILL\n    bye"}]


def test_an_outage_is_told_from_its_beginning(fleet: Fleet, clusters: FakeClusters) -> None:
    incidents = clusters.all[0].supervisor.incidents

    def ended(process: str, reason: str, *, age: float = 0.0, last_lines: tuple[str, ...] = ()) -> None:
        incidents.append(Incident(process=process, time=time.time() - age, reason=reason, last_lines=last_lines))

    ended("kube-apiserver", "was killed by SIGTERM", age=3600.0)
    assert fleet.outage("https://127.0.0.1:20001") == (True, f"{_NAME}: it did not answer for a moment")
    ended("etcd", "was killed by SIGKILL", age=30.0, last_lines=("bye",))
    ended("kwok", "was killed by SIGINT")
    assert fleet.outage("https://127.0.0.1:20001") == (True, f"{_NAME}: etcd was killed by SIGKILL\n    bye")
    ended("kube-apiserver", "exited with status 1", last_lines=("no store",))
    assert fleet.outage("https://127.0.0.1:20001") == (
        True,
        f"{_NAME}: etcd was killed by SIGKILL, then kube-apiserver exited with status 1\n    no store",
    )
    clusters.all[0].supervisor.failure = "kube-apiserver keeps ending: it exited with status 1."
    assert fleet.outage("https://127.0.0.1:20001") == (
        False,
        f"{_NAME}: kube-apiserver keeps ending: it exited with status 1.",
    )
    assert fleet.outage("https://35.0.0.1") is None


def test_nodes_are_registered_once_and_ready(fleet: Fleet, clusters: FakeClusters) -> None:
    memory = clusters.all[0].memory
    fleet.add_nodes(_NAME, [a_node("n1"), a_node("n2")])
    fleet.add_nodes(_NAME, [a_node("n2"), a_node("n3")])
    assert memory.calls == [("create", f"/api/v1/nodes/n{number}") for number in (1, 2, 3)]
    status = memory.get("/api/v1/nodes/n3")["status"]
    assert status["phase"] == "Running"
    assert {each["type"]: each["status"] for each in status["conditions"]} == {
        "MemoryPressure": "False",
        "DiskPressure": "False",
        "PIDPressure": "False",
        "NetworkUnavailable": "False",
        "Ready": "True",
    }


def test_nodes_take_new_labels_and_taints_and_lose_old_ones(fleet: Fleet, clusters: FakeClusters) -> None:
    fleet.add_nodes(_NAME, [a_node("n1", old="1", kept="2")])
    changed = a_node("n1", kept="3", new="4")
    changed["spec"]["taints"] = []
    fleet.update_nodes(_NAME, [changed])
    node = clusters.all[0].memory.objects["/api/v1/nodes/n1"]
    assert node["metadata"]["labels"] == {"kept": "3", "new": "4"}
    assert node["spec"]["taints"] == []
    assert is_true(node, "Ready")


def test_nodes_go_once_the_pods_on_them_have_ended(fleet: Fleet, clusters: FakeClusters) -> None:
    memory = clusters.all[0].memory
    fleet.add_nodes(_NAME, [a_node("n1"), a_node("n2")])
    ends, kept = f"{_TEAM}/ends", f"{_TEAM}/kept"
    for name, node in (("ends", "n1"), ("kept", "n1"), ("other", "n2"), ("orphan", "gone")):
        pod = a_pod().named(name).document
        pod["spec"]["nodeName"] = node
        memory.put(f"{_TEAM}/{name}", pod)
    memory.calls.clear()
    with ThreadPoolExecutor() as threads:
        removal = threads.submit(fleet.remove_nodes, _NAME, ["n1", "gone"])
        eventually(lambda: memory.calls[-1:] == [("delete", kept)], what="the pods are to end")
        assert memory.get("/api/v1/nodes/n1")["spec"]["unschedulable"], "no other pod may come"
        memory.delete(ends, {"gracePeriodSeconds": 0})
        memory.merge(kept, {"metadata": {"deletionGracePeriodSeconds": 0, "finalizers": ["of/job"]}})
        removal.result(timeout=60)
    told = [("merge", "/api/v1/nodes/n1"), ("delete", ends), ("delete", kept), ("delete", ends), ("merge", kept)]
    assert memory.calls == [*told, ("delete", "/api/v1/nodes/n1"), ("delete", "/api/v1/nodes/gone")]


def test_a_pod_that_does_not_end_keeps_no_node(
    fleet: Fleet, clusters: FakeClusters, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_calls, "_DRAIN_SECONDS", 0.05)
    memory = clusters.all[0].memory
    fleet.add_nodes(_NAME, [a_node("n1")])
    memory.put(f"{_TEAM}/p", a_pod().named("p").document)
    fleet.remove_nodes(_NAME, ["n1"])
    assert memory.find("/api/v1/nodes/n1") is None
    assert memory.get(f"{_TEAM}/p")["metadata"]["deletionTimestamp"]


@pytest.mark.parametrize("call", ["add_nodes", "update_nodes", "remove_nodes"])
def test_a_server_that_is_away_is_the_machines_error(fleet: Fleet, clusters: FakeClusters, call: str) -> None:
    clusters.all[0].memory.away = True
    argument = ["n1"] if call == "remove_nodes" else [a_node("n1")]
    with pytest.raises(MachinesError) as caught:
        getattr(fleet, call)(_NAME, argument)
    assert str(caught.value) == f"nodes of {_NAME}: https://127.0.0.1:6443 does not answer: it is away"


def test_what_the_server_refuses_is_told_in_its_words(
    fleet: Fleet, clusters: FakeClusters, monkeypatch: pytest.MonkeyPatch
) -> None:
    def create(path: str, document: Document) -> Document:
        raise ApiError(422, {"message": f"{path}: {document['metadata']['name']} is no node"})

    monkeypatch.setattr(clusters.all[0].memory, "create", create)
    with pytest.raises(MachinesError, match="n1 is no node"):
        fleet.add_nodes(_NAME, [a_node("n1")])


def test_nodes_of_a_cluster_that_does_not_run_are_refused(fleet: Fleet) -> None:
    with pytest.raises(MachinesError) as caught:
        fleet.add_nodes("projects/acme/locations/us-west4/clusters/none", [a_node("n1")])
    assert str(caught.value) == "projects/acme/locations/us-west4/clusters/none does not run"
