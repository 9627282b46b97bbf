"""Doubles official plugins: our stand-ins in the places of the official ones, and in their ways with charts.

A Release of the official kubernetes plugin takes its chart from the registry that the reference names, at Check too; so
does that of this double, with the real Helm. A contrary double decides and checks one thing otherwise.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from simulator.client import RemoteCloud, ensure
from simulator.home import find_home
from simulator.providers.base import Checked, Difference, Engine, Request, StandIn
from simulator.providers.gcp import GcpProvider
from simulator.providers.kube.charts import ChartError, Charts
from simulator.providers.kube.helm import helm_tool
from simulator.providers.kube.provider import KubernetesProvider
from simulator.providers.random_passwords import RandomProvider
from simulator.providers.serve import serve
from simulator.providers.serving import DaemonOutages
from simulator.toolchain.provision import locate
from simulator.toolchain.tools import LANGUAGE_EXEC, LANGUAGE_HOST
from tests.tracked import ROOT

VERSIONS: Final = {"gcp": "9.35.0", "kubernetes": "4.32.0", "random": "4.21.0"}
"""Of the official plugins on which the table of decisions was measured."""
_CONTRARY: Final = "contrary"


def write_double(folder: Path, *, contrary: bool = False) -> Path:
    """Makes `folder` a PULUMI_HOME with a double of everything that the lane needs."""
    for package, version in VERSIONS.items():
        plugin = folder / "plugins" / f"resource-{package}-v{version}" / f"pulumi-resource-{package}"
        plugin.parent.mkdir(parents=True)
        words = [sys.executable, "-m", "tests.official.double", *([_CONTRARY] if contrary else []), package]
        plugin.write_text(f'#!/bin/sh\ncd {shlex.quote(str(ROOT))} && exec {shlex.join(words)} "$@"\n')
        plugin.chmod(0o755)
    commands = folder / "bin"
    commands.mkdir()
    language_exec = locate(("pulumi",)).language_exec
    (commands / LANGUAGE_EXEC).symlink_to(language_exec)
    (commands / LANGUAGE_HOST).symlink_to(language_exec.with_name(LANGUAGE_HOST))
    return folder


@dataclass(frozen=True, slots=True)
class PulledCharts(Charts):
    """Charts that are pulled anew each time, as the environment of the plugin leads to their registry."""

    helm: Path
    scratch: Path

    def folder(self, reference: str, version: str | None) -> Path:
        """The chart as the registry gave it."""
        into = tempfile.mkdtemp(dir=self.scratch)
        command = [str(self.helm), "pull", reference, f"--version={version}", "--untar", f"--untardir={into}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ChartError(done.stderr)
        (folder,) = (path for path in Path(into).iterdir() if path.is_dir())
        return folder


class ContraryGcp(GcpProvider):
    """Doubles a gcp plugin that records another MTU than the stand-in."""

    def check(self, request: Request) -> Checked:
        """As the stand-in, but for the MTU of a network."""
        checked = super().check(request)
        return replace(checked, inputs={**checked.inputs, "mtu": 1460}) if "mtu" in checked.inputs else checked


class ContraryKubernetes(KubernetesProvider):
    """Doubles a kubernetes plugin that sees no change in the value of a PriorityClass."""

    def diff(self, request: Request) -> Difference:
        """As the stand-in, but for that value."""
        found = super().diff(request)
        return Difference() if ":PriorityClass" in request.type and "value" in found.changes else found


def _make(package: str, engine: Engine, scratch: Path, *, contrary: bool) -> StandIn:
    home = find_home()
    match package:
        case "gcp":
            return (ContraryGcp if contrary else GcpProvider)(engine, RemoteCloud(ensure(home)))
        case "kubernetes":
            helm = helm_tool(os.environ)
            pulled = replace(helm, charts=PulledCharts({}, helm.binary, scratch))
            kind = ContraryKubernetes if contrary else KubernetesProvider
            return kind(engine, DaemonOutages(ensure(home)), pulled)
        case _:
            return RandomProvider(engine)


def main(arguments: list[str]) -> None:
    """Serve the package named first, after the word for a contrary double; the rest is what the engine passes."""
    contrary = arguments[0] == _CONTRARY
    package, *rest = arguments[1:] if contrary else arguments
    with tempfile.TemporaryDirectory(prefix="pulled-") as name:
        serve(lambda engine: _make(package, engine, Path(name), contrary=contrary), rest)


if __name__ == "__main__":
    main(sys.argv[1:])
