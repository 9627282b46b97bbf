"""Webhooks of GKE's own, which the simulator serves on loopback: their configurations, and their answers."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.kubeapi.documents import Document


def configuration(
    name: str, webhook: str, client: Document, rules: Sequence[Mapping[str, Any]], *, kind: str
) -> Document:
    """The configuration of one webhook, of kind `Mutating` or `Validating`; `client` is its address."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": f"{kind}WebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": [
            {
                "name": webhook,
                "admissionReviewVersions": ["v1"],
                "sideEffects": "None",
                "failurePolicy": "Fail",
                "timeoutSeconds": 10,
                "clientConfig": client,
                "rules": list(rules),
            }
        ],
    }


def client(port: int, path: str, authority: str) -> Document:
    """The clientConfig of a webhook on loopback; `authority` is that of the server's certificate, PEM."""
    return {"url": f"https://127.0.0.1:{port}{path}", "caBundle": base64.b64encode(authority.encode()).decode()}


def answer(request: Document, refusal: str | None = None, *, reason: str = "BadRequest", **fields: Any) -> bytes:  # noqa: ANN401  any JSON value
    """The AdmissionReview that answers a request: it is allowed, with more fields, or refused with a message."""
    response = {"uid": request["uid"], "allowed": refusal is None, **fields}
    if refusal is not None:
        response["status"] = {"status": "Failure", "reason": reason, "message": refusal, "code": 400}
    return json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}).encode()
