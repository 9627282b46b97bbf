"""The changes that GKE's admission webhook makes to pods, and the annotations by which kwok plays them.

Changes are made when a pod is created: if it selects a ComputeClass, it tolerates the taint of the class, or is refused
(`compute_classes.py`); its TPU containers get the worker environment (`tpu_environment.py`), as on GKE; on Autopilot
containers get default requests (`autopilot.py`); and a pod whose image has no program here is annotated with how long
its command takes, so that `ends.py` ends it then. The annotations are the simulator's only mark on users'
objects.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, Final

from components.kubeapi.documents import Document, entries, section
from simulator.pods import webhooks
from simulator.pods.autopilot import is_exempt, resource_patch
from simulator.pods.compute_classes import hosts_of, refused, toleration_patch
from simulator.pods.images import program_of
from simulator.pods.interpreted import ANNOTATION_INTERPRETED, can_be_interpreted
from simulator.pods.programs import ImageError, Releases
from simulator.pods.script import longest
from simulator.pods.tpu_environment import chips_of, device_counts, worker_environment
from simulator.pods.volumes import must_be_mounted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ADMISSION_PATH: Final = "/admit-pods"
ANNOTATION_SECONDS: Final = "simulator.tpu-platform.dev/seconds"
"""How long the pod runs, in simulated seconds; its presence makes kwok play the pod."""
ANNOTATION_EXIT_CODE: Final = "simulator.tpu-platform.dev/exit-code"
"""The exit code of the pod's containers."""
ANNOTATION_UNMOUNTED: Final = "simulator.tpu-platform.dev/unmounted"
"""On a pod whose volumes are not mounted yet: kwok does not start it."""


class Admission:
    """Answers the API server's AdmissionReviews for new pods."""

    def __init__(
        self,
        releases: Releases,
        *,
        is_autopilot: bool = False,
        find: Callable[[str], Document | None] = lambda _: None,
    ) -> None:
        """`releases` are those of the programs that are built here; `find` finds an object by its path in the API."""
        self._find = find
        self._releases = releases
        self._is_autopilot = is_autopilot

    def answer(self, body: bytes) -> bytes:
        """The AdmissionReview of one pod, with the patch that changes it, as JSON."""
        request = json.loads(body)["request"]
        message = refused(request["object"])
        if message is not None:
            return webhooks.answer(request, message)
        patch = self._patch(request["object"], request.get("namespace", ""))
        encoded = base64.b64encode(json.dumps(patch).encode()).decode()
        return webhooks.answer(request, patchType="JSONPatch", patch=encoded)

    def _patch(self, pod: Document, namespace: str) -> list[dict[str, Any]]:
        environment = worker_environment(pod, hosts_of(pod, namespace, self._find))
        patch = [*_environment_patch(pod, environment), *toleration_patch(pod)]
        if self._is_autopilot and not is_exempt(namespace):
            patch += resource_patch(pod)
        if self._runs_here(pod):
            return patch
        script = longest(pod, device_counts(pod))
        if script.needs_machine and can_be_interpreted(pod):
            patch += _annotation_patch(pod, {ANNOTATION_INTERPRETED: "true"})
        else:
            annotations = {ANNOTATION_SECONDS: f"{script.seconds:.3f}", ANNOTATION_EXIT_CODE: str(script.exit_code)}
            if any(must_be_mounted(volume) for volume in entries(section(pod, "spec"), "volumes")):
                annotations[ANNOTATION_UNMOUNTED] = "true"
            patch += _annotation_patch(pod, annotations)
        return patch

    def _runs_here(self, pod: Document) -> bool:
        """Whether `pods.runner` takes the pod; the runner also reports images of a wrong version."""
        for container in entries(section(pod, "spec"), "containers"):
            try:
                if program_of(str(container.get("image")), self._releases) is not None:
                    return True
            except ImageError:
                return True
        return False


def webhook_configuration(port: int, authority: str) -> Document:
    """The MutatingWebhookConfiguration that brings new pods to `Admission` on loopback `port`.

    `authority` is that of the server's certificate, PEM.
    """
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    client = webhooks.client(port, ADMISSION_PATH, authority)
    return webhooks.configuration("simulator-pods", "pods.simulator.tpu-platform.dev", client, [rule], kind="Mutating")


def _environment_patch(pod: Document, environment: Mapping[str, str]) -> list[dict[str, Any]]:
    patch: list[dict[str, Any]] = []
    for index, container in enumerate(entries(section(pod, "spec"), "containers")):
        if not environment or chips_of(container) == 0:
            continue
        own = entries(container, "env")
        given = {item["name"] for item in own}
        added = [{"name": name, "value": value} for name, value in environment.items() if name not in given]
        patch.append({"op": "add", "path": f"/spec/containers/{index}/env", "value": [*own, *added]})
        container["env"] = [*own, *added]
    return patch


def _annotation_patch(pod: Document, annotations: Mapping[str, str]) -> list[dict[str, Any]]:
    merged = {**annotations, **section(pod, "metadata", "annotations")}
    return [{"op": "add", "path": "/metadata/annotations", "value": merged}]
