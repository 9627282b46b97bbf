"""From a kubeconfig to a connection: every kind of credential, and every refusal in full."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Final

import pytest
import yaml

from components.kubeapi import Connection, KubeconfigError, connection_from

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from components.kubeapi.documents import Document

_PEM: Final = "-----BEGIN CERTIFICATE-----\nQQ==\n-----END CERTIFICATE-----\n"
_FIRST: Final = "first-token"
_KEY: Final = "-----BEGIN PRIVATE KEY-----\nQQ==\n-----END PRIVATE KEY-----\n"


def base64_of(text: str) -> str:
    """Text as the `-data` keys carry it."""
    return base64.b64encode(text.encode()).decode()


def a_kubeconfig(user: Document | None = None, cluster: Document | None = None) -> Document:
    """A kubeconfig with one context `c` of cluster `k` and user `u`."""
    return {
        "clusters": [{"name": "k", "cluster": {"server": "https://10.0.0.1:6443/", **(cluster or {})}}],
        "users": [{"name": "u", "user": user or {}}],
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
        "current-context": "c",
    }


def refusal(kubeconfig: str | Document, context: str | None = None) -> str:
    """The text with which a kubeconfig is refused."""
    with pytest.raises(KubeconfigError) as caught:
        connection_from(kubeconfig, context=context)
    return str(caught.value)


_VERSION: Final = "client.authentication.k8s.io/v1beta1"


def plugin(folder: Path, script: str) -> Document:
    """A user whose credentials come from a plugin with that shell script."""
    path = folder / "auth-plugin"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return {"exec": {"apiVersion": _VERSION, "command": str(path)}}


@pytest.mark.parametrize("as_text", [None, yaml.safe_dump, json.dumps], ids=["document", "yaml", "json"])
def test_the_form_does_not_matter(as_text: Callable[[Document], str] | None) -> None:
    document = a_kubeconfig({"token": _FIRST}, {"certificate-authority-data": base64_of(_PEM)})
    given = document if as_text is None else as_text(document)
    assert connection_from(given) == Connection(
        server="https://10.0.0.1:6443", certificate_authority=_PEM, token=_FIRST, namespace="default"
    )


def test_files_are_read(tmp_path: Path) -> None:
    texts = {"ca": _PEM, "crt": _PEM + "client", "key": _KEY, "token": f"{_FIRST}\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    user = {"client-certificate": f"{tmp_path}/crt", "client-key": f"{tmp_path}/key", "tokenFile": f"{tmp_path}/token"}
    connection = connection_from(a_kubeconfig(user, {"certificate-authority": f"{tmp_path}/ca"}))
    assert connection.certificate_authority == _PEM
    assert (connection.client_certificate, connection.client_key) == (_PEM + "client", _KEY)
    assert connection.token == _FIRST


def test_data_goes_before_files_and_a_token_before_its_file() -> None:
    user = {
        "client-certificate-data": base64_of(_PEM),
        "client-certificate": "/nowhere",
        "client-key-data": base64_of(_KEY),
        "client-key": "/nowhere",
        "token": "given",
        "tokenFile": "/nowhere",
    }
    connection = connection_from(a_kubeconfig(user))
    assert (connection.client_certificate, connection.client_key, connection.token) == (_PEM, _KEY, "given")


def test_the_context_chooses_cluster_user_and_namespace() -> None:
    document = a_kubeconfig({"token": _FIRST})
    document["clusters"].append({"name": "k2", "cluster": {"server": "https://10.0.0.2"}})
    document["contexts"].append({"name": "c2", "context": {"cluster": "k2", "namespace": "team"}})
    connection = connection_from(document, context="c2")
    assert connection == Connection(server="https://10.0.0.2", certificate_authority=None, namespace="team")
    assert connection_from(document).token == _FIRST


def test_a_plugin_gives_a_token_and_learns_the_cluster(tmp_path: Path) -> None:
    user = plugin(
        tmp_path,
        f'echo "$KUBERNETES_EXEC_INFO" > {tmp_path}/asked\n'
        f'printf \'{{"apiVersion": "{_VERSION}", "kind": "ExecCredential", '
        '"status": {"token": "%s-%s"}}\' "$1" "$EXTRA"',
    )
    user["exec"] |= {"args": ["first"], "env": [{"name": "EXTRA", "value": "token"}], "provideClusterInfo": True}
    data = base64_of(_PEM)
    connection = connection_from(a_kubeconfig(user, {"certificate-authority-data": data}))
    assert connection.token == _FIRST
    assert json.loads((tmp_path / "asked").read_text()) == {
        "apiVersion": _VERSION,
        "kind": "ExecCredential",
        "spec": {
            "interactive": False,
            "cluster": {"server": "https://10.0.0.1:6443/", "certificate-authority-data": data},
        },
    }


def test_a_plugin_may_give_a_client_certificate(tmp_path: Path) -> None:
    status = {
        "apiVersion": _VERSION,
        "status": {"clientCertificateData": "the certificate", "clientKeyData": "the key"},
    }
    connection = connection_from(a_kubeconfig(plugin(tmp_path, f"echo '{json.dumps(status)}'")))
    assert (connection.client_certificate, connection.client_key) == ("the certificate", "the key")
    assert connection.token is None


def test_a_plugin_that_is_not_there_is_named_with_its_hint() -> None:
    user: Document = {"exec": {"command": "no-such-plugin"}}
    assert refusal(a_kubeconfig(user)) == "credential plugin no-such-plugin is not installed or not on PATH."
    user["exec"]["installHint"] = "Install it with the cloud's tools."
    assert refusal(a_kubeconfig(user)) == (
        "credential plugin no-such-plugin is not installed or not on PATH. Install it with the cloud's tools."
    )


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("echo you are not logged in >&2; exit 3", "exited with 3: you are not logged in"),
        ("echo hello", "printed no ExecCredential with a status"),
        ("echo '{}'", "printed no ExecCredential with a status"),
        ("echo '[1]'", "printed no ExecCredential with a status"),
        ("""echo '{"status": null}'""", "printed no ExecCredential with a status"),
        (
            """echo '{"apiVersion": "client.authentication.k8s.io/v1", "status": {"token": "t"}}'""",
            f"answers in client.authentication.k8s.io/v1, the kubeconfig asks for {_VERSION}",
        ),
    ],
)
def test_a_plugin_that_gives_nothing_is_named(tmp_path: Path, script: str, told: str) -> None:
    user = plugin(tmp_path, script)
    assert refusal(a_kubeconfig(user)) == f"credential plugin {tmp_path}/auth-plugin {told}"


def test_a_plugin_that_cannot_be_run_is_named(tmp_path: Path) -> None:
    user = plugin(tmp_path, "exit")
    (tmp_path / "auth-plugin").chmod(0o644)
    assert refusal(a_kubeconfig(user)) == f"credential plugin {tmp_path}/auth-plugin cannot be run: Permission denied"


@pytest.mark.parametrize(
    ("document", "context", "text"),
    [
        ({}, None, "the kubeconfig names no context to use"),
        (a_kubeconfig(), "d", "the kubeconfig has no context named d"),
        ({**a_kubeconfig(), "clusters": []}, None, "the kubeconfig has no cluster named k"),
        ({**a_kubeconfig(), "users": None}, None, "the kubeconfig has no user named u"),
        (a_kubeconfig(cluster={"server": None}), None, "cluster k of the kubeconfig names no server"),
        (
            a_kubeconfig({"username": "me", "password": "x"}),
            None,
            "the kubeconfig's user has credentials of a kind not supported here: password",
        ),
        (
            a_kubeconfig({"client-certificate-data": base64_of(_PEM)}),
            None,
            "the kubeconfig's user has only one of client-certificate and client-key",
        ),
        (
            a_kubeconfig({"client-key-data": "no base64!"}),
            None,
            "client-key-data of the kubeconfig is not base64 of PEM text",
        ),
        (
            a_kubeconfig({"tokenFile": "/nowhere/token"}),
            None,
            "tokenFile of the kubeconfig: [Errno 2] No such file or directory: '/nowhere/token'",
        ),
        (
            a_kubeconfig(cluster={"insecure-skip-tls-verify": True}),
            None,
            "cluster k of the kubeconfig asks for insecure-skip-tls-verify, which is not supported here",
        ),
        (
            a_kubeconfig(cluster={"proxy-url": "http://proxy"}),
            None,
            "cluster k of the kubeconfig asks for proxy-url, which is not supported here",
        ),
        ("[1]", None, "the kubeconfig is not a mapping with clusters, contexts and users"),
    ],
)
def test_what_gives_no_connection_is_refused(document: str | Document, context: str | None, text: str) -> None:
    assert refusal(document, context) == text


def test_a_credential_that_is_not_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "token").write_bytes(b"\xff\xfea")
    text = refusal(a_kubeconfig({"tokenFile": f"{tmp_path}/token"}))
    assert text.startswith("tokenFile of the kubeconfig: 'utf-8' codec can't decode byte 0xff")


def test_what_is_no_yaml_is_refused_with_the_place() -> None:
    text = refusal("clusters: [\n  {")
    assert text.startswith("the kubeconfig is not YAML: while parsing a flow")
    assert "line 2, column 4" in text
