"""Autopilot's changes to pods and its refusals: default requests, and GKE Warden.

Refused are privileged containers and the host's network, process and IPC namespaces, in pods and in the templates of
workloads; the system's own namespaces are exempt. Other rules of Autopilot (host paths, capabilities, host ports) are
not modelled. A container without requests gets Autopilot's defaults; CPU and memory without a limit may burst, as in
every cluster of the versions offered here.

Source: GKE documentation "Resource requests in Autopilot" and "Autopilot security measures"; the form of the texts:
Warden's answers as quoted in public issue reports, read 2026-11.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from components.kubeapi.documents import Document, entries, section
from simulator.pods import webhooks

if TYPE_CHECKING:
    from collections.abc import Iterator

WARDEN_PATH: Final = "/warden"
WARDEN: Final = "warden-validating.common-webhooks.networking.gke.io"
_REASON: Final = "GKE Warden constraints violations"
_DEFAULTS: Final = {"cpu": "500m", "memory": "2Gi", "ephemeral-storage": "1Gi"}
_HOST_NAMESPACES: Final = ("hostNetwork", "hostPID", "hostIPC")
_SYSTEM: Final = ("kube-", "gke-", "gmp-")
_RULES: Final = (
    {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]},
    {"apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["daemonsets", "deployments", "statefulsets"]},
    {"apiGroups": ["batch"], "apiVersions": ["v1"], "resources": ["cronjobs", "jobs"]},
)


def resource_patch(pod: Document) -> list[dict[str, Any]]:
    """The JSON patch that gives containers the requests that they lack."""
    patch: list[dict[str, Any]] = []
    for kind in ("initContainers", "containers"):
        for index, container in enumerate(entries(section(pod, "spec"), kind)):
            resources = section(container, "resources")
            requests = {**_DEFAULTS, **section(resources, "limits"), **section(resources, "requests")}
            storage = {"ephemeral-storage": requests["ephemeral-storage"]}
            filled = {**resources, "requests": requests, "limits": {**storage, **section(resources, "limits")}}
            if filled != resources:
                patch.append({"op": "add", "path": f"/spec/{kind}/{index}/resources", "value": filled})
                container["resources"] = filled
    return patch


def is_exempt(namespace: str) -> bool:
    """Whether a namespace is the system's."""
    return namespace.startswith(_SYSTEM)


def judge(body: bytes) -> bytes:
    """Warden's answer to an AdmissionReview."""
    request = json.loads(body)["request"]
    found = {} if is_exempt(request.get("namespace", "")) else _violations(_pod_spec(request["object"]))
    if not found:
        return webhooks.answer(request)
    user = request.get("userInfo", {})
    message = (
        "GKE Warden rejected the request because it violates one or more constraints.\n"
        f"Violations details: {json.dumps(found, separators=(',', ':'))}\n"
        f"Requested by user: '{user.get('username', '')}', groups: '{','.join(user.get('groups', []))}'."
    )
    return webhooks.answer(request, message, reason=_REASON)


def warden_configuration(client: Document) -> Document:
    """The ValidatingWebhookConfiguration that brings pods and workloads to `judge`; `client` is its address."""
    rules = [{**rule, "operations": ["CREATE", "UPDATE"]} for rule in _RULES]
    return webhooks.configuration(WARDEN, WARDEN, client, rules, kind="Validating")


def _pod_spec(document: Document) -> Document:
    """The pod specification in a pod or in the template of a workload."""
    match document["kind"]:
        case "Pod":
            return section(document, "spec")
        case "CronJob":
            return section(document, "spec", "jobTemplate", "spec", "template", "spec")
        case _:
            return section(document, "spec", "template", "spec")


def _violations(spec: Document) -> dict[str, list[str]]:
    host = [f"enabling {name} is not allowed in Autopilot." for name in _HOST_NAMESPACES if spec.get(name)]
    privileged = [f"container {name} is privileged; not allowed in Autopilot" for name in _privileged(spec)]
    found = {
        "[denied by autogke-disallow-hostnamespaces]": host,
        "[denied by autogke-disallow-privilege]": privileged,
    }
    return {rule: texts for rule, texts in found.items() if texts}


def _privileged(spec: Document) -> Iterator[str]:
    for container in [*entries(spec, "initContainers"), *entries(spec, "containers")]:
        if section(container, "securityContext").get("privileged"):
            yield container["name"]
