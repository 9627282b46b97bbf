"""How each stand-in is made and served; a launcher starts this."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from simulator.client import RemoteCloud, connect, ensure
from simulator.home import Home, find_home
from simulator.providers.plugins import PACKAGES
from simulator.providers.serve import EngineLog, serve
from simulator.rpc import Client, DaemonGoneError

if TYPE_CHECKING:
    from simulator.providers.base import StandIn


def main(arguments: list[str]) -> None:
    """Serve the package in the first argument; the other arguments come from the engine."""
    package, *rest = arguments
    home = find_home()
    serve(lambda engine: _make(package, engine, home), rest)


def _make(package: str, engine: EngineLog, home: Home) -> StandIn:
    # Each package's own imports are left to the process that serves it.
    match package:
        case "gcp":
            from simulator.providers.gcp import GcpProvider  # noqa: PLC0415

            return GcpProvider(engine, RemoteCloud(ensure(home)))
        case "kubernetes":
            from simulator.providers.kube.helm import helm_tool  # noqa: PLC0415
            from simulator.providers.kube.provider import KubernetesProvider  # noqa: PLC0415

            client = ensure(home)
            helm = helm_tool(os.environ, clusters_are_gone=lambda: connect(home) is None)
            return KubernetesProvider(engine, DaemonOutages(client), helm)
        case "random":
            from simulator.providers.random_passwords import RandomProvider  # noqa: PLC0415

            return RandomProvider(engine)
        case _:
            raise SystemExit(f"the simulator has no stand-in for package {package}; it has {', '.join(PACKAGES)}")


class DaemonOutages:
    """The daemon, which knows what happened to an API server. Implements `kube.access.OutageReporter`."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def outage(self, server: str) -> tuple[bool, str] | None:
        """As `OutageReporter.outage`."""
        try:
            answer = self._client.call("clusters.outage", server=server)
        except DaemonGoneError as error:
            return False, str(error)
        return None if answer is None else (bool(answer[0]), str(answer[1]))
