"""Volumes of CSI drivers on a real API server: why a pod waits for one, and what lets it start."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from components.kubeapi import Api, ApiError
from components.kubeapi.documents import Document, entries, section
from simulator.client import RemoteCloud
from simulator.cloud.api import Kind
from tests.eventually import eventually

if TYPE_CHECKING:
    from tests.harness import Simulator

_CLUSTER: Final = "projects/acme/locations/us-west4-a/clusters/tpus"
_POOL: Final = "principal://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/acme.svc.id.goog"
_DEFAULT: Final = f"{_POOL}/subject/ns/default/sa/default"
_CHECKPOINTER: Final = f"{_POOL}/subject/ns/gke-managed-checkpointing/sa/gke-checkpointing-multitier-node"
_NETWORK: Final = "projects/acme/global/networks/default"
_SECONDS: Final = 120.0
_CHAINED: Final = "/api/v1/namespaces/default/pods/chained"
_ON: Final = {"enabled": True}
_BODY: Final[dict[str, Any]] = {
    "initialNodeCount": 1,
    "workloadIdentityConfig": {"workloadPool": "acme.svc.id.goog"},
    "secretManagerConfig": _ON,
    "addonsConfig": {
        "gcsFuseCsiDriverConfig": _ON,
        "highScaleCheckpointingConfig": _ON,
        "lustreCsiDriverConfig": _ON,
        "gcePersistentDiskCsiDriverConfig": _ON,
        "rayOperatorConfig": _ON,
    },
    "nodeConfig": {"machineType": "e2-standard-8", "workloadMetadataConfig": {"mode": "GKE_METADATA"}},
}


@dataclass(frozen=True)
class World:
    """A cluster with every storage add-on."""

    simulator: Simulator
    cloud: RemoteCloud
    api: Api

    def make(self, kind: Kind, name: str, body: dict[str, Any]) -> None:
        """Make a resource of the cloud and wait for it."""
        ended = self.cloud.wait(self.cloud.create(kind, name, body)["name"], _SECONDS)
        assert (ended["status"], ended["error"]) == ("DONE", None)

    def put(self, path: str, document: Document) -> None:
        """Make an object."""
        self.api.create(path, document)

    def pod(self, name: str, volume: dict[str, Any], **annotations: str) -> None:
        """Make a pod that mounts a volume and stays."""
        self.put(
            "/api/v1/namespaces/default/pods",
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": name, "annotations": annotations, "labels": {"batch.kubernetes.io/job-name": "j"}},
                "spec": {
                    "restartPolicy": "Never",
                    "volumes": [{"name": "data", **volume}],
                    "containers": [
                        {
                            "name": "c",
                            "image": "busybox",
                            "command": ["sleep", "infinity"],
                            "volumeMounts": [{"name": "data", "mountPath": "/data"}],
                        }
                    ],
                },
            },
        )

    def warned(self, name: str, text: str, reason: str = "FailedMount") -> None:
        """Wait until an Event about an object has the text."""

        def told() -> list[str]:
            found = self.api.items("/api/v1/namespaces/default/events")
            return [e["message"] for e in found if e["involvedObject"]["name"] == name and e["reason"] == reason]

        eventually(told, lambda messages: any(text in each for each in messages), what=text, seconds=_SECONDS)

    def runs(self, name: str) -> Path:
        """Wait until a pod runs; returns the folder of its volume."""
        path = f"/api/v1/namespaces/default/pods/{name}"
        pod = eventually(
            lambda: self.api.get(path), lambda pod: pod["status"]["phase"] == "Running", what=name, seconds=_SECONDS
        )
        cluster = Path(self.simulator.client.call("status")["clusters"][0]["folder"])
        return cluster / "pods" / pod["metadata"]["uid"] / "volumes" / "data"

    def waits(self, name: str, reason: str) -> None:
        """Wait until a pod's only container waits for a reason."""
        path = f"/api/v1/namespaces/default/pods/{name}"
        eventually(
            lambda: entries(self.api.get(path), "status", "containerStatuses"),
            lambda found: [section(each, "state", "waiting").get("reason") for each in found] == [reason],
            what=reason,
            seconds=_SECONDS,
        )


