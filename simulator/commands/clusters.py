"""The API servers of the simulated clusters, as commands reach them, and whether their webhooks can be called."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Final

from components.kubeapi import Api, ApiError, KubeconfigError, UnreachableError, connection_from
from components.kubeapi.documents import entries, section
from simulator.client import ensure
from simulator.files import read_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.home import Home

_POLL_SECONDS: Final = 0.2
_WEBHOOKS: Final = "/apis/admissionregistration.k8s.io/v1/{}webhookconfigurations"


def api_of(home: Home, context: str | None = None) -> Api | None:
    """The API server of a context of the simulator's kubeconfig, or of the current one; None without a cluster."""
    kubeconfig = _kubeconfig(home)
    return None if kubeconfig is None else Api(connection_from(kubeconfig, context=context))


def apis(home: Home) -> Iterator[Api]:
    """The API server of each cluster."""
    kubeconfig = _kubeconfig(home)
    if kubeconfig is not None:
        for context in kubeconfig["contexts"]:
            yield Api(connection_from(kubeconfig, context=context["name"]))


def _kubeconfig(home: Home) -> dict[str, Any] | None:
    """The simulator's kubeconfig, with credential commands that also work outside of the simulator."""
    ensure(home)
    try:
        kubeconfig = read_json(home.kubeconfig)
    except FileNotFoundError:
        return None
    for user in kubeconfig["users"]:
        user["user"]["exec"]["command"] = str(home.bin / user["user"]["exec"]["command"])
    return kubeconfig


def await_webhooks(api: Api, seconds: float) -> list[str]:
    """Return when every webhook of a cluster can be called; after `seconds`, with a reason for each that cannot.

    A controller that was away for a while (a machine that slept) loses its lease and starts again. Until then the API
    server refuses every object that these webhooks check, so an update fails. For some seconds a controller that is
    about to end looks as if it were ready, so each must also renew its lease.
    """
    pause, deadline, renewals = threading.Event(), time.monotonic() + seconds, dict[str, str]()
    while (missing := _not_served(api, renewals)) and time.monotonic() < deadline:
        pause.wait(_POLL_SECONDS)
    return missing


def _not_served(api: Api, renewals: dict[str, str]) -> list[str]:
    """Why webhooks cannot be called; `renewals` keeps when each lease was renewed as it was first seen."""
    try:
        hooks = [hook for kind in ("mutating", "validating") for hook in _hooks(api, kind)]
        services = sorted({(each["namespace"], each["name"]) for each in hooks})
        leases = [lease for namespace in sorted({each for each, _ in services}) for lease in _leases(api, namespace)]
        return [
            f"Service {namespace}/{name} of a webhook has no ready endpoint"
            for namespace, name in services
            if not _is_served(api, namespace, name)
        ] + [
            f"Lease {name} was not renewed by its holder"
            for name, renewed in leases
            if renewals.setdefault(name, renewed) == renewed
        ]
    except (ApiError, KubeconfigError, UnreachableError) as error:
        return [str(error)]


def _leases(api: Api, namespace: str) -> Iterator[tuple[str, str]]:
    """The leases in a namespace, each with the time of its last renewal."""
    for lease in api.items(f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"):
        yield f"{namespace}/{lease['metadata']['name']}", str(section(lease, "spec").get("renewTime"))


def _hooks(api: Api, kind: str) -> Iterator[dict[str, Any]]:
    """The Services that webhooks name."""
    for configuration in api.items(_WEBHOOKS.format(kind)):
        for hook in entries(configuration, "webhooks"):
            if service := section(hook, "clientConfig").get("service"):
                yield service


def _is_served(api: Api, namespace: str, name: str) -> bool:
    path = f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices"
    slices = api.items(path, {"labelSelector": f"kubernetes.io/service-name={name}"})
    return any(section(each, "conditions").get("ready") for found in slices for each in entries(found, "endpoints"))
