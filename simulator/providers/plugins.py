"""The stand-in plugins by package: how each is made, and the launchers through which the engine finds them."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, Final

from simulator.client import RemoteCloud, ensure
from simulator.files import write_whole
from simulator.home import HOME_VARIABLE, find_home
from simulator.providers.kube.charts import Charts
from simulator.providers.kube.helm import HelmTool
from simulator.providers.serve import EngineLog, serve
from simulator.providers.versions import plugin_version
from simulator.rpc import DaemonGoneError
from toolchain.provision import locate, releases
from toolchain.tools import CHART

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.home import Home
    from simulator.providers.base import StandIn
    from simulator.rpc import Client

PACKAGES: Final = ("gcp", "kubernetes", "random")
CHART_TOOLS: Final = ("kueue", "jobset")
"""Tools that bring a Helm chart of their own."""


def main(arguments: list[str]) -> None:
    """Serve the package named first; the rest is what the engine passes."""
    package, *rest = arguments
    home = find_home()
    serve(lambda engine: _make(package, engine, home), rest)


def write_launchers(home: Home) -> None:
    """Make PULUMI_HOME/plugins hold one launcher per package, under the exact version that its SDK asks for."""
    for package in PACKAGES:
        version = plugin_version(f"pulumi-{package}")
        folder = home.pulumi_home / "plugins" / f"resource-{package}-v{version}"
        folder.mkdir(parents=True, exist_ok=True)
        command = f'{shlex.quote(sys.executable)} -m simulator.providers {package} "$@"'
        script = f"#!/bin/sh\n{HOME_VARIABLE}={shlex.quote(str(home.root))} exec {command}\n"
        write_whole(folder / f"pulumi-resource-{package}", script, mode=0o755)


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
    tools = locate(("helm", *CHART_TOOLS))
    charts = {
        name: {version.removeprefix("v"): found.artefact(CHART) for version, found in releases(name).items()}
        for name in CHART_TOOLS
    }
    return HelmTool(tools.binary("helm"), Charts(charts), environment)