@pytest.fixture(scope="module")
def world(simulator: Simulator) -> World:
    """The cluster, its node included."""
    simulator.run("exec", "--", "true")
    cloud = RemoteCloud(simulator.client)
    ended = cloud.wait(cloud.create(Kind.CLUSTER, _CLUSTER, _BODY)["name"], _SECONDS)
    assert (ended["status"], ended["error"]) == ("DONE", None)
    return World(simulator, cloud, simulator.api())


def _fuse(bucket: str) -> dict[str, Any]:
    return {"csi": {"driver": "gcsfuse.csi.storage.gke.io", "volumeAttributes": {"bucketName": bucket}}}


def test_a_bucket_is_mounted_once_it_is_there_and_may_be_listed(world: World) -> None:
    world.pod("reader", _fuse("acme-data"), **{"gke-gcsfuse/volumes": "true"})
    world.warned("reader", 'code = NotFound desc = failed to get GCS bucket "acme-data": googleapi: Error 404')
    world.waits("reader", "ContainerCreating")

    world.make(Kind.BUCKET, "b/acme-data", {"location": "us-west4", "project": "acme"})
    world.warned("reader", "Caller does not have storage.objects.list access to the Google Cloud Storage bucket.")

    world.make(Kind.IAM_MEMBER, f"b/acme-data/iam/roles/storage.objectViewer/{_DEFAULT}", {})
    folder = world.runs("reader")
    (folder / "train.tfrecord").write_text("x")
    assert world.cloud.get("b/acme-data")["name"] == "acme-data"
    world.pod("unasked", _fuse("acme-data"))
    world.warned("unasked", "code = FailedPrecondition desc = failed to find the sidecar container in Pod spec")
    world.pod("other", _fuse("acme-data"), **{"gke-gcsfuse/volumes": "true"})
    assert (world.runs("other") / "train.tfrecord").read_text() == "x"


def test_a_secret_is_a_file_once_it_may_be_read(world: World) -> None:
    volume = {"driver": "secrets-store-gke.csi.k8s.io", "readOnly": True}
    world.pod("holder", {"csi": {**volume, "volumeAttributes": {"secretProviderClass": "tokens"}}})
    world.warned("holder", 'SecretProviderClass.secrets-store.csi.x-k8s.io "tokens" not found')

    secret = "projects/acme/secrets/hf-token"  # noqa: S105  a name
    listed = f"- resourceName: {secret}/versions/latest\n  path: token.txt\n"
    world.put(
        "/apis/secrets-store.csi.x-k8s.io/v1/namespaces/default/secretproviderclasses",
        {
            "apiVersion": "secrets-store.csi.x-k8s.io/v1",
            "kind": "SecretProviderClass",
            "metadata": {"name": "tokens"},
            "spec": {"provider": "gke", "parameters": {"secrets": listed}},
        },
    )
    world.warned("holder", f"Permission 'secretmanager.versions.access' denied for resource '{secret}/versions/latest'")

    world.make(Kind.CONFIDENTIAL, secret, {})
    world.make(Kind.IAM_MEMBER, f"{secret}/iam/roles/secretmanager.secretAccessor/{_DEFAULT}", {})
    world.warned("holder", f"Secret [{secret}] not found or has no versions.")
    value = base64.b64encode(b"hf_x").decode()
    world.make(Kind.CONFIDENTIAL_VERSION, f"{secret}/versions/1", {"payload": {"data": value}})
    assert (world.runs("holder") / "token.txt").read_text() == "hf_x"


def _class(name: str, **parameters: str) -> Document:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": "pd.csi.storage.gke.io",
        "parameters": parameters,
        "volumeBindingMode": "WaitForFirstConsumer",
    }


