"""One simulated cluster: its control plane, the network behind it and the pods that really run.

A cluster lives in one folder. What must survive a restart (ports, certificates, etcd's data) is made once and kept
there; `start` brings the same cluster up again, at the same address, with everything that was in it.
"""

from __future__ import annotations

import base64
import json
import shutil
import threading
import time
from typing import TYPE_CHECKING, Final

from components.kubeapi import Api, Connection, Informers
from components.kubeapi.discovery import DEFINITIONS
from components.kubeapi.documents import entries, section
from simulator.clusters.configuration import configuration_files
from simulator.clusters.control_plane import Process, control_plane
from simulator.clusters.egress import EgressProxy
from simulator.clusters.https import Handler, LoopbackServer, Request, Response
from simulator.clusters.network import HostAddresses, Routes
from simulator.clusters.node_api import NodeApi
from simulator.clusters.pki import ADMIN, write_cluster_files
from simulator.clusters.services import ServiceAddressError, ServicePorts
from simulator.clusters.settings import MADE_ANEW, NODE_API, PORT_NAMES, Settings, SharedSettings, service_address
from simulator.clusters.supervisor import ProcessError, Supervisor
from simulator.files import read_json, write_whole
from simulator.pods import webhooks
from simulator.pods.admission import ADMISSION_PATH, Admission, webhook_configuration
from simulator.pods.autopilot import WARDEN_PATH, judge, warden_configuration
from simulator.pods.host import Host
from simulator.pods.played_mounts import PlayedMounts
from simulator.pods.provisioning import Provisioner
from simulator.pods.runner import PodRunner
from simulator.pods.simulated import log_of
from simulator.ports import free_port, free_ports
from simulator.processes import end_recorded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from simulator.cloud.machines import ClusterSpec
    from simulator.pods.logs import Log

_READY_SECONDS: Final = 120.0
"""Limit for a control plane on a busy machine; on an idle one it is ready after 3 s."""
_POLL_SECONDS: Final = 0.05
_DEFAULT_ACCOUNT: Final = "/api/v1/namespaces/default/serviceaccounts/default"


