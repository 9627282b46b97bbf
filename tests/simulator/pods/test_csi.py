"""The drivers of volumes: what each gives, and in which words it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from simulator.cloud.api import refusal
from simulator.pods.csi.request import VolumeError
from simulator.pods.storage import Identity
from simulator.pods.volumes import Volumes
from tests.simulator.memory_api import MemoryApi
from tests.simulator.pods.podspecs import PodBuilder, a_pod
from tests.simulator.pods.storage_double import StorageDouble

if TYPE_CHECKING:
    from pathlib import Path

    from components.kubeapi import Document

_DRIVERS = "/apis/storage.k8s.io/v1/csidrivers"
_FUSE = "gcsfuse.csi.storage.gke.io"
_LOCAL = "multitier-checkpoint.csi.storage.gke.io"
_SECRETS = "secrets-store-gke.csi.k8s.io"
_CLASS = "/apis/secrets-store.csi.x-k8s.io/v1/namespaces/team/secretproviderclasses/tokens"
_CONFIGURATIONS = "/apis/checkpointing.gke.io/v1/checkpointconfigurations"
_FORBIDDEN = refusal("PERMISSION_DENIED", "Caller does not have storage.objects.list access.")


class World:
    """A cluster with a node and every driver, and what it reaches."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cluster = MemoryApi()
        self.storage = StorageDouble()
        for name in (_FUSE, _LOCAL, _SECRETS, "lustre.csi.storage.gke.io", "pd.csi.storage.gke.io"):
            self.cluster.put(f"{_DRIVERS}/{name}", {"kind": "CSIDriver", "metadata": {"name": name}})
        self.node("n1")

    def node(self, name: str, **labels: str) -> None:
        """Register a node with Workload Identity."""
        every = {"iam.gke.io/gke-metadata-server-enabled": "true", "cloud.google.com/gke-nodepool": "pool", **labels}
        taints = [{"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"}]
        document: Document = {"kind": "Node", "metadata": {"name": name, "labels": every}, "spec": {"taints": taints}}
        self.cluster.put(f"/api/v1/nodes/{name}", document)

    def bucket(self, name: str) -> Path:
        """A bucket that everybody may list."""
        folder = self.folder / name
        folder.mkdir()
        self.storage.buckets[name] = folder
        return folder

    def volumes(self, pod: PodBuilder, node: str = "n1") -> Volumes:
        """The volumes of a pod on a node, not mounted yet."""
        document = pod.document
        document["spec"]["nodeName"] = node
        folder = self.folder / "pods" / node / "volumes"
        return Volumes(document, folder, self.cluster.api, self.storage, self.folder / "nodes")

    def mounted(self, pod: PodBuilder, node: str = "n1") -> Path:
        """The folder of the pod's volume."""
        made = self.volumes(pod, node)
        made.mount()
        return (made.folder / "v").resolve()

    def refused(self, pod: PodBuilder) -> str:
        """Why the pod's volume is not mounted."""
        with pytest.raises(VolumeError) as caught:
            self.volumes(pod).mount()
        return str(caught.value)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """An empty cluster."""
    return World(tmp_path)


def _inline(driver: str, **attributes: str) -> PodBuilder:
    pod = a_pod().container().mounting("v", "/data", {"csi": {"driver": driver, "volumeAttributes": attributes}})
    pod.document["metadata"].setdefault("annotations", {})["gke-gcsfuse/volumes"] = "true"
    return pod


def _persistent(world: World, driver: str, handle: str, **attributes: str) -> PodBuilder:
    csi: dict[str, Any] = {"driver": driver, "volumeHandle": handle, "volumeAttributes": attributes}
    world.cluster.put(
        "/api/v1/namespaces/team/persistentvolumeclaims/c",
        {"kind": "PersistentVolumeClaim", "metadata": {}, "spec": {"volumeName": "pv"}, "status": {"phase": "Bound"}},
    )
    spec = {"csi": csi, "mountOptions": ["implicit-dirs", "only-dir:models"]}
    world.cluster.put("/api/v1/persistentvolumes/pv", {"kind": "PersistentVolume", "metadata": {}, "spec": spec})
    pod = a_pod().container().mounting("v", "/data", {"persistentVolumeClaim": {"claimName": "c"}})
    pod.document["metadata"].setdefault("annotations", {})["gke-gcsfuse/volumes"] = "true"
    return pod


