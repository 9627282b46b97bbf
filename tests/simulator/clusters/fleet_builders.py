"""Clusters whose processes are small scripts."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from simulator.clock import SpeedClock
from simulator.cloud.machines import ClusterSpec
from simulator.clusters.add_ons import AddOns
from simulator.clusters.settings import SharedSettings
from simulator.clusters.supervisor import Incident
from simulator.shown import REAL
from tests.simulator.pods.storage_double import StorageDouble

_COMPONENT: Final = Path(__file__).parent / "component.py"
_PROCESSES: Final = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok")


@dataclass
class Scripts:
    """A folder with a script for each process of a control plane."""

    folder: Path
    incidents: list[tuple[str, Incident]] = field(default_factory=list[tuple[str, Incident]])
    """By cluster name, as they are reported."""

    def __post_init__(self) -> None:
        self.folder.mkdir()
        for name in _PROCESSES:
            path = self.folder / name
            path.write_text(f'#!/bin/sh\nexec {sys.executable} -S -E {_COMPONENT} {name} "$@"\n')
            path.chmod(0o755)

    def shared(self) -> SharedSettings:
        """What a cluster of these processes is made with: ten times as fast as life."""
        return SharedSettings(
            binaries={name: self.folder / name for name in _PROCESSES},
            releases={name: {"v1": self.folder / name} for name in ("kueue", "jobset")},
            stages="kind: Stage\n",
            definitions=({"kind": "CustomResourceDefinition", "metadata": {"name": "things.example.com"}},),
            token="user-token",  # noqa: S106  not a secret of anybody
            speed=lambda: 10.0,
            eviction=lambda: 300.0,
            now=lambda: 1_795_228_430.0,
            shown=lambda: REAL,
            storage=lambda _: StorageDouble(),
            add_ons=AddOns(self.folder),
            clock=SpeedClock(10.0, self.folder / "clock.jsonl"),
            report=lambda cluster, incident: self.incidents.append((cluster, incident)),
        )


def a_spec(name: str = "tpus") -> ClusterSpec:
    """A cluster of that short name."""
    return ClusterSpec(
        name=f"projects/acme/locations/us-west4/clusters/{name}",
        is_autopilot=False,
        pod_range="10.64.0.0/20",
        service_range="10.20.0.0/20",
    )
