"""What one cluster's control plane consists of: its processes with arguments, files and readiness probes. Pure.

Only `supervisor.py` starts anything. The processes are etcd, kube-apiserver, kube-controller-manager, kube-scheduler
and kwok, all on loopback with ports that the cluster keeps for its life, so that a restart changes neither the endpoint
nor a kubeconfig. What the arguments are for, where it is not plain:

- the API server reaches nodes and services through an egress selector, because neither has an address on this machine;
- `--endpoint-reconciler-type=none`: it may not publish a loopback address as the endpoint of the kubernetes Service;
- ExtendedResourceToleration lets pods that ask for google.com/tpu onto tainted TPU nodes, as GKE does;
- the front-proxy files are needed by the controller manager and the scheduler, which read them from the API server;
- higher client limits keep the controllers from starting in steps of 100 ms.

Source: the flags' own documentation at Kubernetes 1.34, etcd 3.6 and kwok 0.8; tried together 2026-11.
"""

from __future__ import annotations

import ipaddress
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import yaml

from simulator.clusters.pki import ADMIN, CONTROLLER_MANAGER, KWOK, SCHEDULER, ClusterFiles

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PORT_NAMES: Final = ("etcd", "etcd-peer", "api-server", "controller-manager", "scheduler", "kwok")
"""The loopback ports that a cluster keeps."""

_CONTROLLERS: Final = (
    "clusterrole-aggregation-controller",
    "daemonset-controller",
    "deployment-controller",
    "disruption-controller",
    "endpointslice-controller",
    "garbage-collector-controller",
    "job-controller",
    "namespace-controller",
    "node-lifecycle-controller",
    "persistentvolume-binder-controller",
    "persistentvolume-protection-controller",
    "persistentvolumeclaim-protection-controller",
    "pod-garbage-collector-controller",
    "replicaset-controller",
    "resourcequota-controller",
    "root-ca-certificate-publisher-controller",
    "serviceaccount-controller",
    "serviceaccount-token-controller",
    "statefulset-controller",
    "taint-eviction-controller",
    "ttl-after-finished-controller",
)
"""Those that a GKE user meets; the rest (cloud routes, volumes expansion, ...) have nothing to act on here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """How to see that a process is ready: an HTTP GET that answers 200."""

    url: str
    certificate: str | None = None
    """Name of the client certificate (see pki) when the server wants one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One program to run: everything that starting it takes."""

    name: str
    arguments: tuple[str, ...]
    """The executable's path first."""
    probe: Probe
    log: Path
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a control plane is made from."""

    folder: Path
    """The cluster's folder; the processes' working directory."""
    files: ClusterFiles
    ports: Mapping[str, int]
    binaries: Mapping[str, Path]
    service_range: str
    """Range of the cluster's Services, in CIDR notation."""
    pod_range: str
    stages: str
    """kwok Stage documents as YAML text."""
    eviction_seconds: int
    """How long pods stay on a node that is gone; Kubernetes' own default is 300."""

    @property
    def endpoint(self) -> str:
        """`host:port` of the API server."""
        return f"127.0.0.1:{self.ports['api-server']}"


def service_address(service_range: str) -> str:
    """The first address of the service range, which Kubernetes gives to its own API.

    >>> service_address("10.20.0.0/20")
    '10.20.0.1'
    """
    return str(ipaddress.ip_network(service_range)[1])


def control_plane(settings: Settings) -> list[Process]:
    """The processes in the order in which they are started; the first two are the API server's."""
    return [
        _etcd(settings),
        _api_server(settings),
        _controller_manager(settings),
        _scheduler(settings),
        _kwok(settings),
    ]


