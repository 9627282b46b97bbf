"""A pod's volumes as folders on this machine.

ConfigMaps, Secrets and emptyDirs are written below the pod's folder; a Secret or ConfigMap that changes is written
again, as a kubelet would. An NFS volume or one of a CSI driver (`csi/`), its own or through a claim, is a link to the
folder that it is. Another kind of volume is refused. Read-only mounts stay writable: to enforce that would need a real
mount, and so root; sizes are not enforced either.
"""

from __future__ import annotations

import base64
import contextlib
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from components.kubeapi import Api, ApiError, UnreachableError
from components.kubeapi.documents import Document, entries, section
from simulator.files import write_whole
from simulator.pods.csi import drivers
from simulator.pods.csi.request import Request, VolumeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from simulator.pods.storage import Storage

_SERVICE_ACCOUNT: Final = "kube-api-access-"
"""Beginning of the name of the volume that the API server adds to every pod; programs here get a kubeconfig instead."""

_WITHOUT_OWN_FOLDERS: Final = {"configMap", "secret"}
"""Kinds of volumes that hold the data of an object and nothing else."""


_MOUNTED: Final = {"configMap", "csi", "ephemeral", "nfs", "persistentVolumeClaim", "secret"}
"""Kinds of volumes that must be there before a pod starts."""


def must_be_mounted(volume: Document) -> bool:
    """Whether a pod's volume is more than an empty folder, so that its mount can fail."""
    return bool(_MOUNTED & volume.keys())


_KINDS: Final = _MOUNTED | {"emptyDir"}


def are_modelled(pod: Document) -> bool:
    """Whether all volumes of a pod are of kinds that are folders here."""
    volumes = entries(section(pod, "spec"), "volumes")
    own = [each for each in volumes if not each["name"].startswith(_SERVICE_ACCOUNT)]
    return all(any(kind in each for kind in _KINDS) for each in own)


@dataclass(slots=True)
class Volumes:
    """The volumes of one pod."""

    pod: Document
    folder: Path
    """Folder that holds one folder per volume."""
    api: Api
    storage: Storage
    """The storage in the cloud that the cluster reaches."""
    nodes: Path
    """Folder with one folder per node, for what nodes keep beside their pods."""
    _requests: dict[str, Request] = field(default_factory=dict[str, Request])
    """The volumes of CSI drivers that are mounted, by name."""
    _versions: dict[str, str] = field(default_factory=dict[str, str])

    def sync(self) -> None:
        """Update every volume to the objects in the API server.

        Raises:
            VolumeError: an object or share does not exist (yet), or a volume is of a kind not modelled.
            kubeapi.UnreachableError: the API server is gone.
        """
        for volume in entries(section(self.pod, "spec"), "volumes"):
            self._sync(volume)

    def mount(self) -> None:
        """Like `sync` for a pod that nothing runs for: volumes of other kinds have no effect.

        Raises:
            VolumeError: as `sync`.
            kubeapi.UnreachableError: the API server is gone.
        """
        for volume in entries(section(self.pod, "spec"), "volumes"):
            if must_be_mounted(volume) or "emptyDir" in volume:
                self._sync(volume)

    def keep(self) -> None:
        """Let drivers do what they do beside a pod that runs, such as backups.

        Raises:
            VolumeError: a driver is no longer able to.
            kubeapi.UnreachableError: the API server is gone.
        """
        for request in self._requests.values():
            drivers.after(request)

    def keep_at_end(self, *, is_lost: bool) -> None:
        """As `keep`, for what was written just before the end; the drivers of a machine that `is_lost` do nothing.

        What fails now is not tried again: the pod has ended.
        """
        if not is_lost:
            with contextlib.suppress(ApiError, OSError, UnreachableError, VolumeError):
                self.keep()

    @property
    def needs_care(self) -> bool:
        """Whether `keep` does anything."""
        return any(drivers.needs_care(request) for request in self._requests.values())

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
        if volume["name"].startswith(_SERVICE_ACCOUNT):
            return
        ways: dict[str, Callable[[Path, Document], None]] = {
            "emptyDir": lambda target, _: target.mkdir(parents=True, exist_ok=True),
            "configMap": lambda target, source: self._write_object("configmaps", source["name"], target, source),
            "secret": lambda target, source: self._write_object("secrets", source["secretName"], target, source),
            "nfs": lambda target, source: self._link(target, volume["name"], source),
            "persistentVolumeClaim": lambda target, source: self._mount_claim(target, source["claimName"]),
            "ephemeral": lambda target, _: self._mount_claim(
                target, f"{self.pod['metadata']['name']}-{volume['name']}"
            ),
            "csi": lambda target, source: self._mount_driver(target, source, volume["name"], is_inline=True),
        }
        kind = next(iter(sorted(set(volume) - {"name"})), "of no kind")
        if kind not in ways:
            raise VolumeError(f'volume "{volume["name"]}" is {kind}, which the simulator does not mount')
        ways[kind](self.folder / volume["name"], volume[kind])

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
        if "csi" in spec:
            options: list[str] = spec.get("mountOptions") or []
            self._mount_driver(target, spec["csi"], bound, is_inline=False, options=options)
        elif "nfs" in spec:
            self._link(target, bound, spec["nfs"])
        else:
            raise VolumeError(
                f'persistent volume "{bound}" is neither an NFS volume nor one of a CSI driver, which is all that the '
                "simulator mounts"
            )

    def _mount_driver(
        self, target: Path, source: Document, name: str, *, is_inline: bool, options: Sequence[str] = ()
    ) -> None:
        """Mount a volume of a CSI driver: a link to the folder that the driver gives."""
        if target.name in self._requests:
            return
        node = section(self.pod, "spec").get("nodeName", "")
        request = Request(
            pod=self.pod,
            node=self.api.find(f"/api/v1/nodes/{node}") or {},
            volume=name,
            is_inline=is_inline,
            driver=source["driver"],
            handle=source.get("volumeHandle", ""),
            attributes={
                **({"mountOptions": ",".join(options)} if options else {}),
                **section(source, "volumeAttributes"),
            },
            read_only=bool(source.get("readOnly")),
            target=self.folder / f".{target.name}",
            kept=self.nodes / node,
            api=self.api,
            storage=self.storage,
        )
        if not target.is_symlink():
            folder = drivers.mount(request)
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            target.symlink_to(folder)
        self._requests[target.name] = request

    def _link(self, target: Path, name: str, source: Document) -> None:
        """Mount an NFS volume: a link that leads to the share, so that every pod sees the same files."""
        if target.is_symlink():
            return
        folder = self.storage.share(source["server"], source["path"])
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
