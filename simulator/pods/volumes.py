"""A pod's volumes as folders on this machine.

ConfigMaps, Secrets and emptyDirs are written below the pod's folder; a Secret or ConfigMap that changes is written
again, as a kubelet would. Another kind of volume is refused.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from kubeapi.documents import entries, section
from simulator.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubeapi import Api
    from kubeapi.documents import Document

_SERVICE_ACCOUNT: Final = "kube-api-access-"
"""Beginning of the name of the volume that the API server adds to every pod; programs here get a kubeconfig instead."""


class VolumeError(Exception):
    """A volume cannot be had; the text says which and why."""


@dataclass(slots=True)
class Volumes:
    """The volumes of one pod."""

    pod: Document
    folder: Path
    """Folder that holds one folder per volume."""
    api: Api
    _versions: dict[str, str] = field(default_factory=dict[str, str])

    def sync(self) -> None:
        """Bring every volume up to what the API server holds.

        Raises:
            VolumeError: a ConfigMap or Secret does not exist (yet), or a volume is of a kind not modelled.
            kubeapi.UnreachableError: the API server is gone.
        """
        for volume in entries(section(self.pod, "spec"), "volumes"):
            self._sync(volume)

    def path(self, container: Document, inside: str) -> Path | None:
        """Where the path `inside` the container is on this machine, None when no volume is mounted there."""
        wanted = PurePosixPath(inside)
        mounts = [mount for mount in entries(container, "volumeMounts") if wanted.is_relative_to(mount["mountPath"])]
        if not mounts:
            return None
        mount = max(mounts, key=lambda mount: len(PurePosixPath(mount["mountPath"]).parts))
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
        else:
            kind = next(iter(sorted(set(volume) - {"name"})), "of no kind")
            raise VolumeError(f'volume "{volume["name"]}" is {kind}, which the simulator does not mount')

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
