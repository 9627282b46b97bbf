"""All clusters of one simulator: what the cloud drives, and what commands ask about.

The cloud says which clusters and nodes there are; the fleet makes them run, brings them back after a restart and tells
what became of an API server that does not answer.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

from kubeapi import ApiError, UnreachableError
from kubeapi.documents import entries, section
from simulator.cloud.machines import ClusterEndpoint, ClusterSpec, MachinesError
from simulator.clusters.cluster import Cluster, all_nodes_ready, encoded
from simulator.clusters.services import ServiceAddressError
from simulator.clusters.supervisor import Incident, ProcessError
from simulator.files import write_whole
from simulator.kubeconfig import Entry, kubeconfig
from simulator.processes import end_recorded

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.cloud.machines import Node
    from simulator.clusters.cluster import Surroundings

_NODES_READY_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 0.1
_OUTAGE_SECONDS: Final = 60.0
"""How long a caller is kept waiting while an API server is started again."""


class Fleet:
    """The clusters below one folder. Implements `simulator.cloud.machines.Machines`."""

    def __init__(self, folder: Path, kubeconfig: Path, surroundings: Surroundings) -> None:
        """`folder` holds one folder per cluster; `kubeconfig` is kept up to date with them."""
        self._folder = folder
        self._kubeconfig = kubeconfig
        self._surroundings = surroundings
        self._clusters: dict[str, Cluster] = {}
        self._waiting: Counter[str] = Counter()
        """How many commands wait for an API server to come back, by cluster."""
        self._lock = threading.Lock()

    def resume(self) -> None:
        """Bring up every cluster that was there when the last daemon ended.

        Raises:
            MachinesError: one of them does not come up; names it.
        """
        paths = sorted(self._folder.glob("*/spec.json"))
        specs = [ClusterSpec(**json.loads(path.read_text())) for path in paths]
        with ThreadPoolExecutor(max_workers=max(1, len(specs))) as pool:
            for _ in pool.map(self.start_cluster, specs):
                pass

    def stop(self) -> None:
        """End every process; the data stays."""
        with self._lock:
            clusters = list(self._clusters.values())
            self._clusters.clear()
        with ThreadPoolExecutor(max_workers=max(1, len(clusters))) as pool:
            for _ in pool.map(Cluster.stop, clusters):
                pass

    def start_cluster(self, cluster: ClusterSpec) -> ClusterEndpoint:
        """Start the control plane, or find it running, and return once it is ready.

        Raises:
            MachinesError: it did not become ready.
        """
        running = self._clusters.get(cluster.name)
        if running is None:
            running = self._start(cluster)
        return ClusterEndpoint(host=running.settings.endpoint, ca_certificate=encoded(running.certificate_authority))

    def delete_cluster(self, name: str) -> None:
        """Stop the cluster and remove its folder."""
        with self._lock:
            running = self._clusters.pop(name, None)
            self._write_kubeconfig()
        folder = self._folder / _folder_name(name)
        if running is not None:
            running.delete()
        elif folder.exists():  # it never came up
            end_recorded(folder / "pids")
            shutil.rmtree(folder)

    def add_nodes(self, cluster: str, nodes: list[Node]) -> None:
        """Register the nodes and return when all are Ready.

        Raises:
            MachinesError: the API server refused one, or they did not become Ready.
        """
        api = self._running(cluster).api
        try:
            for node in nodes:
                if api.find(f"/api/v1/nodes/{node['metadata']['name']}") is None:
                    api.create("/api/v1/nodes", node)
            self._await_nodes(cluster, [node["metadata"]["name"] for node in nodes])
        except (ApiError, UnreachableError) as error:
            raise MachinesError(f"nodes of {cluster}: {error}") from error

    def update_nodes(self, cluster: str, nodes: list[Node]) -> None:
        """Give nodes that exist the labels and taints that `nodes` carry; what runs on them goes on.

        Raises:
            MachinesError: the API server did not take them.
        """
        api = self._running(cluster).api
        try:
            for node in nodes:
                path = f"/api/v1/nodes/{node['metadata']['name']}"
                wanted = section(node, "metadata", "labels")
                gone = dict.fromkeys(section(api.get(path), "metadata", "labels").keys() - wanted.keys())
                taints = entries(node, "spec", "taints")
                api.merge(path, {"metadata": {"labels": {**gone, **wanted}}, "spec": {"taints": taints}})
        except (ApiError, UnreachableError) as error:
            raise MachinesError(f"nodes of {cluster}: {error}") from error

    def remove_nodes(self, cluster: str, names: list[str]) -> None:
        """Delete the pods on the nodes, then the nodes.

        Raises:
            MachinesError: the API server refused.
        """
        api = self._running(cluster).api
        try:
            for pod in api.items("/api/v1/pods"):
                if section(pod, "spec").get("nodeName") in names:
                    metadata = pod["metadata"]
                    api.delete(f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}")
            for name in names:
                api.delete(f"/api/v1/nodes/{name}")
        except (ApiError, UnreachableError) as error:
            raise MachinesError(f"nodes of {cluster}: {error}") from error

    def outage(self, server: str) -> tuple[bool, str] | None:
        """Whether the API server at `https://host:port` answers (again), and what had happened to it.

        Waits up to a minute while it is being started again. None when it is none of this fleet's.
        """
        cluster = next((c for c in self._all() if f"https://{c.settings.endpoint}" == server), None)
        if cluster is None:
            return None
        api_server = cluster.processes[:2]
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
        incidents = [incident for incident in cluster.supervisor.incidents if incident.process in names]
        story = str(incidents[-1]) if incidents else "it did not answer for a moment"
        return True, f"{cluster.spec.name}: {story}"

    def cluster(self, name: str) -> Cluster | None:
        """The running cluster of that API name."""
        return self._clusters.get(name)

    def service_address(self, service: str, namespace: str, port: int | None, cluster: str | None) -> str:
        """Where a Service is reached from this machine, as `host:port`; `cluster` is an API name or the end of one.

        Raises:
            ServiceAddressError: there is no such cluster, Service or port, or it is not clear which is meant.
        """
        clusters = self._all()
        found = [each for each in clusters if cluster is None or f"/{each.spec.name}".endswith(f"/{cluster}")]
        if len(found) != 1:
            names = [each.spec.name for each in clusters]
            raise ServiceAddressError(f"{service}: name the cluster; there are {sorted(names)}")
        return found[0].service_address(namespace, service, port)

    def status(self) -> list[dict[str, Any]]:
        """Every cluster with its processes, host pods and incidents, sorted by name; JSON."""
        clusters = sorted(self._all(), key=lambda cluster: cluster.spec.name)
        return [_status(cluster, self._waiting[cluster.spec.name]) for cluster in clusters]

    def _all(self) -> list[Cluster]:
        with self._lock:
            return list(self._clusters.values())

    def _start(self, spec: ClusterSpec) -> Cluster:
        folder = self._folder / _folder_name(spec.name)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (folder / "spec.json").write_text(json.dumps(dataclasses.asdict(spec)))
        cluster = Cluster(folder, spec, self._surroundings)
        try:
            cluster.start()
        except (ProcessError, ApiError, UnreachableError) as error:
            cluster.stop()
            raise MachinesError(f"control plane of {spec.name}: {error}") from error
        with self._lock:
            self._clusters[spec.name] = cluster
            self._write_kubeconfig()
        return cluster

    def _write_kubeconfig(self) -> None:
        clusters = self._clusters.values()
        listed = [Entry(c.spec.name, c.settings.endpoint, encoded(c.certificate_authority)) for c in clusters]
        write_whole(self._kubeconfig, json.dumps(kubeconfig(listed)))

    def _running(self, name: str) -> Cluster:
        running = self._clusters.get(name)
        if running is None:
            raise MachinesError(f"{name} does not run")
        return running

    def _await_nodes(self, cluster: str, names: list[str]) -> None:
        deadline = time.monotonic() + _NODES_READY_SECONDS
        api, pause = self._running(cluster).api, threading.Event()
        while not all_nodes_ready(api, names):
            if time.monotonic() > deadline:
                raise MachinesError(f"nodes of {cluster} are not Ready after {_NODES_READY_SECONDS:.0f} s: {names}")
            pause.wait(_POLL_SECONDS)


def _folder_name(name: str) -> str:
    """Short, because socket paths are; with a hash, because two projects may have a cluster of one name."""
    return f"{name.rpartition('/')[2]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _status(cluster: Cluster, waiting: int) -> dict[str, Any]:
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
        "incidents": [_incident(incident) for incident in supervisor.incidents],
    }


def _incident(incident: Incident) -> dict[str, Any]:
    return {"time": incident.time, "text": str(incident)}