def configuration_files(settings: Settings) -> dict[Path, str]:
    """The files besides certificates that the processes read, by path."""
    config = settings.folder / "config"
    scheduler = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False},
        "clientConnection": {"kubeconfig": str(_kubeconfig_path(settings, SCHEDULER)), "qps": 200, "burst": 400},
        "podInitialBackoffSeconds": 1,
        "podMaxBackoffSeconds": 2,
        "enableProfiling": False,
    }
    files = {
        config / "egress.yaml": yaml.safe_dump(_egress_selector()),
        config / "scheduler.yaml": yaml.safe_dump(scheduler),
        config / "kwok.yaml": f"{yaml.safe_dump(_kwok_configuration(settings))}---\n{settings.stages}",
    }
    for user in (ADMIN, CONTROLLER_MANAGER, SCHEDULER, KWOK):
        files[_kubeconfig_path(settings, user)] = json.dumps(client_kubeconfig(settings, user))
    return files


def client_kubeconfig(settings: Settings, user: str) -> dict[str, Any]:
    """A kubeconfig for one of the cluster's own client certificates."""
    cluster = {
        "server": f"https://{settings.endpoint}",
        "certificate-authority": str(settings.files.path("cluster-ca.crt")),
    }
    credentials = {
        "client-certificate": str(settings.files.path(f"{user}.crt")),
        "client-key": str(settings.files.path(f"{user}.key")),
    }
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "cluster", "cluster": cluster}],
        "users": [{"name": user, "user": credentials}],
        "contexts": [{"name": user, "context": {"cluster": "cluster", "user": user}}],
        "current-context": user,
    }


EGRESS_SOCKET: Final = "egress.sock"
"""The egress proxy's socket, relative to the cluster's folder: an absolute path may be too long for an address."""
TOKENS_FILE: Final = "tokens.csv"


def _etcd(settings: Settings) -> Process:
    files, client = settings.files, f"https://127.0.0.1:{settings.ports['etcd']}"
    peer = f"http://127.0.0.1:{settings.ports['etcd-peer']}"
    arguments = (
        "--name=default",
        f"--data-dir={settings.folder / 'etcd'}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        f"--cert-file={files.path('etcd.crt')}",
        f"--key-file={files.path('etcd.key')}",
        "--client-cert-auth",
        f"--trusted-ca-file={files.path('cluster-ca.crt')}",
        "--unsafe-no-fsync",  # a simulated cluster need not survive a power cut
        "--log-level=warn",
    )
    return _process(settings, "etcd", arguments, Probe(url=f"{client}/health", certificate="etcd-client"))


def _api_server(settings: Settings) -> Process:
    files = settings.files
    arguments = (
        "--bind-address=127.0.0.1",
        f"--secure-port={settings.ports['api-server']}",
        f"--etcd-servers=https://127.0.0.1:{settings.ports['etcd']}",
        f"--etcd-cafile={files.path('cluster-ca.crt')}",
        f"--etcd-certfile={files.path('etcd-client.crt')}",
        f"--etcd-keyfile={files.path('etcd-client.key')}",
        f"--tls-cert-file={files.path('api-server.crt')}",
        f"--tls-private-key-file={files.path('api-server.key')}",
        f"--client-ca-file={files.path('cluster-ca.crt')}",
        f"--token-auth-file={settings.folder / TOKENS_FILE}",
        "--anonymous-auth=false",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={files.path('service-accounts.pub')}",
        f"--service-account-signing-key-file={files.path('service-accounts.key')}",
        f"--requestheader-client-ca-file={files.path('front-proxy-ca.crt')}",
        "--requestheader-allowed-names=front-proxy-client",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        f"--proxy-client-cert-file={files.path('front-proxy-client.crt')}",
        f"--proxy-client-key-file={files.path('front-proxy-client.key')}",
        f"--service-cluster-ip-range={settings.service_range}",
        f"--egress-selector-config-file={settings.folder / 'config' / 'egress.yaml'}",
        f"--kubelet-client-certificate={files.path('node-client.crt')}",
        f"--kubelet-client-key={files.path('node-client.key')}",
        "--kubelet-preferred-address-types=InternalIP",
        "--endpoint-reconciler-type=none",
        "--allow-privileged=true",
        "--enable-admission-plugins=ExtendedResourceToleration",
        f"--default-not-ready-toleration-seconds={settings.eviction_seconds}",
        f"--default-unreachable-toleration-seconds={settings.eviction_seconds}",
        "--profiling=false",
    )
    return _process(
        settings, "kube-apiserver", arguments, Probe(url=f"https://{settings.endpoint}/readyz", certificate=ADMIN)
    )


