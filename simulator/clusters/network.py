"""A cluster's network: its addresses are not on this machine. Which port answers for each, and which are assigned."""

from __future__ import annotations

import ipaddress
import socket
import threading
from contextlib import suppress
from typing import Final, Protocol

from components.kubeapi import Api, UnreachableError
from components.kubeapi.documents import Document, entries, section
from simulator.nodes import KUBELET_PORT

SERVICE_DOMAIN: Final = ".svc"
"""End of a Service's name in the cluster: `NAME.NAMESPACE.svc`."""
_CHUNK: Final = 64 * 1024
"""Bytes carried at a time."""
_RESERVED_ADDRESSES: Final = 2
"""The last addresses of the pod range that are not given to host pods: broadcast and its neighbour."""


class ListeningPod(Protocol):
    """A pod that runs on this machine."""

    name: str

    def loopback_port(self, container_port: int) -> int | None:
        """The loopback port in the place of a container port, None when nothing listens there."""
        ...


class PodDirectory(Protocol):
    """Finds the pods that run on this machine."""

    def by_address(self, address: str) -> ListeningPod | None:
        """The running pod with that pod IP."""
        ...


class Routes:
    """Where connections to nodes and Services end. Implements `egress.Route`."""

    def __init__(self, api: Api, pods: PodDirectory, kubelet: int) -> None:
        """`kubelet` is the loopback port in the place of the kubelets of all nodes."""
        self._api = api
        self._pods = pods
        self._kubelet = kubelet

    def __call__(self, host: str, port: int) -> int | str:
        """The loopback port behind an address of the cluster's network, or why there is none."""
        if port == KUBELET_PORT:
            return self._kubelet
        try:
            return self._service_port(host, port)
        except UnreachableError as error:
            return str(error)

    def _service_port(self, host: str, port: int) -> int | str:
        service = self._service(host)
        if service is None:
            return f"no Service has the address {host}"
        name, namespace = service["metadata"]["name"], service["metadata"]["namespace"]
        named = next((p.get("name") for p in entries(section(service, "spec"), "ports") if p["port"] == port), None)
        path = f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices"
        for endpoints in self._api.items(path, {"labelSelector": f"kubernetes.io/service-name={name}"}):
            target = next((p["port"] for p in entries(endpoints, "ports") if p.get("name") == (named or "")), None)
            for endpoint in entries(endpoints, "endpoints"):
                pod = self._pods.by_address(endpoint["addresses"][0])
                if target is not None and pod is not None and section(endpoint, "conditions").get("ready"):
                    return pod.loopback_port(target) or f"{pod.name} does not listen on {target}"
        return f"Service {namespace}/{name} has no ready endpoint for port {port}"

    def _service(self, host: str) -> Document | None:
        if host.endswith(SERVICE_DOMAIN):
            name, namespace, *_ = host.split(".")
            return self._api.find(f"/api/v1/namespaces/{namespace}/services/{name}")
        services = self._api.items("/api/v1/services")
        return next((s for s in services if section(s, "spec").get("clusterIP") == host), None)


class HostAddresses:
    """Addresses of host pods, from the end of the pod range; kwok gives them out from its beginning."""

    def __init__(self, pod_range: str) -> None:
        """`pod_range` is in CIDR notation."""
        self._range = ipaddress.ip_network(pod_range)
        self._given = 0
        self._lock = threading.Lock()

    def __call__(self) -> str:
        """An address that was not given out before."""
        with self._lock:
            self._given += 1
            return str(self._range[-_RESERVED_ADDRESSES - self._given])


def carry(one: socket.socket, other: socket.socket) -> None:
    """Carry bytes both ways between two TCP or unix connections until both sides are done."""
    back = threading.Thread(target=_pump, args=(other, one), name="carrying-back", daemon=True)
    back.start()
    _pump(one, other)
    back.join()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    """Carry until the source has ended, and say so to the sink; a side that went away ends both directions."""
    try:
        while data := source.recv(_CHUNK):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for side in (source, sink):
            with suppress(OSError):  # it may have ended already
                side.shutdown(socket.SHUT_RDWR)
