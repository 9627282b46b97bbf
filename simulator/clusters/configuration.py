"""The files besides certificates that a control plane's processes read. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import yaml

from simulator.clusters.pki import ADMIN, CONTROLLER_MANAGER, KWOK, NODE_CLIENT, SCHEDULER
from simulator.clusters.settings import EGRESS_SOCKET, NODE_API, Settings
from simulator.kubeconfig import document

if TYPE_CHECKING:
    from pathlib import Path

WEBHOOKS: Final = "webhooks"
"""The kubeconfig with the API server's credentials for webhooks."""
_KWOK_NODES: Final = "kwok.x-k8s.io/node=fake"
"""The annotation of the nodes that kwok plays."""


def configuration_files(settings: Settings) -> dict[Path, str]:
    """The files besides certificates that the processes read, by path."""
    config = settings.configuration
    scheduler = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False},
        "clientConnection": {"kubeconfig": str(settings.kubeconfig(SCHEDULER)), "qps": 200, "burst": 400},
        "podInitialBackoffSeconds": 1,
        "podMaxBackoffSeconds": 2,
        "enableProfiling": False,
    }
    files = {
        config / "admission.yaml": yaml.safe_dump(_admission(settings)),
        config / "egress.yaml": yaml.safe_dump(_egress_selector()),
        config / "scheduler.yaml": yaml.safe_dump(scheduler),
        config / "kwok.yaml": f"{yaml.safe_dump(_kwok_configuration(settings))}---\n{settings.stages}",
    }
    files[settings.kubeconfig(WEBHOOKS)] = json.dumps(_webhook_users(settings))
    for user in (ADMIN, CONTROLLER_MANAGER, SCHEDULER, KWOK):
        files[settings.kubeconfig(user)] = json.dumps(client_kubeconfig(settings, user))
    return files


def client_kubeconfig(settings: Settings, user: str) -> dict[str, Any]:
    """A kubeconfig for one of the cluster's own client certificates."""
    cluster = {
        "server": f"https://{settings.endpoint}",
        "certificate-authority": str(settings.files.path("cluster-ca.crt")),
    }
    return document((user, cluster, _user(settings, user)))


def _kwok_configuration(settings: Settings) -> dict[str, Any]:
    parallel = 4  # with a configuration document none of these has a default, and 0 ends the process
    return {
        "apiVersion": "config.kwok.x-k8s.io/v1alpha1",
        "kind": "KwokConfiguration",
        "options": {
            "enableCRDs": [],
            "manageAllNodes": False,
            "manageNodesWithAnnotationSelector": _KWOK_NODES,
            # No leases: only the process that made one plays its node, and another that takes its place would wait.
            "nodeLeaseDurationSeconds": 0,
            "podPlayStageParallelism": parallel,
            "nodePlayStageParallelism": parallel,
            "podsOnNodeSyncParallelism": parallel,
            "enablePodsOnNodeSyncStreamWatch": True,
            "cidr": settings.pod_range,
            "nodeIP": "127.0.0.1",
            "nodePort": 0,  # with no address either, kwok does not listen: its server would answer anybody
        },
    }


def _admission(settings: Settings) -> dict[str, Any]:
    """Where the API server finds its credentials for webhooks."""
    webhooks = {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "WebhookAdmissionConfiguration",
        "kubeConfigFile": str(settings.kubeconfig(WEBHOOKS)),
    }
    plugins = ("MutatingAdmissionWebhook", "ValidatingAdmissionWebhook")
    return {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "AdmissionConfiguration",
        "plugins": [{"name": plugin, "configuration": dict(webhooks)} for plugin in plugins],
    }


def _webhook_users(settings: Settings) -> dict[str, Any]:
    """A kubeconfig in the form in which the API server looks up webhooks: the user has the server's name."""
    name = f"127.0.0.1:{settings.ports[NODE_API]}"
    return {"apiVersion": "v1", "kind": "Config", "users": [{"name": name, "user": _user(settings, NODE_CLIENT)}]}


def _user(settings: Settings, pair: str) -> dict[str, str]:
    """The user of a kubeconfig with one of the cluster's own client certificates."""
    path = settings.files.path
    return {"client-certificate": str(path(f"{pair}.crt")), "client-key": str(path(f"{pair}.key"))}


def _egress_selector() -> dict[str, Any]:
    proxy = {"proxyProtocol": "HTTPConnect", "transport": {"uds": {"udsName": EGRESS_SOCKET}}}
    return {
        "apiVersion": "apiserver.k8s.io/v1beta1",
        "kind": "EgressSelectorConfiguration",
        "egressSelections": [{"name": "cluster", "connection": proxy}],
    }