def _claim(name: str, class_: str, size: str) -> Document:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": class_,
            "resources": {"requests": {"storage": size}},
        },
    }


def test_a_claim_gets_a_disk_when_its_pod_has_a_node(world: World) -> None:
    claims = "/api/v1/namespaces/default/persistentvolumeclaims"
    world.put("/apis/storage.k8s.io/v1/storageclasses", _class("fast", type="hyperdisk-balanced"))
    too_fast = {"type": "hyperdisk-balanced", "provisioned-iops-on-create": "900000"}
    world.put("/apis/storage.k8s.io/v1/storageclasses", _class("too-fast", **too_fast))
    for name, class_ in (("work", "fast"), ("never", "too-fast")):
        world.put(claims, _claim(name, class_, "100Gi"))
        world.pod(name, {"persistentVolumeClaim": {"claimName": name}})

    world.runs("work")
    disks = world.cloud.list(Kind.DISK)
    assert [(each["sizeGb"], each["zone"]) for each in disks] == [("100", "us-west4-a")]
    world.warned(
        "never", "code = InvalidArgument desc = CreateVolume failed: googleapi: Error 400", "ProvisioningFailed"
    )

    for name in ("work", "never"):
        world.api.delete(f"/api/v1/namespaces/default/pods/{name}")
        world.api.delete(f"{claims}/{name}")
    eventually(lambda: world.cloud.list(Kind.DISK), lambda left: left == [], what="no disk", seconds=_SECONDS)


def test_a_lustre_volume_waits_for_its_instance(world: World) -> None:
    world.put(
        "/api/v1/persistentvolumes",
        {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": "scratch"},
            "spec": {
                "accessModes": ["ReadWriteMany"],
                "capacity": {"storage": "9000Gi"},
                "claimRef": {"namespace": "default", "name": "scratch"},
                "csi": {
                    "driver": "lustre.csi.storage.gke.io",
                    "volumeHandle": "acme/us-west4-a/scratch",
                    "volumeAttributes": {"ip": "10.120.0.2", "filesystem": "scratch"},
                },
                "persistentVolumeReclaimPolicy": "Retain",
                "storageClassName": "",
            },
        },
    )
    claim = _claim("scratch", "", "9000Gi")
    claim["spec"] |= {"accessModes": ["ReadWriteMany"], "volumeName": "scratch"}
    world.put("/api/v1/namespaces/default/persistentvolumeclaims", claim)
    world.pod("trainer", {"persistentVolumeClaim": {"claimName": "scratch"}})
    world.warned("trainer", 'Could not mount "10.120.0.2@tcp:/scratch"')

    address = {"address": "10.120.0.0", "prefixLength": 20, "addressType": "INTERNAL", "purpose": "VPC_PEERING"}
    world.make(Kind.GLOBAL_ADDRESS, "projects/acme/global/addresses/lustre", {**address, "network": _NETWORK})
    connection = f"{_NETWORK}/connections/servicenetworking.googleapis.com"
    world.make(Kind.CONNECTION, connection, {"reservedPeeringRanges": ["lustre"]})
    instance = {"capacityGib": "9000", "perUnitStorageThroughput": "1000", "filesystem": "scratch", "network": _NETWORK}
    world.make(Kind.LUSTRE, "projects/acme/locations/us-west4-a/lustreInstances/scratch", instance)
    assert world.runs("trainer").is_dir()


