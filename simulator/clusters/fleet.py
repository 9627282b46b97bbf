"""All clusters of one simulator: what the cloud drives, and what commands ask about.

The cloud says which clusters and nodes there are; the fleet makes them run, brings them back after a restart and says
what happened to an API server that does not answer.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol

from components.kubeapi import ApiError, Informers, UnreachableError, WaitError
from simulator.cloud.machines import ClusterEndpoint, ClusterSpec, MachinesError, Node
from simulator.clusters import folders, node_calls
from simulator.clusters.cluster import Cluster, encoded
from simulator.clusters.services import ServiceAddressError
from simulator.clusters.supervisor import ProcessError, told
from simulator.files import BrokenFileError, write_whole
from simulator.kubeconfig import Entry, kubeconfig

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from components.kubeapi.documents import Document
    from simulator.clusters.settings import SharedSettings
    from simulator.pods.volumes import Volumes

_OUTAGE_SECONDS: Final = 60.0
"""How long a caller is kept waiting while an API server is started again."""


class Follower(Protocol):
    """Somebody who works on every cluster while it runs."""

    def began(self, cluster: str, informers: Informers) -> None:
        """The cluster of that API name runs; `informers` are the lists of its API server as administrator."""
        ...

    def ends(self, cluster: str) -> None:
        """The cluster is about to be stopped; returns when no call to it is left."""
        ...


class Fleet:
    """The clusters below one folder. Implements `simulator.cloud.machines.Machines`."""

    def __init__(self, folder: Path, kubeconfig: Path, shared: SharedSettings) -> None:
        """`folder` holds one folder per cluster; `kubeconfig` is kept up to date with them."""
        self._folder = folder
        self._kubeconfig = kubeconfig
        self._shared = shared
        self._clusters: dict[str, Cluster] = {}
        self._waiting: Counter[str] = Counter()
        """How many commands wait for an API server to come back, by cluster."""
        self._failed: dict[str, str] = {}
        """Why clusters that were there did not come up again, by name."""
        self._followers: list[Follower] = []
        self._lock = threading.Lock()

    def follow(self, follower: Follower) -> None:
        """Notify `follower` of every cluster that starts or stops from now on."""
        self._followers.append(follower)

    def resume(self) -> dict[str, str]:
        """Bring up every cluster that was there when the last daemon ended.

        Returns:
            Why clusters did not come up, by name; the others run.
        """
        found = folders.created(self._folder)
        with ThreadPoolExecutor(max_workers=max(1, len(found))) as pool:
            for _ in pool.map(self._resume, found):
                pass
        return self.failed()

    def failed(self) -> dict[str, str]:
        """Why clusters that are there do not run, by name."""
        with self._lock:
            return dict(self._failed)

    def stop(self) -> None:
        """End every process; the data stays."""
        with self._lock:
            clusters = list(self._clusters.values())
            self._clusters.clear()
        for cluster in clusters:
            self._tell_end(cluster.spec.name)
        with ThreadPoolExecutor(max_workers=max(1, len(clusters))) as pool:
            for _ in pool.map(Cluster.stop, clusters):
                pass

    def start_cluster(self, cluster: ClusterSpec) -> ClusterEndpoint:
        """As `Machines.start_cluster`."""
        running = self._clusters.get(cluster.name)
        if running is None:
            running = self._start(cluster)
        return ClusterEndpoint(host=running.settings.endpoint, ca_certificate=encoded(running.certificate_authority))

    def install(self, cluster: str, add_ons: list[str]) -> None:
        """As `Machines.install`."""
        try:
            self._running(cluster).install(add_ons)
        except (ApiError, UnreachableError, WaitError) as error:
            raise MachinesError(f"add-ons of {cluster}: {error}") from error

    def delete_cluster(self, name: str) -> None:
        """Stop the cluster and remove its folder."""
        self._tell_end(name)
        folder = folders.folder_of(self._folder, name)
        with self._lock:
            running = self._clusters.pop(name, None)
            self._failed = {key: why for key, why in self._failed.items() if key not in (name, folder.name)}
            self._write_kubeconfig()
        if running is not None:
            running.delete()
        elif folder.exists():  # it never came up
            folders.remove(folder)

    def add_nodes(self, cluster: str, nodes: list[Node]) -> None:
        """As `Machines.add_nodes`."""
        with _node_errors(cluster):
            node_calls.add(self._running(cluster).api, nodes)

    def update_nodes(self, cluster: str, nodes: list[Node]) -> None:
        """As `Machines.update_nodes`."""
        with _node_errors(cluster):
            node_calls.update(self._running(cluster).api, nodes)

    def break_nodes(self, cluster: str, names: list[str]) -> None:
        """As `Machines.break_nodes`."""
        with _node_errors(cluster):
            node_calls.fail(self._running(cluster).api, names)

    def remove_nodes(self, cluster: str, names: list[str]) -> None:
        """As `Machines.remove_nodes`."""
        with _node_errors(cluster):
            node_calls.remove(self._running(cluster).informers, names)

    def outage(self, server: str) -> tuple[bool, str] | None:
        """Whether the API server at `https://host:port` answers (again), and what had happened to it.

        Waits up to a minute while it is being started again; leaves out what is older than another minute. An unknown
        address may be that of a cluster that did not come up, if there is one; else None.
        """
        cluster = next((c for c in self._all() if f"https://{c.settings.endpoint}" == server), None)
        if cluster is None:
            return (False, "; ".join(self._failed.values())) if self._failed else None
        api_server, oldest = cluster.processes[:2], time.time() - _OUTAGE_SECONDS
        with self._lock:
            self._waiting[cluster.spec.name] += 1
        try:
            cluster.supervisor.wait_ready(api_server, _OUTAGE_SECONDS)
        except ProcessError as error:
            return False, f"{cluster.spec.name}: {error}"
        finally:
            with self._lock:
                self._waiting[cluster.spec.name] -= 1
        names = {process.name for process in api_server}
        incidents = [each for each in cluster.supervisor.incidents if each.process in names and each.time >= oldest]
        story = told(incidents) if incidents else "it did not answer for a moment"
        return True, f"{cluster.spec.name}: {story}"

    def service_address(self, service: str, namespace: str, port: int | None, cluster: str | None) -> str:
        """The address of a Service on this machine, as `host:port`; `cluster` is an API name or the end of one.

        Raises:
            ServiceAddressError: there is no such cluster, Service or port, or several fit.
        """
        clusters = self._all()
        found = [each for each in clusters if cluster is None or f"/{each.spec.name}".endswith(f"/{cluster}")]
        if len(found) != 1:
            names = [each.spec.name for each in clusters]
            raise ServiceAddressError(f"{service}: name the cluster; there are {sorted(names)}")
        return found[0].service_address(namespace, service, port)

    def volumes(self, cluster: str, pod: Document) -> Volumes | None:
        """The folders of the volumes of a pod that kwok plays, None where the cluster does not run."""
        running = self._clusters.get(cluster)
        return None if running is None else running.mounts.volumes(pod)

    def status(self) -> list[dict[str, Any]]:
        """Every cluster with its processes, host pods and incidents, sorted by name; JSON."""
        clusters = sorted(self._all(), key=lambda cluster: cluster.spec.name)
        return [_status(cluster, self._waiting[cluster.spec.name]) for cluster in clusters]

    def _all(self) -> list[Cluster]:
        with self._lock:
            return list(self._clusters.values())

    def _start(self, spec: ClusterSpec) -> Cluster:
        folder = folders.folder_of(self._folder, spec.name)
        folders.record(folder, spec)
        cluster = Cluster(folder, spec, self._shared)
        try:
            cluster.start()
        except (ApiError, OSError, ProcessError, UnreachableError) as error:
            cluster.stop()
            raise MachinesError(f"control plane of {spec.name}: {error}") from error
        with self._lock:
            self._clusters[spec.name] = cluster
            self._failed.pop(spec.name, None)
            self._write_kubeconfig()
        for follower in self._followers:
            follower.began(spec.name, cluster.informers)
        return cluster

    def _resume(self, folder: Path) -> None:
        name = folder.name
        try:
            spec = folders.recorded(folder)
            name = spec.name
            self.start_cluster(spec)
        except (BrokenFileError, MachinesError) as error:
            with self._lock:
                self._failed[name] = str(error)

    def _tell_end(self, name: str) -> None:
        for follower in self._followers:
            follower.ends(name)

    def _write_kubeconfig(self) -> None:
        clusters = self._clusters.values()
        listed = [Entry(c.spec.name, c.settings.endpoint, encoded(c.certificate_authority)) for c in clusters]
        write_whole(self._kubeconfig, json.dumps(kubeconfig(listed)))

    def _running(self, name: str) -> Cluster:
        running = self._clusters.get(name)
        if running is None:
            raise MachinesError(self._failed.get(name) or f"{name} does not run")
        return running


@contextmanager
def _node_errors(cluster: str) -> Generator[None]:
    """Errors of calls about nodes in the words of the machines."""
    try:
        yield
    except (ApiError, UnreachableError) as error:
        raise MachinesError(f"nodes of {cluster}: {error}") from error


def _status(cluster: Cluster, waiting: int) -> dict[str, Any]:
    """A cluster with its processes, host pods and incidents; `waiting` is how many commands wait for it. JSON."""
    supervisor = cluster.supervisor
    return {
        "name": cluster.spec.name,
        "folder": str(cluster.folder),
        "endpoint": cluster.settings.endpoint,
        "waiting": waiting,
        "processes": [
            {
                "name": process.name,
                "pid": supervisor.pid(process.name),
                "given_up": supervisor.is_given_up(process.name),
                "log": str(process.log),
            }
            for process in cluster.processes
        ],
        "pods": [
            {
                "namespace": pod.namespace,
                "name": pod.name,
                "program": pod.program,
                "pid": pod.pid,
                "restarts": pod.restarts,
                "log": str(pod.log.path),
            }
            for pod in cluster.pods.pods()
        ],
        "incidents": [{"time": incident.time, "text": str(incident)} for incident in supervisor.incidents],
    }