class Cluster:
    """A cluster in its folder, running between `start` and `stop`."""

    def __init__(self, folder: Path, spec: ClusterSpec, shared: SharedSettings) -> None:
        self.folder = folder
        self.spec = spec
        self._shared = shared
        self._files = write_cluster_files(folder / "pki", service_address(spec.service_range))
        self._ports = self._kept_ports()
        self.settings = Settings(
            folder=folder,
            files=self._files,
            ports=self._ports,
            binaries=shared.binaries,
            service_range=spec.service_range,
            pod_range=spec.pod_range,
            stages=shared.stages,
            eviction_seconds=max(1, round(shared.eviction() / shared.speed())),
        )
        self.api = Api(self._connection())
        self.informers = Informers(self.api)
        """The lists of its API server that somebody here reads."""
        self.supervisor = Supervisor(folder, lambda incident: shared.report(spec.name, incident))
        host = self._host()
        self._pods = PodRunner(host)
        self.mounts = PlayedMounts(host)
        """The volumes of the pods that kwok plays."""
        self._provisioner = Provisioner(host)
        self._routes = Routes(self.api, self._pods, self._ports[NODE_API])
        self.services = ServicePorts(folder / "service-ports.json", self._routes)
        self._egress: EgressProxy | None = None
        self._server: LoopbackServer | None = None

    @property
    def certificate_authority(self) -> str:
        """PEM of the authority that issued the API server's certificate."""
        return self._files.path("cluster-ca.crt").read_text()

    @property
    def pods(self) -> PodRunner:
        """The pods that really run here."""
        return self._pods

    @property
    def processes(self) -> list[Process]:
        """The control plane's processes, in the order of their start."""
        return control_plane(self.settings)

    def start(self) -> None:
        """Bring the cluster up; returns when its API server and controllers are ready.

        Raises:
            ProcessError: a process does not become ready.
        """
        end_recorded(self.folder / "pids")
        self._write_configuration()
        self._egress = EgressProxy(self.settings.egress_socket, self._routes)
        self._server = LoopbackServer(self._ports[NODE_API], self._files, self._handler())
        processes = self.processes
        storage, rest = processes[:2], processes[2:]
        for process in storage:
            self.supervisor.start(process)
        try:
            self.supervisor.wait_ready(storage, _READY_SECONDS)
        except ProcessError as error:
            told = f"{error}\n  If the data in {self.folder / 'etcd'} is broken: {MADE_ANEW}"
            raise ProcessError(told) from error
        self._register_webhooks()
        self._define()
        for process in rest:
            self.supervisor.start(process)
        self.supervisor.wait_ready(rest, _READY_SECONDS)
        self.services.start()
        self._await_account()
        self._pods.start()
        self.mounts.start()
        self._provisioner.start()

    def stop(self) -> None:
        """End every process; the data stays."""
        self.informers.stop()
        self._provisioner.stop()
        self.mounts.stop()
        self._pods.stop()
        self.services.close()
        self.supervisor.stop()
        if self._server is not None:
            self._server.close()
        if self._egress is not None:
            self._egress.close()
        self.api.close()

    def delete(self) -> None:
        """End every process and remove the cluster's folder."""
        self.stop()
        shutil.rmtree(self.folder)

    def service_address(self, namespace: str, name: str, port: int | None) -> str:
        """The address of a TCP port of a Service on this machine, as `host:port`.

        Args:
            namespace: the Service's namespace.
            name: its name.
            port: one of its ports; None for the only one.

        Raises:
            ServiceAddressError: there is no such Service or port, or there are several and none is named.
        """
        service = self.api.find(f"/api/v1/namespaces/{namespace}/services/{name}")
        if service is None:
            raise ServiceAddressError(f"cluster {self.spec.name} has no Service {namespace}/{name}")
        ports = [each["port"] for each in entries(section(service, "spec"), "ports")]
        if (port is None and len(ports) != 1) or (port is not None and port not in ports):
            listed = ", ".join(map(str, ports))
            raise ServiceAddressError(f"Service {namespace}/{name} has the ports {listed}: name one of them")
        return f"127.0.0.1:{self.services.port(namespace, name, ports[0] if port is None else port)}"

    def log(self, namespace: str, pod: str, container: str) -> Log | None:
        """A container's log: of a program that runs here, or of the script of a simulated one."""
        host_pod = self._pods.find(namespace, pod)
        if host_pod is not None:
            return host_pod.log
        document = self.api.find(f"/api/v1/namespaces/{namespace}/pods/{pod}")
        return None if document is None else log_of(document, container, self._shared.now, self._shared.shown)

    def _await_account(self) -> None:
        """Without this account, which the controller manager makes, the first pod of a user would be refused."""
        deadline, pause = time.monotonic() + _READY_SECONDS, threading.Event()
        while self.api.find(_DEFAULT_ACCOUNT) is None:
            if time.monotonic() > deadline:
                raise ProcessError(f"no ServiceAccount default after {_READY_SECONDS:.0f} s")
            pause.wait(_POLL_SECONDS)

    def _register_webhooks(self) -> None:
        port, authority = self._ports[NODE_API], self.certificate_authority
        configurations = {"mutatingwebhookconfigurations": webhook_configuration(port, authority)}
        if self.spec.is_autopilot:
            warden = warden_configuration(webhooks.client(port, WARDEN_PATH, authority))
            configurations["validatingwebhookconfigurations"] = warden
        for kind, document in configurations.items():
            path = f"/apis/admissionregistration.k8s.io/v1/{kind}/{document['metadata']['name']}"
            self.api.apply(path, document, manager="simulator", force=True)

    def _define(self) -> None:
        """Kueue looks once, when it starts, whether ProvisioningRequests are served."""
        for document in self._shared.definitions:
            path = f"{DEFINITIONS}/{document['metadata']['name']}"
            self.api.apply(path, document, manager="simulator", force=True)

    def install(self, add_ons: Sequence[str]) -> None:
        """Give the API server the objects of these add-ons.

        Raises:
            ApiError, UnreachableError, WaitError: the API server did not take them.
        """
        self._shared.add_ons.install(self.api, add_ons)

    def _handler(self) -> Handler:
        admission = Admission(self._shared.releases, is_autopilot=self.spec.is_autopilot, find=self.api.find)
        nodes = NodeApi(self.log)

        def answer(request: Request) -> Response:
            if request.path == ADMISSION_PATH:
                return Response(200, admission.answer(request.body), "application/json")
            if request.path == WARDEN_PATH:
                return Response(200, judge(request.body), "application/json")
            return nodes.answer(request)

        return answer

    def _connection(self) -> Connection:
        pair = self._files.pair(ADMIN)
        return Connection(
            server=f"https://{self.settings.endpoint}",
            certificate_authority=self.certificate_authority,
            client_certificate=pair.certificate,
            client_key=pair.key,
        )

    def _host(self) -> Host:
        return Host(
            api=self.api,
            informers=self.informers,
            authority=self._files.authority(),
            authority_path=self._files.path("cluster-ca.crt"),
            folder=self.folder / "pods",
            releases=self._shared.releases,
            free_port=free_port,
            pod_address=HostAddresses(self.spec.pod_range),
            service_port=self._service_port,
            storage=self._shared.storage(self.spec.name),
            clock=self._shared.clock,
        )

    def _service_port(self, namespace: str, service: str, port: int) -> int:
        return self.services.port(namespace, service, port)

    def _kept_ports(self) -> dict[str, int]:
        path = self.folder / "ports.json"
        if path.exists():
            return read_json(path, MADE_ANEW)
        ports = dict(zip(PORT_NAMES, free_ports(len(PORT_NAMES)), strict=True))
        write_whole(path, json.dumps(ports))
        return ports

    def _write_configuration(self) -> None:
        for path, text in configuration_files(self.settings).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        tokens = self.settings.tokens
        tokens.touch(mode=0o600)
        tokens.write_text(f'{self._shared.token},user@simulator.example,user,"system:masters"\n')


def encoded(pem: str) -> str:
    """PEM text in base64, as kubeconfigs and the GKE API carry it."""
    return base64.b64encode(pem.encode()).decode()
