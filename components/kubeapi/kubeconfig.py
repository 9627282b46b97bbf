"""From a kubeconfig to a connection: server, certificate authority and credentials.

Client certificates, bearer tokens, token files and exec plugins (client.authentication.k8s.io, as GKE's
gke-gcloud-auth-plugin speaks it) are supported; a kubeconfig with another kind of credential, or with another way to
the server than a plain verified connection, is refused.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

import yaml

from components.kubeapi.documents import Document, entries, section

_EXEC_TIMEOUT: Final = 60
"""Seconds that a credential plugin may take; a cloud login that needs longer needs a person."""
_UNDERSTOOD_USER_KEYS: Final = frozenset(
    {"client-certificate", "client-certificate-data", "client-key", "client-key-data", "token", "tokenFile", "exec"}
)
_NOT_UNDERSTOOD_CLUSTER_KEYS: Final = ("insecure-skip-tls-verify", "proxy-url", "tls-server-name")


class KubeconfigError(Exception):
    """The kubeconfig or its credential plugin gives no usable connection; the text says which part and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One API server and one identity on it."""

    server: str
    """`https://host:port`, without a trailing slash."""
    certificate_authority: str | None
    """PEM; None trusts the system's authorities."""
    client_certificate: str | None = None
    """PEM of the certificate, with `client_key`."""
    client_key: str | None = None
    token: str | None = None
    namespace: str = "default"


def connection_from(kubeconfig: str | Document, *, context: str | None = None) -> Connection:
    """The connection that a kubeconfig describes: its text, or the parsed document.

    Args:
        kubeconfig: YAML or JSON text, or the document.
        context: name of the context; the current one when None.

    Raises:
        KubeconfigError: a name is missing, a credential is of an unknown kind, or the exec plugin failed.
    """
    document = _parse(kubeconfig) if isinstance(kubeconfig, str) else kubeconfig
    chosen = _named(document, "contexts", context or document.get("current-context"), "context")
    cluster = _named(document, "clusters", chosen.get("cluster"), "cluster")
    user = _named(document, "users", chosen.get("user"), "user") if chosen.get("user") else {}
    server = str(cluster.get("server") or "").rstrip("/")
    if not server:
        raise KubeconfigError(f"cluster {chosen.get('cluster')} of the kubeconfig names no server")
    strange = next((key for key in _NOT_UNDERSTOOD_CLUSTER_KEYS if cluster.get(key)), None)
    if strange is not None:
        raise KubeconfigError(
            f"cluster {chosen.get('cluster')} of the kubeconfig asks for {strange}, which is not supported here"
        )
    authority = _pem(cluster, "certificate-authority")
    credentials = _credentials(user, cluster)
    return Connection(
        server=server,
        certificate_authority=authority,
        namespace=str(chosen.get("namespace") or "default"),
        **credentials,
    )


def _parse(text: str) -> Document:
    try:
        document: object = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise KubeconfigError(f"the kubeconfig is not YAML: {error}") from error
    except RecursionError as error:
        raise KubeconfigError("the kubeconfig is nested too deeply") from error
    if not isinstance(document, dict):
        raise KubeconfigError("the kubeconfig is not a mapping with clusters, contexts and users")
    return cast("Document", document)


def _named(document: Document, section_: str, name: object, kind: str) -> Document:
    if not name:
        raise KubeconfigError(f"the kubeconfig names no {kind} to use")
    for entry in entries(document, section_):
        if entry.get("name") == name:
            return section(entry, kind)
    raise KubeconfigError(f"the kubeconfig has no {kind} named {name}")


def _pem(entry: Document, key: str) -> str | None:
    data = entry.get(f"{key}-data")
    if data:
        try:
            return base64.b64decode(data, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError) as error:
            raise KubeconfigError(f"{key}-data of the kubeconfig is not base64 of PEM text") from error
    path = entry.get(key)
    return _read(str(path), key) if path else None


def _read(path: str, key: str) -> str:
    try:
        return Path(path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise KubeconfigError(f"{key} of the kubeconfig: {error}") from error


def _credentials(user: Document, cluster: Document) -> dict[str, str | None]:
    strange = sorted(set(user) - _UNDERSTOOD_USER_KEYS)
    if strange:
        raise KubeconfigError(f"the kubeconfig's user has credentials of a kind not supported here: {strange[0]}")
    if "exec" in user:
        return _run_plugin(user["exec"], cluster)
    token = user.get("token")
    if not token and user.get("tokenFile"):
        token = _read(str(user["tokenFile"]), "tokenFile").strip()
    certificate, key = _pem(user, "client-certificate"), _pem(user, "client-key")
    if (certificate is None) is not (key is None):
        raise KubeconfigError("the kubeconfig's user has only one of client-certificate and client-key")
    return {"client_certificate": certificate, "client_key": key, "token": token}


def _run_plugin(plugin: Document, cluster: Document) -> dict[str, str | None]:
    command = [str(plugin.get("command", "")), *cast("list[str]", plugin.get("args") or [])]
    environment = dict(os.environ)
    environment.update({str(item["name"]): str(item["value"]) for item in entries(plugin, "env")})
    environment["KUBERNETES_EXEC_INFO"] = json.dumps(_exec_info(plugin, cluster))
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=_EXEC_TIMEOUT, check=False
        )
    except FileNotFoundError as error:
        hint = f" {plugin['installHint']}" if plugin.get("installHint") else ""
        raise KubeconfigError(f"credential plugin {command[0]} is not installed or not on PATH.{hint}") from error
    except OSError as error:
        raise KubeconfigError(f"credential plugin {command[0]} cannot be run: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise KubeconfigError(f"credential plugin {command[0]} did not answer within {_EXEC_TIMEOUT} s") from error
    if done.returncode != 0:
        raise KubeconfigError(f"credential plugin {command[0]} exited with {done.returncode}: {done.stderr.strip()}")
    return _exec_status(command[0], done.stdout, plugin.get("apiVersion"))


def _exec_info(plugin: Document, cluster: Document) -> Document:
    spec: Document = {"interactive": False}
    if plugin.get("provideClusterInfo"):
        spec["cluster"] = {key: cluster[key] for key in ("server", "certificate-authority-data") if key in cluster}
    return {"apiVersion": plugin.get("apiVersion"), "kind": "ExecCredential", "spec": spec}


def _exec_status(command: str, output: str, version: str | None) -> dict[str, str | None]:
    """The plugin's credential, which must have the version that the kubeconfig names, as with client-go."""
    try:
        document = json.loads(output)
        answered, status = document.get("apiVersion"), document["status"]
        token = status.get("token")
    except (AttributeError, json.JSONDecodeError, KeyError, TypeError) as error:
        raise KubeconfigError(f"credential plugin {command} printed no ExecCredential with a status") from error
    if answered != version:
        raise KubeconfigError(f"credential plugin {command} answers in {answered}, the kubeconfig asks for {version}")
    return {
        "client_certificate": status.get("clientCertificateData"),
        "client_key": status.get("clientKeyData"),
        "token": token,
    }
