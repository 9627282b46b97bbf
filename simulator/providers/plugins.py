"""The stand-in plugins by package: how each is made, and the launchers through which the engine finds them."""

from __future__ import annotations

import os
import re
import shlex
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from simulator.client import RemoteCloud, ensure
from simulator.files import write_whole
from simulator.home import HOME_VARIABLE, find_home
from simulator.providers.kube.charts import local_charts
from simulator.providers.kube.helm import HelmTool
from simulator.providers.serve import EngineLog, serve
from simulator.providers.versions import plugin_version
from simulator.rpc import DaemonGoneError
from toolchain.provision import locate

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from simulator.home import Home
    from simulator.providers.base import StandIn
    from simulator.rpc import Client

PACKAGES: Final = ("gcp", "kubernetes", "random")
PLUGINS_VARIABLE: Final = "TPU_SIMULATOR_PLUGINS"
"""Environment variable that names a PULUMI_HOME; each plugin in it takes the place of the stand-in of its package."""
_OTHERS_FIND: Final = {"GOOGLE_OAUTH_ACCESS_TOKEN": "none", "PULUMI_GCP_SKIP_REGION_VALIDATION": "true"}
"""What the official gcp plugin needs for a preview without Google. The token is valid nowhere."""


@dataclass(frozen=True, slots=True)
class Others:
    """Plugins that take the place of stand-ins."""

    folder: Path
    """A PULUMI_HOME."""
    proxy: Mapping[str, str]
    """Variables that lead their HTTPS to what `simulator/outside.py` serves, and nowhere else."""

    def plugin(self, package: str) -> Path | None:
        """The plugin of a package: the newest that is there, whatever version the SDK asks for."""
        found = self.folder.glob(f"plugins/resource-{package}-v*/pulumi-resource-{package}")
        return max(found, key=lambda path: [int(each) for each in re.findall(r"\d+", path.parent.name)], default=None)


def main(arguments: list[str]) -> None:
    """Serve the package named first; the rest is what the engine passes."""
    package, *rest = arguments
    home = find_home()
    serve(lambda engine: _make(package, engine, home), rest)


def write_launchers(home: Home, others: Others | None = None) -> None:
    """Make PULUMI_HOME/plugins hold one launcher per package, under the exact version that its SDK asks for."""
    for package in PACKAGES:
        path = launcher(home, package)
        path.parent.mkdir(parents=True, exist_ok=True)
        variables, command = {HOME_VARIABLE: str(home.root)}, [sys.executable, "-m", "simulator.providers", package]
        other = None if others is None else others.plugin(package)
        if others is not None and other is not None:
            variables, command = {**variables, **_OTHERS_FIND, **others.proxy}, [str(other.resolve())]
        words = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
        write_whole(path, f'#!/bin/sh\n{words} exec {shlex.join(command)} "$@"\n', mode=0o755)


def launcher(home: Home, package: str) -> Path:
    """What the engine starts for a package."""
    folder = f"resource-{package}-v{plugin_version(f'pulumi-{package}')}"
    return home.pulumi_home / "plugins" / folder / f"pulumi-resource-{package}"


def _make(package: str, engine: EngineLog, home: Home) -> StandIn:
    # Each package's own imports are left to the process that serves it.
    match package:
        case "gcp":
            from simulator.providers.gcp import GcpProvider  # noqa: PLC0415

            return GcpProvider(engine, RemoteCloud(ensure(home)))
        case "kubernetes":
            from simulator.providers.kube.provider import KubernetesProvider  # noqa: PLC0415

            return KubernetesProvider(engine, DaemonWatchman(ensure(home)), helm_tool(os.environ))
        case "random":
            from simulator.providers.randomness import RandomProvider  # noqa: PLC0415

            return RandomProvider(engine)
        case _:
            raise SystemExit(f"the simulator has no stand-in for package {package}; it has {', '.join(PACKAGES)}")


class DaemonWatchman:
    """The daemon, which knows what became of an API server. Implements `kube.access.Watchman`."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def outage(self, server: str) -> tuple[bool, str] | None:
        """As `Watchman.outage`."""
        try:
            answer = self._client.call("clusters.outage", server=server)
        except DaemonGoneError as error:
            return False, str(error)
        return None if answer is None else (bool(answer[0]), str(answer[1]))


def helm_tool(environment: Mapping[str, str]) -> HelmTool:
    """Helm with the charts on this machine; `environment` must lead to the clusters' credential plugin."""
    return HelmTool(locate(("helm",)).binary("helm"), local_charts(), environment)