def test_checkpoints_are_backed_up_and_restored(world: World) -> None:
    volume = {"csi": {"driver": "multitier-checkpoint.csi.storage.gke.io"}}
    world.pod("run", volume)
    world.warned("run", "not found in the list of registered CSI drivers (no CheckpointConfiguration selects node")
    world.make(Kind.BUCKET, "b/acme-checkpoints", {"location": "us-west4", "project": "acme"})
    world.put(
        "/apis/checkpointing.gke.io/v1/checkpointconfigurations",
        {
            "apiVersion": "checkpointing.gke.io/v1",
            "kind": "CheckpointConfiguration",
            "metadata": {"name": "tpus"},
            "spec": {"cloudStorageBucketName": "acme-checkpoints", "inMemoryVolumeSize": "10Gi"},
        },
    )
    world.warned("run", "(the driver's pod in gke-managed-checkpointing does not start: failed to get GCS bucket")
    world.make(Kind.IAM_MEMBER, f"b/acme-checkpoints/iam/roles/storage.objectUser/{_CHECKPOINTER}", {})

    folder = world.runs("run").resolve()
    (folder / "step").write_text("40")
    backup = world.simulator.home.volumes / "b" / "acme-checkpoints" / "default" / "j" / "step"
    eventually(backup.exists, what="the backup", seconds=_SECONDS)
    folder.joinpath("step").unlink()
    folder.rmdir()
    backup.parent.mkdir(parents=True, exist_ok=True)
    backup.write_text("40")
    world.api.delete("/api/v1/namespaces/default/pods/run")
    world.pod("again", volume)
    assert (world.runs("again") / "step").read_text() == "40"


def test_an_add_on_that_is_turned_off_takes_its_driver_along(world: World) -> None:
    ended = world.cloud.update(_CLUSTER, {"addonsConfig": {"gcsFuseCsiDriverConfig": {"enabled": False}}})
    world.cloud.wait(ended["name"], _SECONDS)
    world.pod("late", _fuse("acme-data"), **{"gke-gcsfuse/volumes": "true"})
    world.warned("late", "driver name gcsfuse.csi.storage.gke.io not found in the list of registered CSI drivers")
    kinds = world.api.items("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
    names = {section(each, "metadata")["name"] for each in kinds}
    assert names >= {"computeclasses.cloud.google.com", "rayjobs.ray.io", "rayclusters.ray.io"}
    priorities = [{"machineType": "ct6e-standard-4t", "spot": True, "tpu": {"type": "tpu-v6e-slice", "count": 4}}]
    tpus = {"priorities": priorities, "nodePoolAutoCreation": _ON, "whenUnsatisfiable": "DoNotScaleUp"}
    kind = {"apiVersion": "cloud.google.com/v1", "kind": "ComputeClass"}
    world.put("/apis/cloud.google.com/v1/computeclasses", {**kind, "metadata": {"name": "tpus"}, "spec": tpus})
    wrong = {**tpus, "priorities": [{"machine": "ct6e-standard-4t"}]}
    with pytest.raises(ApiError, match="unknown field"):
        world.put("/apis/cloud.google.com/v1/computeclasses", {**kind, "metadata": {"name": "x"}, "spec": wrong})


def test_the_chain_of_a_class_is_walked_by_stock(world: World) -> None:
    """GKE tolerates the taint of the class's nodes for the pod, so the real scheduler binds it to one of them."""
    world.simulator.run("stock", "--out", "n2-standard-2:spot")
    priorities = [{"machineType": "n2-standard-2", "spot": True}, {"machineType": "n2-standard-2"}]
    spec = {"priorities": priorities, "nodePoolAutoCreation": _ON, "whenUnsatisfiable": "DoNotScaleUp"}
    kind = {"apiVersion": "cloud.google.com/v1", "kind": "ComputeClass"}
    world.put("/apis/cloud.google.com/v1/computeclasses", {**kind, "metadata": {"name": "cheap"}, "spec": spec})
    selector = {"cloud.google.com/compute-class": "cheap"}
    container = {"name": "c", "image": "busybox", "command": ["sleep", "infinity"]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "chained"}}
    world.put("/api/v1/namespaces/default/pods", {**pod, "spec": {"nodeSelector": selector, "containers": [container]}})
    world.warned("chained", "GCE out of resources", "FailedScaleUp")
    world.runs("chained")
    node = world.api.get(f"/api/v1/nodes/{world.api.get(_CHAINED)['spec']['nodeName']}")
    labels = section(node, "metadata", "labels")
    assert labels.items() >= {**selector, "cloud.google.com/gke-provisioning": "standard"}.items()
