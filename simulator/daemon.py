"""The daemon: the one long-lived process that owns a simulator folder.

It holds the cloud's state, keeps the clusters' processes running and answers the commands and providers, which come and
go. The first command that needs it starts it; `tpu simulator down` ends it.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from simulator.client import CLUSTER_TOOLS, CONTROL_PLANE_TOOLS, IMAGE_TOOLS
from simulator.clock import SpeedClock
from simulator.cloud.api import CloudError
from simulator.cloud.cloud import Cloud
from simulator.cloud.machines import MachinesError
from simulator.cloud.stock import Stock
from simulator.clusters.add_ons import AddOns, compute_class
from simulator.clusters.fleet import Fleet
from simulator.clusters.services import ServiceAddressError
from simulator.clusters.settings import SharedSettings
from simulator.files import DISK_ERRORS, BrokenFileError, keep_private, read_json, write_whole
from simulator.home import Home
from simulator.outside import Outside
from simulator.pods.ends import PodEnds
from simulator.providers.kube.charts import local_charts
from simulator.rpc import Server
from simulator.scaling.scaling import Scaling
from simulator.scaling.times import Times, UnknownNameError
from simulator.scenario import Scenario
from simulator.skipping.skipper import Skipper
from simulator.stop_signals import Ending
from simulator.toolchain.provision import locate, releases
from simulator.toolchain.tools import API_RAY_DEFINITIONS, DEFINITIONS, PROVISIONING_REQUESTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.clusters.supervisor import Incident
    from simulator.pods.storage import Storage


DEFAULT_SPEED: Final = 10.0
_STAGES: Final = Path(__file__).parent / "stages"


class Daemon:
    """One daemon in its folder."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._ending = Ending()
        settings = _settings(home)
        self._clock = SpeedClock(settings.get("speed", DEFAULT_SPEED), home.clock_file)
        self._stock = Stock(home.stock_file)
        shared = shared_settings(home, self._clock, lambda: self._scaling.times.evict, self._storage)
        self._fleet = Fleet(home.clusters, home.kubeconfig, shared)
        self._cloud = Cloud(
            state=home.cloud_file,
            shares=home.shares,
            volumes=home.volumes,
            machines=self._fleet,
            clock=self._clock,
            stock=self._stock,
        )
        self._scaling = Scaling(self._cloud, self._clock, self._stock, Times().changed(settings.get("times", {})))
        self._outside: Outside | None = None
        self._outside_starts = threading.Lock()
        self._scenario = Scenario(self._clock, self._scaling)
        workers = (self._cloud, self._scaling, self._scenario)
        self._skipper = Skipper(self._clock, lambda: any(worker.is_at_work() for worker in workers))
        for follower in (self._scaling, PodEnds(self._clock), self._scenario, self._skipper):
            self._fleet.follow(follower)

    def run(self) -> None:
        """Serve until `down` or SIGTERM."""
        self._ending.take_signals()
        for text in self._fleet.resume().values():
            sys.stderr.write(f"{time.strftime('%H:%M:%S')} {text}\n")
        self._cloud.resume()
        self._skipper.start()
        token = secrets.token_urlsafe(32)
        refusals = (CloudError, MachinesError, OSError, ServiceAddressError, UnknownNameError)
        server = Server(token, self._methods(), refusals)
        with ExitStack() as ends:  # in reverse order; each runs even if those before it fail
            for end in (self._fleet.stop, self._cloud.close, self._clock.stop, self._skipper.stop, self._scenario.stop):
                ends.callback(end)
            ends.callback(self._close_outside)
            ends.callback(server.close)
            write_whole(self._home.daemon_file, json.dumps({"pid": os.getpid(), "port": server.port, "token": token}))
            self._ending.wait()
            self._home.daemon_file.unlink(missing_ok=True)

    def _close_outside(self) -> None:
        if self._outside is not None:
            self._outside.close()

    def _methods(self) -> dict[str, Callable[..., Any]]:
        cloud = self._cloud
        return {
            "ping": os.getpid,
            "shutdown": self._ending.ask,
            "status": self._status,
            "speed.set": self._set_speed,
            "speed.register_command": self._skipper.register_command,
            "outside.proxy": self._outside_proxy,
            "clusters.outage": self._fleet.outage,
            "clusters.service_address": self._fleet.service_address,
            "scaling.times": self._set_times,
            "scaling.stock": self._scaling.change_stock,
            "scaling.lose": self._scaling.lose,
            "scenario.play": self._scenario.play,
            "cloud.create": cloud.create,
            "cloud.update": cloud.update,
            "cloud.delete": cloud.delete,
            "cloud.get": cloud.get,
            "cloud.list": cloud.list,
            "cloud.operation": cloud.operation,
            "cloud.wait": cloud.wait,
            "cloud.set_pace": cloud.set_pace,
        }

    def _outside_proxy(self) -> dict[str, str]:
        """The variables that lead a program to `Outside`, which starts at the first call."""
        with self._outside_starts:
            if self._outside is None:
                helm = locate(("helm",)).binary("helm")
                self._outside = Outside(helm, local_charts(), self._home.outside)
        return self._outside.variables

    def _set_speed(self, speed: float | None) -> float:
        """Run the simulation `speed` times as fast as real time, None for the usual speed; the speed is kept."""
        chosen = DEFAULT_SPEED if speed is None else speed
        self._clock.set_speed(chosen)
        self._remember(speed=chosen)
        return chosen

    def _set_times(self, wanted: dict[str, float]) -> dict[str, float]:
        """Set how many simulated seconds steps of the autoscaler take; returns and keeps the times of all steps."""
        times = self._scaling.times.changed(wanted)
        self._scaling.set_times(times)
        self._remember(times=asdict(times))
        return asdict(times)

    def _remember(self, **settings: Any) -> None:  # noqa: ANN401  any JSON value
        write_whole(self._home.settings_file, json.dumps({**_settings(self._home), **settings}))

    def _status(self) -> dict[str, Any]:
        clusters = [cluster | self._scaling.status(cluster["name"]) for cluster in self._fleet.status()]
        return {
            "pid": os.getpid(),
            "speed": self._clock.speed,
            "skips": self._skipper.is_on(),
            "held_by": self._skipper.held_by,
            "clusters": clusters,
            "failed": self._fleet.failed(),
            "shares": self._cloud.shares(),
            "volumes": self._cloud.volumes(),
            "stock": self._stock.listed(),
            "scenario": self._scenario.lines,
        }

    def _storage(self, cluster: str) -> Storage:
        return self._cloud.mounts(cluster)


