"""A pod's volumes as folders on this machine.

ConfigMaps, Secrets and emptyDirs are written below the pod's folder; a Secret or ConfigMap that changes is written
again, as a kubelet would. An NFS volume, its own or through a claim, is a link to the folder of the share. Another kind
of volume is refused. Read-only mounts stay writable: to enforce that would need a real mount, and so root.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from kubeapi.documents import entries, section
from simulator.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubeapi import Api
    from kubeapi.documents import Document

_SERVICE_ACCOUNT: Final = "kube-api-access-"
"""Beginning of the name of the volume that the API server adds to every pod; programs here get a kubeconfig instead."""

_WITHOUT_OWN_FOLDERS: Final = {"configMap", "secret"}
"""Kinds of volumes that hold the data of an object and nothing else."""


_KINDS: Final = ("emptyDir", "configMap", "secret", "nfs", "persistentVolumeClaim")


def are_modelled(pod: Document) -> bool:
    """Whether all volumes of a pod are of kinds that are folders here."""
    volumes = entries(section(pod, "spec"), "volumes")
    own = [each for each in volumes if not each["name"].startswith(_SERVICE_ACCOUNT)]
    return all(any(kind in each for kind in _KINDS) for each in own)


class VolumeError(Exception):
    """A volume cannot be provided; the text says which and why."""


@dataclass(slots=True)
class Volumes:
    """The volumes of one pod."""

    pod: Document
    folder: Path
    """Folder that holds one folder per volume."""
    api: Api
    share: Callable[[str, str], Path | None]
    """The folder behind an NFS server and its path, None when no such server is on the cluster's network."""
    _versions: dict[str, str] = field(default_factory=dict[str, str])

    def sync(self) -> None:
        """Update every volume to the objects in the API server.

        Raises:
            VolumeError: an object or share does not exist (yet), or a volume is of a kind not modelled.
            kubeapi.UnreachableError: the API server is gone.
        """
        for volume in entries(section(self.pod, "spec"), "volumes"):
            self._sync(volume)

    def make_sub_paths(self, container: Document) -> None:
        """Make the folders that the container's mounts name inside its volumes and that are not there yet."""
        volumes = entries(section(self.pod, "spec"), "volumes")
        own = {volume["name"] for volume in volumes if not _WITHOUT_OWN_FOLDERS & volume.keys()}
        for mount in entries(container, "volumeMounts"):
            if mount.get("subPath") and mount["name"] in own:
                (self.folder / mount["name"] / mount["subPath"]).mkdir(parents=True, exist_ok=True, mode=0o750)

    def path(self, container: Document, inside: str) -> Path | None:
        """Where the path `inside` the container is on this machine, None when no volume is mounted there."""
        wanted = PurePosixPath(inside)
        mounts = [mount for mount in entries(container, "volumeMounts") if wanted.is_relative_to(mount["mountPath"])]
        if not mounts:
            return None
        mount = max(mounts, key=lambda mount: len(PurePosixPath(mount["mountPath"]).parts))
        if "subPathExpr" in mount:
            raise VolumeError(f'volumeMount "{mount["name"]}" has a subPathExpr, which the simulator does not expand')
        source = self.folder / mount["name"] / str(mount.get("subPath", ""))
        return source / wanted.relative_to(mount["mountPath"])

    def _sync(self, volume: Document) -> None:
        target = self.folder / volume["name"]
        if volume["name"].startswith(_SERVICE_ACCOUNT):
            return
        if "emptyDir" in volume:
            target.mkdir(parents=True, exist_ok=True)
        elif "configMap" in volume:
            self._write_object("configmaps", volume["configMap"]["name"], target, volume["configMap"])
        elif "secret" in volume:
            self._write_object("secrets", volume["secret"]["secretName"], target, volume["secret"])
        elif "nfs" in volume:
            self._link(target, volume["name"], volume["nfs"])
        elif "persistentVolumeClaim" in volume:
            self._mount_claim(target, volume["persistentVolumeClaim"]["claimName"])
        else:
            kind = next(iter(sorted(set(volume) - {"name"})), "of no kind")
            raise VolumeError(f'volume "{volume["name"]}" is {kind}, which the simulator does not mount')

    def _mount_claim(self, target: Path, name: str) -> None:
        if target.is_symlink():
            return
        claim = self.api.find(f"/api/v1/namespaces/{self.pod['metadata']['namespace']}/persistentvolumeclaims/{name}")
        if claim is None:
            raise VolumeError(f'persistentvolumeclaim "{name}" not found')
        bound = section(claim, "spec").get("volumeName")
        if section(claim, "status").get("phase") != "Bound" or not bound:
            raise VolumeError(f'persistentvolumeclaim "{name}" is not bound')
        spec = section(self.api.get(f"/api/v1/persistentvolumes/{bound}"), "spec")
        if "nfs" not in spec:
            raise VolumeError(
                f'persistent volume "{bound}" is not an NFS volume, which is all that the simulator mounts'
            )
        self._link(target, bound, spec["nfs"])

    def _link(self, target: Path, name: str, source: Document) -> None:
        """Mount an NFS volume: a link that leads to the share, so that every pod sees the same files."""
        if target.is_symlink():
            return
        folder = self.share(source["server"], source["path"])
        if folder is None:
            raise VolumeError(
                f'MountVolume.SetUp failed for volume "{name}" : mount failed: exit status 32: mount.nfs: no Filestore '
                f"instance on the cluster's network serves {source['server']}:{source['path']}"
            )
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        target.symlink_to(folder)

    def _write_object(self, plural: str, name: str, target: Path, source: Document) -> None:
        namespace = self.pod["metadata"]["namespace"]
        found = self.api.find(f"/api/v1/namespaces/{namespace}/{plural}/{name}")
        if found is None:
            if source.get("optional"):
                target.mkdir(parents=True, exist_ok=True)
                return
            raise VolumeError(f'MountVolume.SetUp failed: {plural[:-1]} "{name}" not found')
        version = found["metadata"]["resourceVersion"]
        if self._versions.get(str(target)) != version:
            write_files(target, _chosen(_contents(found), entries(source, "items"), name))
            self._versions[str(target)] = version


def write_files(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Make `folder` hold exactly `contents`, each file readable by this user only and replaced as a whole."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name, data in contents.items():
        write_whole(folder / name, data)
    for stale in folder.iterdir():
        if stale.name not in contents and not stale.name.startswith("."):
            stale.unlink()


def _chosen(contents: dict[str, bytes], items: list[Document], name: str) -> dict[str, bytes]:
    """The files of a volume that names `items`: keys of the object and the paths at which they appear."""
    for item in items:
        if item["key"] not in contents:
            raise VolumeError(f"MountVolume.SetUp failed: references non-existent key {item['key']} of {name}")
        if "/" in item["path"]:
            raise VolumeError(f"{item['path']} lies in a folder of its volume, which the simulator does not make")
    return {item["path"]: contents[item["key"]] for item in items} if items else contents


def _contents(document: Document) -> dict[str, bytes]:
    if document.get("kind") == "Secret":
        return {key: base64.b64decode(value) for key, value in section(document, "data").items()}
    texts = {key: str(value).encode() for key, value in section(document, "data").items()}
    return texts | {key: base64.b64decode(value) for key, value in section(document, "binaryData").items()}
