"""Pods that kwok plays wait for their volumes; claims get disks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from simulator.pods.admission import ANNOTATION_SECONDS, ANNOTATION_UNMOUNTED
from simulator.pods.played_mounts import PlayedMounts
from simulator.pods.provisioning import PROVISIONER, SELECTED_NODE, Provisioner
from tests.eventually import eventually
from tests.simulator.pods.machine import Machine
from tests.simulator.pods.podspecs import a_pod
from tests.simulator.pods.storage_double import StorageDouble

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from components.kubeapi import Document

_POD = "/api/v1/namespaces/team/pods/p"
_EVENTS = "/api/v1/namespaces/team/events/"
_CLAIM = "/api/v1/namespaces/team/persistentvolumeclaims/c"
_VOLUME = "/api/v1/persistentvolumes/pvc-uid-c"
_CLASS = "/apis/storage.k8s.io/v1/storageclasses/fast"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A cluster in memory."""
    made = Machine(tmp_path)
    labels = {"topology.kubernetes.io/zone": "us-west4-a"}
    made.cluster.put("/api/v1/nodes/n1", {"kind": "Node", "metadata": {"name": "n1", "labels": labels}, "spec": {}})
    return made


@pytest.fixture
def mounts(machine: Machine) -> Generator[PlayedMounts]:
    """The mounts of its played pods."""
    made = PlayedMounts(machine.host)
    made.start()
    yield made
    machine.cluster.api.close()
    made.stop()


def _played(volume: dict[str, Any]) -> Document:
    pod = a_pod().container().mounting("v", "/data", volume).document
    pod["metadata"]["annotations"] = {ANNOTATION_SECONDS: "60", ANNOTATION_UNMOUNTED: "true"}
    pod["spec"]["nodeName"] = "n1"
    pod["status"] = {"phase": "Pending"}
    return pod


def _messages(machine: Machine) -> list[str]:
    return [each["message"] for path, each in machine.cluster.objects.items() if path.startswith(_EVENTS)]


def test_a_pod_without_a_node_is_left_alone(machine: Machine, mounts: PlayedMounts) -> None:
    pod = _played({"emptyDir": {}})
    del pod["spec"]["nodeName"]
    machine.cluster.put(_POD, pod)
    assert not mounts.look()
    assert _messages(machine) == []


def _claim(**annotations: str) -> Document:
    return {
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "c", "namespace": "team", "uid": "uid-c", "annotations": annotations},
        "spec": {
            "accessModes": ["ReadOnlyMany"],
            "storageClassName": "fast",
            "resources": {"requests": {"storage": "1500Mi"}},
        },
    }


def _class(**more: Any) -> Document:  # noqa: ANN401  fields of an object
    parameters = {"type": "hyperdisk-ml", "provisioned-throughput-on-create": "2400Mi"}
    waits = {"volumeBindingMode": "WaitForFirstConsumer", "reclaimPolicy": "Delete"}
    return {"kind": "StorageClass", "metadata": {"name": "fast"}, "parameters": parameters, **waits, **more}


@pytest.fixture
def provisioner(machine: Machine) -> Generator[Provisioner]:
    """The provisioner of the cluster, whose class waits for the first pod."""
    machine.cluster.put(_CLASS, _class())
    made = Provisioner(machine.host)
    made.start()
    yield made
    machine.cluster.api.close()
    made.stop()


def _storage(machine: Machine) -> StorageDouble:
    storage = machine.host.storage
    assert isinstance(storage, StorageDouble)
    return storage


def test_a_claim_gets_a_disk_where_its_pod_is(machine: Machine, provisioner: Provisioner) -> None:
    machine.cluster.put(_CLAIM, _claim(**{PROVISIONER: "pd.csi.storage.gke.io"}))
    provisioner.look()
    assert _VOLUME not in machine.cluster.objects

    machine.cluster.put(_CLAIM, _claim(**{PROVISIONER: "pd.csi.storage.gke.io", SELECTED_NODE: "n1"}))
    volume = eventually(lambda: machine.cluster.objects.get(_VOLUME))
    assert volume is not None
    disk = "projects/acme/zones/us-west4-a/disks/pvc-uid-c"
    body = {"type": "hyperdisk-ml", "sizeGb": "2", "provisionedThroughput": "2400", "accessMode": "READ_ONLY_MANY"}
    assert _storage(machine).made == {disk: body}
    assert (volume["spec"]["csi"]["volumeHandle"], volume["spec"]["capacity"]) == (disk, {"storage": "2Gi"})

    machine.cluster.api.delete(_CLAIM)
    machine.cluster.put(_VOLUME, {**volume, "status": {"phase": "Released"}})
    eventually(lambda: _VOLUME not in machine.cluster.objects)
    assert _storage(machine).made == {}


def test_a_class_that_allows_no_zone_of_a_node_is_told(machine: Machine, provisioner: Provisioner) -> None:
    del provisioner
    expressions = [{"key": "topology.gke.io/zone", "values": ["us-west4-b"]}]
    machine.cluster.put(_CLASS, _class(allowedTopologies=[{"matchLabelExpressions": expressions}]))
    machine.cluster.put(_CLAIM, _claim(**{PROVISIONER: "pd.csi.storage.gke.io", SELECTED_NODE: "n1"}))
    eventually(lambda: any("selected node 'n1' has no allowed topology" in each for each in _messages(machine)))
