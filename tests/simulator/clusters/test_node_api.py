"""What the API server may ask of nodes and of admission, over real TLS."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final

import pytest
import urllib3

from simulator.clusters import node_api as node_api_module
from simulator.clusters.https import LoopbackServer, Request, Response
from simulator.clusters.node_api import NodeApi
from simulator.pods.logs import Line, Log

if TYPE_CHECKING:
    from collections.abc import Generator

    from simulator.clusters.pki import ClusterFiles

_NOW: Final = 1_795_228_430.0
_SECONDS: Final = 10.0
"""Real time after which a wait in a test has failed."""


@dataclass
class KnownLog:
    """Doubles a container's log: the test adds lines and ends it."""

    written: list[Line] = field(default_factory=list[Line])
    over: bool = True
    looked_at: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def lines(self) -> list[Line]:
        self.looked_at.release()
        return list(self.written)

    def is_over(self) -> bool:
        return self.over


@dataclass
class Nodes:
    """The node API of a cluster with one log, behind its real server."""

    files: ClusterFiles
    log: KnownLog

    def __post_init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        api = NodeApi(self._find)

        def answer(request: Request) -> Response:
            if request.path == "/admit":
                seen = {"method": request.method, "body": json.loads(request.body)}
                return Response(200, json.dumps(seen).encode(), "application/json")
            return api.answer(request)

        self.server = LoopbackServer(self.port, self.files, answer)

    def client(self, name: str | None = "node-client") -> urllib3.PoolManager:
        """A client with that certificate of the cluster."""
        context = ssl.create_default_context(cafile=self.files.path("cluster-ca.crt"))
        context.verify_flags |= ssl.VERIFY_X509_STRICT  # as Python does it from 3.13 on
        if name is not None:
            context.load_cert_chain(self.files.path(f"{name}.crt"), self.files.path(f"{name}.key"))
        return urllib3.PoolManager(ssl_context=context, retries=False, timeout=_SECONDS)

    def get(self, path: str, client: str | None = "node-client", **query: str) -> tuple[int, str]:
        """Status and text of an answer."""
        return self._answer(path, client, query, {})

    def get_with(self, **headers: str) -> tuple[int, str]:
        """Status and text of the answer to a request with these headers."""
        return self._answer("/metrics", "node-client", {}, headers)

    def _answer(self, path: str, client: str | None, query: dict[str, str], headers: dict[str, str]) -> tuple[int, str]:
        pool = self.client(client)
        response = pool.request("GET", f"https://127.0.0.1:{self.port}{path}", fields=query, headers=headers)
        pool.clear()
        return response.status, response.data.decode()

    def logs(self, **query: str) -> list[str]:
        """The lines that the options leave."""
        status, text = self.get("/containerLogs/team/p/c", **query)
        assert status == 200
        return text.splitlines()

    def _find(self, namespace: str, pod: str, container: str) -> Log | None:
        return self.log if (namespace, pod, container) == ("team", "p", "c") else None


@pytest.fixture
def nodes(files: ClusterFiles, monkeypatch: pytest.MonkeyPatch) -> Generator[Nodes]:
    """Nodes whose one container has printed three lines, ten seconds apart."""
    monkeypatch.setattr(node_api_module, "_FOLLOW_INTERVAL", 0.01)
    monkeypatch.setattr(node_api_module, "time", SimpleNamespace(time=lambda: _NOW))
    lines = [Line(_NOW - 20, "one"), Line(_NOW - 10, "two"), Line(_NOW, "three")]
    made = Nodes(files, KnownLog(lines))
    yield made
    made.server.close()


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        ({}, ["one", "two", "three"]),
        ({"tailLines": "2"}, ["two", "three"]),
        ({"tailLines": "0"}, []),
        ({"tailLines": "9"}, ["one", "two", "three"]),
        ({"sinceSeconds": "10"}, ["two", "three"]),
        ({"sinceTime": "2026-11-21T02:33:45Z"}, ["three"]),
        ({"sinceSeconds": "15", "tailLines": "1"}, ["three"]),
        ({"limitBytes": "6"}, ["one", "tw"]),
        ({"limitBytes": "4"}, ["one"]),
        ({"limitBytes": "1000"}, ["one", "two", "three"]),
        (
            {"timestamps": "true", "tailLines": "1"},
            ["2026-11-21T02:33:50.000000000Z three"],
        ),
        ({"follow": "true"}, ["one", "two", "three"]),
    ],
)
def test_the_options_of_kubectl_logs(nodes: Nodes, query: dict[str, str], lines: list[str]) -> None:
    assert nodes.logs(**query) == lines


