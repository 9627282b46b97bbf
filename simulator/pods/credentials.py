"""The credentials of a host pod: a kubeconfig of its ServiceAccount, so that the chart's RBAC really applies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, section
from simulator.files import write_whole
from simulator.kubeconfig import document

if TYPE_CHECKING:
    from pathlib import Path

    from components.kubeapi import Api

TOKEN_SECONDS: Final = 24 * 3600
"""Life of a token; the pod's runner renews it in time by writing the kubeconfig again."""


def write_kubeconfig(pod: Document, folder: Path, api: Api, authority: Path) -> Path:
    """A kubeconfig in `folder` with a new token of the pod's ServiceAccount, which programs read again by themselves.

    Args:
        pod: the pod.
        folder: where kubeconfig and token are written.
        api: the API server as its administrator; the kubeconfig leads to the same one.
        authority: file with the certificate of the API server's authority.

    Raises:
        kubeapi.ApiError, kubeapi.UnreachableError: no token is issued (yet).
    """
    token_file = folder / "token"
    write_whole(token_file, _token(pod, api))
    cluster = {"server": api.connection.server, "certificate-authority": str(authority)}
    kubeconfig = folder / "kubeconfig"
    write_whole(kubeconfig, json.dumps(document(("pod", cluster, {"tokenFile": str(token_file)}))))
    return kubeconfig


def _token(pod: Document, api: Api) -> str:
    account = section(pod, "spec").get("serviceAccountName") or "default"
    request = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"expirationSeconds": TOKEN_SECONDS},
    }
    path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/serviceaccounts/{account}/token"
    return str(api.request("POST", path, body=request)["status"]["token"])
