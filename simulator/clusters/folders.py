"""The folders of clusters: one below the fleet's for each, with the settings that it was created with."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
from typing import TYPE_CHECKING, Final

from simulator.cloud.machines import ClusterSpec
from simulator.clusters.settings import MADE_ANEW
from simulator.files import read_json, write_whole
from simulator.processes import end_recorded

if TYPE_CHECKING:
    from pathlib import Path

_SETTINGS: Final = "spec.json"


def folder_of(clusters: Path, name: str) -> Path:
    """The folder of the cluster with that API name, below that of all clusters.

    It is short, because socket paths are; with a hash, because two projects may have a cluster of one name.
    """
    return clusters / f"{name.rpartition('/')[2]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def created(clusters: Path) -> list[Path]:
    """The folders of the clusters that were created, sorted."""
    return sorted(path.parent for path in clusters.glob(f"*/{_SETTINGS}"))


def record(folder: Path, spec: ClusterSpec) -> None:
    """Record that the cluster is created; its folder is made unless it is there."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(folder / _SETTINGS, json.dumps(dataclasses.asdict(spec)))


def recorded(folder: Path) -> ClusterSpec:
    """The settings that `record` wrote; an older release may have written more.

    Raises:
        BrokenFileError: the record is not whole.
    """
    found = read_json(folder / _SETTINGS, MADE_ANEW)
    return ClusterSpec(**{each.name: found[each.name] for each in dataclasses.fields(ClusterSpec)})


def remove(folder: Path) -> None:
    """Remove the folder of a cluster that nobody supervises, once its processes are ended."""
    end_recorded(folder / "pids")
    shutil.rmtree(folder)
