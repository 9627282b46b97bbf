"""A pod's volumes as folders."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

from simulator.pods.volumes import VolumeError, Volumes, write_files
from tests.simulator.memory_api import MemoryApi
from tests.simulator.pods.podspecs import PodBuilder, a_pod
from tests.simulator.pods.storage_double import StorageDouble

if TYPE_CHECKING:
    from pathlib import Path

    from components.kubeapi import Document

_CONFIG = "/api/v1/namespaces/team/configmaps/settings"
_SECRET = "/api/v1/namespaces/team/secrets/keys"  # noqa: S105  a path


@pytest.fixture
def cluster() -> MemoryApi:
    """A cluster with a ConfigMap and a Secret."""
    memory = MemoryApi()
    metadata = {"namespace": "team"}
    memory.put(_CONFIG, {"kind": "ConfigMap", "metadata": metadata, "data": {"a.yaml": "a: 1", "b": "x"}})
    keys = {"tls.key": base64.b64encode(b"\x00key").decode()}
    memory.put(_SECRET, {"kind": "Secret", "metadata": metadata, "data": keys})
    return memory


def volumes(pod: PodBuilder, folder: Path, cluster: MemoryApi, storage: StorageDouble | None = None) -> Volumes:
    """The volumes of a pod, brought up to date."""
    made = Volumes(pod.document, folder / "volumes", cluster.api, storage or StorageDouble(), folder / "nodes")
    made.sync()
    return made


def mounting(volume: Document, path: str = "/etc/x", **more: object) -> PodBuilder:
    """A pod with one volume."""
    return a_pod().container().mounting("v", path, volume, **more)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_config_maps_and_secrets_become_private_files(cluster: MemoryApi, tmp_path: Path) -> None:
    pod = mounting({"configMap": {"name": "settings"}})
    pod.mounting("k", "/keys", {"secret": {"secretName": "keys"}}).mounting("e", "/empty", {"emptyDir": {}})
    volumes(pod, tmp_path, cluster)
    assert contents(tmp_path / "volumes" / "v") == {"a.yaml": b"a: 1", "b": b"x"}
    assert contents(tmp_path / "volumes" / "k") == {"tls.key": b"\x00key"}
    assert contents(tmp_path / "volumes" / "e") == {}
    assert (tmp_path / "volumes" / "k" / "tls.key").stat().st_mode & 0o777 == 0o600


def test_binary_data_of_a_config_map_is_decoded(cluster: MemoryApi, tmp_path: Path) -> None:
    binary = {"model": base64.b64encode(b"\xff").decode()}
    cluster.put(_CONFIG, {"kind": "ConfigMap", "metadata": {}, "binaryData": binary, "data": {"b": "x"}})
    volumes(mounting({"configMap": {"name": "settings"}}), tmp_path, cluster)
    assert contents(tmp_path / "volumes" / "v") == {"model": b"\xff", "b": b"x"}


def test_a_change_is_written_again_and_what_is_gone_is_removed(cluster: MemoryApi, tmp_path: Path) -> None:
    made = volumes(mounting({"configMap": {"name": "settings"}}), tmp_path, cluster)
    target = tmp_path / "volumes" / "v"
    unchanged = (target / "b").stat().st_ino
    made.sync()
    assert (target / "b").stat().st_ino == unchanged, "nothing is written while nothing changes"
    cluster.put(_CONFIG, {"kind": "ConfigMap", "metadata": {}, "data": {"b": "y"}})
    made.sync()
    assert contents(target) == {"b": b"y"}


def test_items_choose_and_name_files(cluster: MemoryApi, tmp_path: Path) -> None:
    volumes(mounting({"configMap": {"name": "settings", "items": [{"key": "b", "path": "c"}]}}), tmp_path, cluster)
    assert contents(tmp_path / "volumes" / "v") == {"c": b"x"}


def test_an_optional_object_may_be_missing(cluster: MemoryApi, tmp_path: Path) -> None:
    made = volumes(mounting({"secret": {"secretName": "later", "optional": True}}), tmp_path, cluster)
    assert contents(tmp_path / "volumes" / "v") == {}
    later = {"kind": "Secret", "metadata": {}, "data": {"a": base64.b64encode(b"1").decode()}}
    cluster.put("/api/v1/namespaces/team/secrets/later", later)
    made.sync()
    assert contents(tmp_path / "volumes" / "v") == {"a": b"1"}


@pytest.mark.parametrize(
    ("volume", "text"),
    [
        ({"configMap": {"name": "none"}}, 'MountVolume.SetUp failed: configmap "none" not found'),
        ({"secret": {"secretName": "none"}}, 'MountVolume.SetUp failed: secret "none" not found'),
        ({"hostPath": {"path": "/"}}, 'volume "v" is hostPath, which the simulator does not mount'),
        ({"projected": {"sources": []}}, 'volume "v" is projected, which the simulator does not mount'),
        (
            {"configMap": {"name": "settings", "items": [{"key": "z", "path": "z"}]}},
            "MountVolume.SetUp failed: references non-existent key z of settings",
        ),
        (
            {"configMap": {"name": "settings", "items": [{"key": "b", "path": "c/d"}]}},
            "c/d lies in a folder of its volume, which the simulator does not make",
        ),
    ],
)
def test_what_cannot_be_mounted_is_refused(
    cluster: MemoryApi, tmp_path: Path, volume: dict[str, Any], text: str
) -> None:
    with pytest.raises(VolumeError) as caught:
        volumes(mounting(volume), tmp_path, cluster)
    assert str(caught.value) == text


_CLAIM = "/api/v1/namespaces/team/persistentvolumeclaims/files"
_VOLUME = "/api/v1/persistentvolumes/pv"


def put_claim(cluster: MemoryApi, phase: str = "Bound", source: Document | None = None) -> None:
    """The claim `files`, and the volume that it is bound to."""
    cluster.put(_CLAIM, {"metadata": {"name": "files"}, "spec": {"volumeName": "pv"}, "status": {"phase": phase}})
    spec = source or {"nfs": {"server": "10.0.0.2", "path": "/vol1"}}
    cluster.put(_VOLUME, {"metadata": {"name": "pv"}, "spec": spec})


def through_claim(**more: object) -> PodBuilder:
    """A pod that mounts the claim."""
    return mounting({"persistentVolumeClaim": {"claimName": "files"}}, "/mnt/files", **more)


@pytest.mark.parametrize("direct", [True, False], ids=["named by the pod", "through a claim"])
def test_an_nfs_volume_is_the_folder_of_the_share(cluster: MemoryApi, tmp_path: Path, *, direct: bool) -> None:
    put_claim(cluster)
    folder = tmp_path / "share"
    folder.mkdir()
    storage = StorageDouble(shares={("10.0.0.2", "/vol1"): folder})
    nfs = mounting({"nfs": {"server": "10.0.0.2", "path": "/vol1"}}, "/mnt/files")
    pod = nfs if direct else through_claim()
    made = volumes(pod, tmp_path, cluster, storage)
    found = made.path(pod.document["spec"]["containers"][0], "/mnt/files/datasets/a.csv")
    assert found is not None
    assert found.parent.parent.resolve() == folder
    made.sync()


def test_a_sub_path_of_a_share_is_made(cluster: MemoryApi, tmp_path: Path) -> None:
    put_claim(cluster)
    folder = tmp_path / "share"
    folder.mkdir()
    pod = through_claim(subPath="teams/a")
    container = pod.document["spec"]["containers"][0]
    made = volumes(pod, tmp_path, cluster, StorageDouble(shares={("10.0.0.2", "/vol1"): folder}))
    made.make_sub_paths(container)
    assert (folder / "teams" / "a").is_dir()
    assert made.path(container, "/mnt/files") == tmp_path / "volumes" / "v" / "teams" / "a"


@pytest.mark.parametrize(
    ("phase", "source", "text"),
    [
        (
            "Bound",
            None,
            (
                'MountVolume.SetUp failed for volume "pv" : mount failed: exit status 32: mount.nfs: no Filestore '
                "instance on the cluster's network serves 10.0.0.2:/vol1"
            ),
        ),
        ("Pending", None, 'persistentvolumeclaim "files" is not bound'),
        (
            "Bound",
            {"csi": {"driver": "d"}},
            (
                'MountVolume.SetUp failed for volume "pv" : kubernetes.io/csi: mounter.SetUpAt failed to get CSI '
                "client: driver name d not found in the list of registered CSI drivers"
            ),
        ),
        (
            "Bound",
            {"hostPath": {"path": "/x"}},
            (
                'persistent volume "pv" is neither an NFS volume nor one of a CSI driver, which is all that the '
                "simulator mounts"
            ),
        ),
    ],
    ids=["no such server", "not bound", "no driver", "another kind"],
)
def test_a_claim_that_cannot_be_mounted_is_waited_for(
    cluster: MemoryApi, tmp_path: Path, phase: str, source: Document | None, text: str
) -> None:
    put_claim(cluster, phase, source)
    with pytest.raises(VolumeError) as caught:
        volumes(through_claim(), tmp_path, cluster)
    assert str(caught.value) == text


def test_a_claim_that_does_not_exist_is_waited_for(cluster: MemoryApi, tmp_path: Path) -> None:
    with pytest.raises(VolumeError) as caught:
        volumes(through_claim(), tmp_path, cluster)
    assert str(caught.value) == 'persistentvolumeclaim "files" not found'


def test_the_service_account_volume_is_left_to_the_kubeconfig(cluster: MemoryApi, tmp_path: Path) -> None:
    pod = a_pod().container().mounting("kube-api-access-x7k2p", "/var/run/secrets", {"projected": {"sources": []}})
    volumes(pod, tmp_path, cluster)
    assert not (tmp_path / "volumes").exists()


def test_paths_in_the_container_are_found_here(cluster: MemoryApi, tmp_path: Path) -> None:
    pod = mounting({"emptyDir": {}}, "/data")
    pod.mounting("config", "/data/certs", {"configMap": {"name": "settings"}})
    pod.mounting("one", "/manager.yaml", {"configMap": {"name": "settings"}}, subPath="a.yaml")
    made, container = volumes(pod, tmp_path, cluster), pod.document["spec"]["containers"][0]
    root = tmp_path / "volumes"
    assert made.path(container, "/data/a/b") == root / "v" / "a" / "b"
    assert made.path(container, "/data/certs/b") == root / "config" / "b"
    assert made.path(container, "/manager.yaml") == root / "one" / "a.yaml"
    assert made.path(container, "/manager.yaml.bak") is None
    assert made.path(container, "/etc/other") is None


def test_files_are_replaced_as_a_whole(tmp_path: Path) -> None:
    write_files(tmp_path / "f", {"a": b"1", "b": b"2"})
    with (tmp_path / "f" / "a").open("rb") as reader:
        write_files(tmp_path / "f", {"a": b"changed"})
        assert reader.read() == b"1", "a reader keeps what it opened"
    assert contents(tmp_path / "f") == {"a": b"changed"}