def _controller_manager(settings: Settings) -> Process:
    port = settings.ports["controller-manager"]
    arguments = (
        *_three_kubeconfigs(settings, CONTROLLER_MANAGER),
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        *_serving_certificate(settings),
        "--leader-elect=false",
        "--use-service-account-credentials=true",
        f"--service-account-private-key-file={settings.files.path('service-accounts.key')}",
        f"--root-ca-file={settings.files.path('cluster-ca.crt')}",
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
        f"--controllers={','.join(_CONTROLLERS)}",
        "--profiling=false",
    )
    return _process(settings, "kube-controller-manager", arguments, Probe(url=f"https://127.0.0.1:{port}/healthz"))


def _scheduler(settings: Settings) -> Process:
    port = settings.ports["scheduler"]
    kubeconfig = _kubeconfig_path(settings, SCHEDULER)
    arguments = (
        f"--config={settings.folder / 'config' / 'scheduler.yaml'}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        *_serving_certificate(settings),
    )
    return _process(settings, "kube-scheduler", arguments, Probe(url=f"https://127.0.0.1:{port}/readyz"))


def _kwok(settings: Settings) -> Process:
    arguments = (
        f"--kubeconfig={_kubeconfig_path(settings, KWOK)}",
        f"--config={settings.folder / 'config' / 'kwok.yaml'}",
    )
    return _process(settings, "kwok", arguments, Probe(url=f"http://127.0.0.1:{settings.ports['kwok']}/healthz"))


def _kwok_configuration(settings: Settings) -> dict[str, Any]:
    parallel = 4  # with a configuration document none of these has a default, and 0 ends the process
    return {
        "apiVersion": "config.kwok.x-k8s.io/v1alpha1",
        "kind": "KwokConfiguration",
        "options": {
            "enableCRDs": [],
            "manageAllNodes": False,
            "manageNodesWithAnnotationSelector": f"{KWOK_NODE_ANNOTATION}={KWOK_NODE_VALUE}",
            "nodeLeaseDurationSeconds": 40,
            "nodeLeaseParallelism": parallel,
            "podPlayStageParallelism": parallel,
            "nodePlayStageParallelism": parallel,
            "podsOnNodeSyncParallelism": parallel,
            "enablePodsOnNodeSyncStreamWatch": True,
            "cidr": settings.pod_range,
            "nodeIP": "127.0.0.1",
            "nodePort": 0,
            "serverAddress": f"127.0.0.1:{settings.ports['kwok']}",
        },
    }


KWOK_NODE_ANNOTATION: Final = "kwok.x-k8s.io/node"
KWOK_NODE_VALUE: Final = "fake"


def _egress_selector() -> dict[str, Any]:
    proxy = {"proxyProtocol": "HTTPConnect", "transport": {"uds": {"udsName": EGRESS_SOCKET}}}
    return {
        "apiVersion": "apiserver.k8s.io/v1beta1",
        "kind": "EgressSelectorConfiguration",
        "egressSelections": [{"name": "cluster", "connection": proxy}],
    }


def _three_kubeconfigs(settings: Settings, user: str) -> tuple[str, ...]:
    path = _kubeconfig_path(settings, user)
    return (f"--kubeconfig={path}", f"--authentication-kubeconfig={path}", f"--authorization-kubeconfig={path}")


def _serving_certificate(settings: Settings) -> tuple[str, str]:
    path = settings.files.path
    return (f"--tls-cert-file={path('component.crt')}", f"--tls-private-key-file={path('component.key')}")


def _kubeconfig_path(settings: Settings, user: str) -> Path:
    return settings.folder / "config" / f"{user}.kubeconfig"


def _process(settings: Settings, name: str, arguments: tuple[str, ...], probe: Probe) -> Process:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(settings.folder)}
    return Process(
        name=name,
        arguments=(str(settings.binaries[name]), *arguments),
        probe=probe,
        log=settings.folder / "logs" / f"{name}.log",
        environment=environment,
    )