def test_following_goes_on_until_the_container_ends(nodes: Nodes) -> None:
    nodes.log.over = False
    pool = nodes.client()
    url = f"https://127.0.0.1:{nodes.port}/containerLogs/team/p/c?follow=true&tailLines=1"
    response = pool.request("GET", url, preload_content=False)
    stream = response.stream(1024)
    assert next(stream) == b"three\n"
    nodes.log.written.append(Line(_NOW, "four"))
    assert next(stream) == b"four\n"
    nodes.log.written.append(Line(_NOW, "five"))
    nodes.log.over = True
    assert b"".join(stream) == b"five\n"
    pool.clear()


def test_a_reader_that_goes_away_ends_the_following(nodes: Nodes) -> None:
    nodes.log.over = False
    pool = nodes.client()
    url = f"https://127.0.0.1:{nodes.port}/containerLogs/team/p/c?follow=true"
    response = pool.request("GET", url, preload_content=False)
    assert next(response.stream(4)) == b"one\n"
    response.close()
    pool.clear()
    for number in range(1000):
        nodes.log.written.append(Line(_NOW, f"more {number}"))
        if not nodes.log.looked_at.acquire(timeout=0.2):
            return
    pytest.fail("the log is still being read for nobody")


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("/containerLogs/team/p/other", 404, 'container "other" in pod "p" has no log yet\n'),
        ("/exec/team/p/c", 501, "exec is not possible: pods of the simulator have no container\n"),
        ("/attach/team/p/c", 501, "attach is not possible: pods of the simulator have no container\n"),
        ("/portForward/team/p", 501, "portForward is not possible: pods of the simulator have no container\n"),
        ("/metrics", 404, "the simulator's nodes serve container logs only\n"),
        ("/containerLogs/team/p", 404, "the simulator's nodes serve container logs only\n"),
    ],
)
def test_what_nodes_do_not_do_is_refused(nodes: Nodes, path: str, status: int, text: str) -> None:
    assert nodes.get(path) == (status, text)


def test_there_is_no_previous_container(nodes: Nodes) -> None:
    assert nodes.get("/containerLogs/team/p/c", previous="true") == (
        400,
        'previous terminated container "c" in pod "p" not found\n',
    )


_REFUSED: Final = (403, "only the cluster's API server may ask\n")


@pytest.mark.parametrize("path", ["/containerLogs/team/p/c", "/admit"])
@pytest.mark.parametrize("client", ["admin", "scheduler"])
def test_only_the_api_server_may_ask(nodes: Nodes, client: str, path: str) -> None:
    assert nodes.get(path, client=client) == _REFUSED


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://page.example"},
        {"Host": "page.example:10250"},
        {"Host": "localhost:10250"},
        {"Host": "10.0.0.1:1"},
    ],
)
def test_a_web_page_may_not_ask(nodes: Nodes, headers: dict[str, str]) -> None:
    assert nodes.get_with(**headers) == _REFUSED


def test_the_api_server_calls_a_node_by_the_address_that_the_cluster_knows(nodes: Nodes) -> None:
    assert nodes.get_with(Host="10.128.0.2:10250")[0] == 404


def test_the_api_server_asks_for_admission(nodes: Nodes) -> None:
    pool = nodes.client()
    response = pool.request("POST", f"https://127.0.0.1:{nodes.port}/admit?timeout=10s", json={"a": 1})
    assert json.loads(response.data) == {"method": "POST", "body": {"a": 1}}
    assert response.headers["Content-Type"] == "application/json"
    pool.clear()


@pytest.mark.parametrize("client", ["front-proxy-client", None])
def test_nobody_is_let_in_without_a_certificate_of_the_cluster(nodes: Nodes, client: str | None) -> None:
    with pytest.raises((urllib3.exceptions.ProtocolError, urllib3.exceptions.SSLError)):
        nodes.client(client).request("POST", f"https://127.0.0.1:{nodes.port}/admit", json={"a": 1})


def test_a_client_that_stalls_in_the_handshake_holds_up_nobody(nodes: Nodes) -> None:
    with socket.create_connection(("127.0.0.1", nodes.port)):
        assert nodes.logs(tailLines="1") == ["three"]


def test_one_connection_serves_many_requests_without_delay(nodes: Nodes) -> None:
    pool = nodes.client()
    times: list[float] = []
    for _ in range(10):
        began = time.monotonic()
        assert pool.request("GET", f"https://127.0.0.1:{nodes.port}/metrics").status == 404
        times.append(time.monotonic() - began)
    assert min(times) < 0.03, "a delayed acknowledgement takes 0.04 s"
    assert pool.connection_from_url(f"https://127.0.0.1:{nodes.port}/").num_connections == 1
    pool.clear()
