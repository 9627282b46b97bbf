"""`up`, `status`, `logs` and `down`: the life of the daemon and its processes."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from components.kubeapi.documents import section
from simulator import ABSENT, REAL, STAND_IN
from simulator.client import connect, ensure
from simulator.cloud.api import Kind
from simulator.cloud.secrets import is_of_scenario
from simulator.cloud.store import Store
from simulator.clusters.folders import created
from simulator.files import BrokenFileError, read_json
from simulator.processes import end_recorded, start_time, tail
from simulator.rpc import DaemonGoneError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.home import Home

_STOP_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 0.05
_VOLUMES: Final = {"b": "bucket", "disks": "disk", "lustreInstances": "lustre"}
"""What is beside the shares, by the second last part of its API name."""
_MADE_BY_USERS: Final = {
    str(Kind.NETWORK): "network",
    str(Kind.ROUTER): "router",
    str(Kind.FIREWALL): "firewall rule",
    str(Kind.RESOURCE_POLICY): "resource policy",
    str(Kind.GLOBAL_ADDRESS): "address range",
    str(Kind.CONNECTION): "private services access",
    str(Kind.FILESTORE): "Filestore instance",
    str(Kind.LUSTRE): "Lustre instance",
    str(Kind.DISK): "disk",
    str(Kind.CONFIDENTIAL): "secret",
    str(Kind.SERVICE_ACCOUNT): "service account",
    str(Kind.IAM_MEMBER): "IAM member",
    str(Kind.BUCKET): "bucket",
}
"""The kinds of resource that keep the folder as clusters do, with the word for each."""


def bring_up(home: Home) -> str:
    """Start the daemon, or find it running, with every cluster that was there; one line about it."""
    status = ensure(home).call("status")
    clusters = ", ".join(cluster["name"].rpartition("/")[2] for cluster in status["clusters"]) or "no cluster yet"
    failed = "".join(f"\n  not up: {text}" for text in status["failed"].values())
    return f"simulator runs (process {status['pid']}, speed {_speed(status)}): {clusters}{failed}"


def describe(home: Home) -> Iterator[str]:
    """What runs here and what went wrong, then what is real and what is not."""
    client = connect(home)
    if client is None:
        yield "simulator: not running"
    else:
        status = client.call("status")
        yield f"simulator: process {status['pid']}, speed {_speed(status)}"
        for cluster in status["clusters"]:
            yield from _cluster_lines(cluster)
        for share in status["shares"]:
            yield f"  filestore {share['name']}: {share['state']}, {share['source']} is {share['folder']}"
        for each in status["volumes"]:
            kind = _VOLUMES[each["name"].split("/")[-2]]
            yield f"  {kind} {each['name']}: {each['state']}, {each['source']} is {each['folder']}"
        for text in status["failed"].values():
            yield f"  NOT RUNNING: {text}"
        yield from _machine_lines(status)
    for title, entries in (("real", REAL), ("stand-in", STAND_IN), ("absent", ABSENT)):
        yield f"{title}:"
        yield from (f"  {what}: {how}" for what, how in entries.items())


def address(home: Home, service: str, namespace: str, port: int | None, cluster: str | None) -> str:
    """The address of a Service on this machine, as `host:port`.

    Raises:
        LookupError: the simulator does not run.
        CallError: no Service or port fits, or several do.
    """
    client = connect(home)
    if client is None:
        raise LookupError("the simulator does not run; `tpu simulator up` starts it")
    return client.call("clusters.service_address", service=service, namespace=namespace, port=port, cluster=cluster)


def logs(home: Home, name: str | None, lines: int) -> Iterator[str]:
    """The last lines of a log by name (`daemon`, a process such as kube-apiserver, or a pod), or the names of all logs.

    Raises:
        LookupError: there is no log of that name.
    """
    found = _logs(home)
    if name is None:
        yield from sorted(found)
        return
    if name not in found:
        raise LookupError(f"no log named {name}; there are {', '.join(sorted(found))}")
    yield from tail(found[name], lines)


def take_down(home: Home, *, delete: bool) -> Iterator[str]:
    """End the daemon and every process. Remove the folder too when nothing is left in it that a user made.

    Args:
        home: the simulator's folder.
        delete: remove the folder with stacks and clusters that still exist.
    """
    left = _stop(home)
    for folder in sorted(home.clusters.glob("*")):
        end_recorded(folder / "pids")
    if not home.root.exists():
        yield "simulator: nothing here"
    elif delete or not left:
        shutil.rmtree(home.root)
        yield f"simulator: stopped, {home.root.name} removed"
    else:
        yield f"simulator: stopped. {home.root.name} keeps {', '.join(left)}."
        yield "  `pulumi destroy` in the simulator removes what the stacks made; `down --delete` removes all of it."


def _stop(home: Home) -> list[str]:
    """End the daemon if it runs, and return what exists in the simulated cloud and in the stacks."""
    left = _stacks_with_resources(home)
    client = connect(home)
    if client is None:
        clusters = [folder.name for folder in created(home.clusters)]
        left += [*(f"cluster {name}" for name in clusters), *_in_the_cloud(home)]
        pid = _unreachable_daemon(home)
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
            _await_end(home, pid)
        home.daemon_file.unlink(missing_ok=True)  # of one that died
        return left
    status = client.call("status")
    names = [*(cluster["name"] for cluster in status["clusters"]), *status["failed"]]
    left += [*(f"cluster {name.rpartition('/')[2]}" for name in names), *_in_the_cloud(home)]
    client.call("shutdown")
    _await_end(home, status["pid"])
    return left


def _unreachable_daemon(home: Home) -> int | None:
    """The process id of a daemon that runs, although its own file does not say where it answers."""
    if not home.daemon_lock.exists():
        return None
    with home.daemon_lock.open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            text = lock.read()
            return int(text) if text.isdecimal() else None
    return None


def _await_end(home: Home, pid: int) -> None:
    deadline, pause = time.monotonic() + _STOP_SECONDS, threading.Event()
    while start_time(pid) is not None and time.monotonic() < deadline:
        pause.wait(_POLL_SECONDS)
    if start_time(pid) is not None:
        raise DaemonGoneError(f"the daemon (process {pid}) does not end; see {home.daemon_log}")


def _stacks_with_resources(home: Home) -> list[str]:
    left: list[str] = []
    for path in sorted(home.backend.glob(".pulumi/stacks/*/*.json")):
        try:
            latest = section(read_json(path), "checkpoint", "latest")
        except BrokenFileError:
            left.append(f"stack {path.stem} (its state is broken)")
        else:
            left += [f"stack {path.stem}"] if latest.get("resources") else []
    return left


def _in_the_cloud(home: Home) -> list[str]:
    """The resources that users made in the simulated cloud, other than clusters.

    Parts of a cluster or network are removed with it, and enabled APIs stay enabled in Google's cloud too.
    """
    if not home.cloud_file.exists():
        return []
    try:
        resources = sorted(Store(home.cloud_file).resources.items())
    except BrokenFileError as error:
        return [f"a cloud that cannot be read ({error})"]
    return [
        f"{word} {name.rpartition('/')[2]}"
        for kind, word in _MADE_BY_USERS.items()
        for name, record in resources
        if record["kind"] == kind and not is_of_scenario(record["body"])
    ]


def _speed(status: dict[str, Any]) -> str:
    if not status["skips"]:
        return f"{status['speed']:g}"
    held = f", but not now: {status['held_by']}" if status["held_by"] else ""
    return f"{status['speed']:g} and idle time is skipped{held}"


def _machine_lines(status: dict[str, Any]) -> Iterator[str]:
    if status["stock"]:
        yield f"  out of stock: {', '.join(status['stock'])}"
    yield from (f"  scenario {line}" for line in status["scenario"])


def _cluster_lines(cluster: dict[str, Any]) -> Iterator[str]:
    yield f"  cluster {cluster['name']} at https://{cluster['endpoint']}"
    if cluster["waiting"]:
        yield f"    commands that wait for its API server: {cluster['waiting']}"
    for process in cluster["processes"]:
        given_up = ", given up: `tpu simulator down`, then `up`" if process["given_up"] else ""
        yield f"    {process['name']}: {_running(process['pid'])}{given_up}"
    for pod in cluster["pods"]:
        yield f"    pod {pod['namespace']}/{pod['name']}: {_running(pod['pid'])}, restarts {pod['restarts']}"
    for pool in cluster["pools"]:
        yield f"    {_pool_line(pool)}"
    for each in cluster["pending"]:
        who = each["pod"] if "pod" in each else f"ProvisioningRequest {each['request']}"
        yield f"    waiting for nodes: {who}: {each['reason'] or 'just seen'}"
    for incident in cluster["incidents"]:
        stamp = time.strftime("%H:%M:%S", time.localtime(incident["time"]))
        yield f"    {stamp} {incident['text']}"


def _pool_line(pool: dict[str, Any]) -> str:
    """One node pool: its machines, how many of its nodes exist, and how many are wanted."""
    machine = " ".join(filter(None, [pool["machine"], pool["topology"], *pool["accelerators"]]))
    limits = section(pool, "autoscaling")
    per_zone, total = limits.get("maxNodeCount"), limits.get("totalMaxNodeCount")
    facts = [
        machine,
        pool["mode"],
        f"nodes {pool['nodes']} of {pool['target']}",
        f"{pool['lost']} LOST" if pool["lost"] else "",
        f"up to {per_zone} in a zone" if per_zone else f"up to {total}" if total else "",
        "" if pool["status"] == "RUNNING" else pool["status"],
    ]
    return f"pool {pool['name']}: {', '.join(filter(None, facts))}"


def _running(pid: int | None) -> str:
    return "NOT RUNNING" if pid is None else f"process {pid}"


def _logs(home: Home) -> dict[str, Path]:
    found = {"daemon": home.daemon_log} if home.daemon_log.exists() else {}
    client = connect(home)
    clusters: list[dict[str, Any]] = client.call("status")["clusters"] if client is not None else []
    for cluster in clusters:
        found |= {process["name"]: Path(process["log"]) for process in cluster["processes"]}
        found |= {pod["name"]: Path(pod["log"]) for pod in cluster["pods"]}
    return found
