"""A pod's volumes as folders on this machine.

ConfigMaps, Secrets, emptyDirs and downward-API-free projected volumes are written below the pod's folder; a Secret or
ConfigMap that changes is written again, as a kubelet would. Another kind of volume is refused.
"""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from kubeapi.documents import entries, section

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubeapi import Api
    from kubeapi.documents import Document

_IGNORED: Final = "projected"
"""The service account volume that the API server adds to every pod; programs here get a kubeconfig instead."""


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
        for mount in entries(container, "volumeMounts"):
            root = PurePosixPath(mount["mountPath"])
            if wanted == root or root in wanted.parents:
                source = self.folder / mount["name"] / str(mount.get("subPath", ""))
                return source / wanted.relative_to(root)
        return None

    def _sync(self, volume: Document) -> None:
        target = self.folder / volume["name"]
        if "emptyDir" in volume:
            target.mkdir(parents=True, exist_ok=True)
        elif "configMap" in volume:
            source = volume["configMap"]
            self._write_object("configmaps", source["name"], target, optional=bool(source.get("optional")))
        elif "secret" in volume:
            source = volume["secret"]
            self._write_object("secrets", source["secretName"], target, optional=bool(source.get("optional")))
        elif _IGNORED not in volume:
            kind = next(iter(set(volume) - {"name"}), "of no kind")
            raise VolumeError(f'volume "{volume["name"]}" is {kind}, which the simulator does not mount')

    def _write_object(self, plural: str, name: str, target: Path, *, optional: bool) -> None:
        namespace = self.pod["metadata"]["namespace"]
        found = self.api.find(f"/api/v1/namespaces/{namespace}/{plural}/{name}")
        if found is None:
            if optional:
                target.mkdir(parents=True, exist_ok=True)
                return
            raise VolumeError(f'MountVolume.SetUp failed: {plural[:-1]} "{name}" not found')
        version = found["metadata"]["resourceVersion"]
        if self._versions.get(str(target)) != version:
            write_files(target, _contents(found))
            self._versions[str(target)] = version


def write_files(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Make `folder` hold exactly `contents`, each file readable by this user only and replaced as a whole."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name, data in contents.items():
        temporary = folder / f".{name}.new"
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
        temporary.replace(folder / name)
    for stale in folder.iterdir():
        if stale.name not in contents and not stale.name.startswith("."):
            stale.unlink()


def _contents(document: Document) -> dict[str, bytes]:
    if document.get("kind") == "Secret":
        return {key: base64.b64decode(value) for key, value in section(document, "data").items()}
    texts = {key: str(value).encode() for key, value in section(document, "data").items()}
    return texts | {key: base64.b64decode(value) for key, value in section(document, "binaryData").items()}