def test_a_volume_may_be_a_folder_of_the_bucket(world: World) -> None:
    folder = world.bucket("data")
    assert world.mounted(_persistent(world, _FUSE, "data")) == folder / "models"
    leaving = _inline(_FUSE, bucketName="data", mountOptions="only-dir=../x")
    world.folder.joinpath("pods/n1/volumes/v").unlink()
    assert world.refused(leaving).endswith("only-dir ../x leads out of the bucket")


def test_a_bucket_fails_in_the_words_of_the_driver(world: World) -> None:
    asking = _inline(_FUSE, bucketName="data")
    assert world.refused(asking) == (
        'MountVolume.SetUp failed for volume "v" : rpc error: code = NotFound desc = failed to get GCS bucket "data": '
        "googleapi: Error 404: The specified bucket does not exist., notFound"
    )
    world.storage.buckets["data"] = _FORBIDDEN
    assert "code = PermissionDenied desc = failed to get GCS bucket" in world.refused(asking)
    world.storage.buckets["data"] = refusal(
        "PERMISSION_DENIED", "Permission 'iam.serviceAccounts.getAccessToken' denied"
    )
    assert "code = Unauthenticated desc = failed to prepare storage service" in world.refused(asking)
    assert "bucketName must be provided" in world.refused(_inline(_FUSE))


def test_a_pod_asks_for_the_sidecar_and_runs_with_workload_identity(world: World) -> None:
    world.bucket("data")
    asking = _inline(_FUSE, bucketName="data")
    world.node("n1", **{"iam.gke.io/gke-metadata-server-enabled": "false"})
    assert "Workload Identity Federation is not enabled on node" in world.refused(asking)
    world.node("n1")
    asking.document["metadata"]["annotations"]["gke-gcsfuse/volumes"] = "false"
    assert world.refused(asking).endswith("failed to find the sidecar container in Pod spec")


def test_in_the_hosts_network_a_pod_is_its_node_unless_it_says_otherwise(world: World) -> None:
    world.bucket("data")
    world.storage.of_nodes = refusal("PERMISSION_DENIED", "nodes@acme does not have storage.objects.list access.")
    asking = _inline(_FUSE, bucketName="data")
    asking.document["spec"]["hostNetwork"] = True
    assert "gcsfuse failed with error" in world.refused(asking)
    assert world.storage.asked[-1] == Identity(pool="pool")
    own = _inline(_FUSE, bucketName="data", hostNetworkPodKSA="true")
    own.document["spec"]["hostNetwork"] = True
    assert world.mounted(own).name == "data"


def test_a_lustre_file_system_is_found_by_its_address(world: World) -> None:
    asking = _persistent(world, "lustre.csi.storage.gke.io", "acme/z/fs", ip="10.0.0.2", filesystem="fs")
    refused = world.refused(asking)
    assert refused.startswith(
        'MountVolume.MountDevice failed for volume "pv" : rpc error: code = Internal desc = Could'
    )
    assert refused.endswith("failed: Input/output error\nIs the MGS running?")
    folder = world.folder / "lustre"
    folder.mkdir()
    world.storage.instances["10.0.0.2", "fs"] = folder
    assert world.mounted(asking) == folder
    world.folder.joinpath("pods/n1/volumes/v").unlink()
    bare = _persistent(world, "lustre.csi.storage.gke.io", "acme/z/fs")
    assert world.refused(bare).endswith("Lustre instance IP is not provided")


def test_a_disk_that_does_not_exist_is_not_attached(world: World) -> None:
    handle = "projects/acme/zones/z/disks/d"
    asking = _persistent(world, "pd.csi.storage.gke.io", handle)
    assert world.refused(asking).startswith('AttachVolume.Attach failed for volume "pv" : rpc error: code = NotFound')
    world.storage.disks[handle] = world.bucket("disk")
    assert world.mounted(asking).name == "disk"


def _class(world: World, provider: str = "gke", secrets: str = "") -> None:
    listed = secrets or "- resourceName: projects/acme/secrets/s/versions/1\n  path: keys/a.txt\n"
    spec = {"provider": provider, "parameters": {"secrets": listed}}
    world.cluster.put(_CLASS, {"kind": "SecretProviderClass", "metadata": {}, "spec": spec})


