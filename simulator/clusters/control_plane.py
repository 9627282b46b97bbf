"""What one cluster's control plane consists of: its processes with arguments, files and readiness probes. Pure.

Only `supervisor.py` starts anything. The processes are etcd, kube-apiserver, kube-controller-manager, kube-scheduler
and kwok. Those that listen do so on loopback, with ports that the cluster keeps for its life, so that a restart changes
neither the endpoint nor a kubeconfig. The purpose of arguments, where it is not obvious:

- the API server reaches nodes and services through an egress selector, because neither has an address on this machine;
- `--endpoint-reconciler-type=none`: it may not publish a loopback address as the endpoint of the kubernetes Service;
- ExtendedResourceToleration lets pods that ask for google.com/tpu onto tainted TPU nodes, as GKE does;
- etcd has no peers, but it needs a port for them: no certificate admits a peer;
- no path is open to everybody, not even those of health: probes have a certificate, like every other client;
- the front-proxy files are needed by the controller manager and the scheduler, which read them from the API server;
- higher client limits keep the controllers from starting in steps of 100 ms.

Source: the flags' own documentation at Kubernetes 1.34, etcd 3.6 and kwok 0.8; tried together 2026-11.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from simulator.clusters.pki import ADMIN, CONTROLLER_MANAGER, KWOK, SCHEDULER
from simulator.probes import Probe
from simulator.processes import go_variables

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from simulator.clusters.settings import Settings

_CONTROLLERS: Final = (
    "clusterrole-aggregation-controller",
    "daemonset-controller",
    "deployment-controller",
    "disruption-controller",
    "endpoints-controller",
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
class Process:
    """One program to run: everything needed to start it."""

    name: str
    arguments: tuple[str, ...]
    """The executable's path first."""
    probe: Probe | None
    """None for a process that does not listen."""
    log: Path
    environment: Mapping[str, str]


def control_plane(settings: Settings) -> list[Process]:
    """The processes in the order in which they are started; the first two make up the API server."""
    return [
        _etcd(settings),
        _api_server(settings),
        _controller_manager(settings),
        _scheduler(settings),
        _kwok(settings),
    ]


def _etcd(settings: Settings) -> Process:
    files, client = settings.files, f"https://127.0.0.1:{settings.ports['etcd']}"
    peer = f"https://127.0.0.1:{settings.ports['etcd-peer']}"
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
        f"--peer-cert-file={files.path('etcd.crt')}",
        f"--peer-key-file={files.path('etcd.key')}",
        "--peer-client-cert-auth",
        f"--peer-trusted-ca-file={files.path('front-proxy-ca.crt')}",
        "--peer-cert-allowed-cn=etcd",
        "--unsafe-no-fsync",  # a simulated cluster need not survive a power cut
        "--snapshot-catchup-entries=100",  # no member is ever behind; etcd keeps 5,000 requests in memory for one
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
        f"--token-auth-file={settings.tokens}",
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
        f"--egress-selector-config-file={settings.configuration / 'egress.yaml'}",
        f"--admission-control-config-file={settings.configuration / 'admission.yaml'}",
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
    probe = Probe(url=f"https://{settings.endpoint}/readyz", certificate=ADMIN)
    return _process(settings, "kube-apiserver", arguments, probe)


def _controller_manager(settings: Settings) -> Process:
    port = settings.ports["controller-manager"]
    arguments = (
        *_three_kubeconfigs(settings, CONTROLLER_MANAGER),
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        *_serving(settings),
        "--leader-elect=false",
        "--use-service-account-credentials=true",
        f"--service-account-private-key-file={settings.files.path('service-accounts.key')}",
        f"--root-ca-file={settings.files.path('cluster-ca.crt')}",
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
        f"--controllers={','.join(_CONTROLLERS)}",
        # Nodes that kwok plays renew no lease: here only the simulator breaks nodes, and says so itself. Ten years.
        "--node-monitor-grace-period=87600h",
        "--pvclaimbinder-sync-period=1s",  # a claim that is there a moment before its volume waits for the next round
        "--profiling=false",
    )
    probe = Probe(url=f"https://127.0.0.1:{port}/healthz", certificate=ADMIN)
    return _process(settings, "kube-controller-manager", arguments, probe)


def _scheduler(settings: Settings) -> Process:
    port = settings.ports["scheduler"]
    kubeconfig = settings.kubeconfig(SCHEDULER)
    arguments = (
        f"--config={settings.configuration / 'scheduler.yaml'}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        *_serving(settings),
    )
    probe = Probe(url=f"https://127.0.0.1:{port}/readyz", certificate=ADMIN)
    return _process(settings, "kube-scheduler", arguments, probe)


def _kwok(settings: Settings) -> Process:
    arguments = (
        f"--kubeconfig={settings.kubeconfig(KWOK)}",
        f"--config={settings.configuration / 'kwok.yaml'}",
    )
    return _process(settings, "kwok", arguments, None)


def _three_kubeconfigs(settings: Settings, user: str) -> tuple[str, ...]:
    path = settings.kubeconfig(user)
    return (f"--kubeconfig={path}", f"--authentication-kubeconfig={path}", f"--authorization-kubeconfig={path}")


def _serving(settings: Settings) -> tuple[str, str, str]:
    path = settings.files.path
    return (
        f"--tls-cert-file={path('component.crt')}",
        f"--tls-private-key-file={path('component.key')}",
        "--authorization-always-allow-paths=",
    )


def _process(settings: Settings, name: str, arguments: tuple[str, ...], probe: Probe | None) -> Process:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(settings.folder), **go_variables()}
    return Process(
        name=name,
        arguments=(str(settings.binaries[name]), *arguments),
        probe=probe,
        log=settings.folder / "logs" / f"{name}.log",
        environment=environment,
    )
