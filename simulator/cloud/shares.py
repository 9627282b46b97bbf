"""The files of Filestore instances: one folder per share, and who on which network reaches it.

An instance serves its share to the machines of one VPC network, under its own address. Two networks may have instances
of the same address, so a share is looked for from a cluster, not by its address alone.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from simulator.cloud.api import Kind
from simulator.cloud.names import parts_of

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.cloud.api import Body
    from simulator.cloud.store import View


class Shares:
    """Folders below one folder: `PROJECT/LOCATION/INSTANCE/SHARE`."""

    def __init__(self, folder: Path) -> None:
        """`folder` is made with the first share."""
        self._folder = folder

    def make(self, name: str, body: Body) -> None:
        """Make the folder of the share of an instance, an API name with its document."""
        self._share(name, body).mkdir(parents=True, exist_ok=True, mode=0o700)

    def remove(self, name: str) -> None:
        """Remove an instance's files, and the folders above that are then empty."""
        folder = self._instance(name)
        if folder.exists():
            shutil.rmtree(folder)
        for parent in (folder.parent, folder.parent.parent):
            if parent.exists() and not any(parent.iterdir()):
                parent.rmdir()

    def find(self, view: View, cluster: str, server: str, path: str) -> Path | None:
        """The folder that nodes of a cluster (an API name) reach as `server:path`; None when there is none."""
        record = view.get(cluster)
        if record is None:
            return None
        network = record.body["networkConfig"]["network"]
        for name, body in view.list(Kind.FILESTORE):
            on_network = any(server in each["ipAddresses"] for each in body["networks"] if each["network"] == network)
            if on_network and body["state"] == "READY" and path == _export(body):
                return self._share(name, body)
        return None

    def all(self, view: View) -> list[dict[str, Any]]:
        """Every instance with its state, where it is mounted from and its folder here, sorted by name; JSON."""
        return [
            {
                "name": name,
                "state": body["state"],
                "source": f"{body['networks'][0]['ipAddresses'][0]}:{_export(body)}",
                "folder": str(self._share(name, body)),
            }
            for name, body in view.list(Kind.FILESTORE)
        ]

    def _share(self, name: str, body: Body) -> Path:
        return self._instance(name) / body["fileShares"][0]["name"]

    def _instance(self, name: str) -> Path:
        parts = parts_of(Kind.FILESTORE, name)
        return self._folder / parts["project"] / parts["location"] / parts["name"]


def _export(body: Body) -> str:
    """The path under which the share is mounted."""
    return f"/{body['fileShares'][0]['name']}"