def shared_settings(
    home: Home,
    clock: SpeedClock,
    eviction: Callable[[], float],
    storage: Callable[[str], Storage],
) -> SharedSettings:
    """The settings that the clusters of one simulator folder share.

    Args:
        home: the simulator's folder.
        clock: the simulated time.
        eviction: simulated seconds that pods stay on a node that failed.
        storage: what a cluster reaches in the cloud.

    Raises:
        ToolchainError: a tool is not built yet.
    """
    tools = locate(CLUSTER_TOOLS)
    return SharedSettings(
        binaries={name: tools.binary(name) for name in CONTROL_PLANE_TOOLS},
        releases={name: {tag: at.binary for tag, at in releases(name).items()} for name in IMAGE_TOOLS},
        stages="---\n".join(path.read_text() for path in sorted(_STAGES.glob("*.yaml"))),
        definitions=(
            yaml.safe_load(tools.artefact(DEFINITIONS, PROVISIONING_REQUESTS).read_text()),
            compute_class(),
        ),
        token=home.secret(home.token_file),
        speed=lambda: clock.speed,
        eviction=eviction,
        now=time.time,
        shown=lambda: clock.shown,
        storage=storage,
        add_ons=AddOns(tools.artefact(DEFINITIONS, API_RAY_DEFINITIONS)),
        clock=clock,
        report=_log_incident,
    )


def _settings(home: Home) -> dict[str, Any]:
    remedy = "Remove it: speed and times are then those of a new simulator."
    return read_json(home.settings_file, remedy) if home.settings_file.exists() else {}


def _log_incident(cluster: str, incident: Incident) -> None:
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {cluster}: {incident}\n")


def main(arguments: list[str]) -> None:
    """Run the daemon of the folder named by the one argument; a second one for the same folder ends at once."""
    keep_private()
    home = Home(Path(arguments[0]))
    home.root.mkdir(parents=True, exist_ok=True)
    with home.daemon_lock.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            text = f"another daemon owns {home.root}; `tpu simulator down` ends it, then `up` starts the next"
            raise SystemExit(text) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        try:
            Daemon(home).run()
        except BrokenFileError as error:
            raise SystemExit(str(error)) from None
        except OSError as error:
            if error.errno not in DISK_ERRORS:
                raise
            raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main(sys.argv[1:])