def test_versions_of_secrets_are_files(world: World) -> None:
    asking = _inline(_SECRETS, secretProviderClass="tokens")
    begin = (
        'MountVolume.SetUp failed for volume "v" : rpc error: code = Unknown desc = failed to mount secrets store '
        "objects for pod team/p, err: "
    )
    assert world.refused(asking).startswith(f"{begin}failed to get secretproviderclass team/tokens")
    _class(world, provider="gcp")
    assert world.refused(asking) == (f'{begin}error connecting to provider "gcp": provider not found: provider "gcp"')
    _class(world)
    name = "projects/acme/secrets/s/versions/1"
    world.storage.secrets[name] = refusal("PERMISSION_DENIED", "Permission denied.")
    assert world.refused(asking) == (
        f"{begin}rpc error: code = Internal desc = rpc error: code = PermissionDenied desc = Permission denied."
    )
    world.storage.secrets[name] = b"value"
    assert (world.mounted(asking) / "keys" / "a.txt").read_bytes() == b"value"


@pytest.mark.parametrize(
    ("secrets", "text"),
    [("no list", "failed to unmarshal secrets attribute"), ("- {resourceName: x, path: ../y}", "invalid path ../y")],
)
def test_a_class_lists_secrets_and_paths(world: World, secrets: str, text: str) -> None:
    _class(world, secrets=secrets)
    assert text in world.refused(_inline(_SECRETS, secretProviderClass="tokens"))


def _worker(index: str = "0") -> PodBuilder:
    pod = _inline(_LOCAL)
    pod.document["metadata"]["labels"] = {
        "jobset.sigs.k8s.io/jobset-name": "train",
        "jobset.sigs.k8s.io/replicatedjob-name": "slice",
        "jobset.sigs.k8s.io/job-index": "1",
        "batch.kubernetes.io/job-completion-index": index,
    }
    return pod


def _configure(world: World, **spec: Any) -> None:  # noqa: ANN401  fields of an object
    tolerations = [{"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}]
    whole: dict[str, Any] = {"cloudStorageBucketName": "backup", "tolerations": tolerations, **spec}
    world.cluster.put(f"{_CONFIGURATIONS}/c", {"kind": "CheckpointConfiguration", "metadata": {}, "spec": whole})


@pytest.mark.parametrize(
    "spec", [{"nodeSelector": {"a": "b"}}, {"tolerations": []}, {"tolerations": [{"key": "google.com/tpu"}]}]
)
def test_checkpoints_need_a_configuration_that_reaches_the_node(world: World, spec: dict[str, Any]) -> None:
    _configure(world, **spec)
    assert world.refused(_worker()).endswith(
        f"driver name {_LOCAL} not found in the list of registered CSI drivers (no CheckpointConfiguration selects "
        "node n1)"
    )


def test_checkpoints_need_the_bucket_of_their_backups(world: World) -> None:
    _configure(world)
    assert "does not start: failed to get GCS bucket" in world.refused(_worker())
    world.bucket("backup")
    assert world.mounted(_worker()).is_dir()
    who = Identity(namespace="gke-managed-checkpointing", account="gke-checkpointing-multitier-node")
    assert world.storage.asked[-1] == who


def test_checkpoints_stay_on_the_node_and_come_back_from_the_backup_elsewhere(world: World) -> None:
    _configure(world)
    backup = world.bucket("backup")
    first = world.volumes(_worker())
    first.mount()
    assert first.needs_care
    step = (first.folder / "v").resolve() / "step"
    step.write_text("40")
    first.keep()
    saved = backup / "team" / "train" / "slice" / "1" / "0" / "step"
    assert saved.read_text() == "40"

    world.node("n2")
    assert (world.mounted(_worker(), "n2") / "step").read_text() == "40"
    assert not (world.mounted(_worker("1"), "n2").parent / "1" / "step").exists()
    step.unlink()
    first.keep()
    assert not saved.exists()


def test_what_was_written_last_is_backed_up_unless_the_machine_failed(world: World) -> None:
    _configure(world)
    saved = world.bucket("backup") / "team" / "train" / "slice" / "1" / "0" / "step"
    volumes = world.volumes(_worker())
    volumes.mount()
    ((volumes.folder / "v").resolve() / "step").write_text("50")
    volumes.keep_at_end(is_lost=True)
    assert not saved.exists()
    volumes.keep_at_end(is_lost=False)
    assert saved.read_text() == "50"
    world.storage.buckets.clear()
    volumes.keep_at_end(is_lost=False)
