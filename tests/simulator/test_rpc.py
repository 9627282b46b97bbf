"""Calls to the daemon: who may call, what comes back, and what went wrong."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from typing import TYPE_CHECKING, Any, Final

import pytest

from simulator import serving
from simulator.rpc import Address, CallError, Client, DaemonGoneError, Server

if TYPE_CHECKING:
    from collections.abc import Generator

_TOKEN: Final = "t-ö"  # noqa: S105  not a secret of anybody
_SECONDS: Final = 10.0
"""Real time after which a wait in a test has failed."""


class QuotaError(Exception):
    """A refusal with attributes."""

    def __init__(self) -> None:
        super().__init__("24 chips are too many")
        self.code = 429
        self.reason = "quota"
        self.internal = object()


def refuse() -> None:
    """A method that refuses."""
    raise QuotaError


def divide(by: int) -> float:
    """A method with a bug."""
    return 1 / by


def describe(**given: Any) -> dict[str, Any]:  # noqa: ANN401  any JSON
    """A method that says what it was given."""
    return {"given": given, "nothing": None}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Generator[Server]:
    """A server of these methods."""
    monkeypatch.setattr(serving, "_POLL_SECONDS", 0.002)
    made = Server(_TOKEN, {"describe": describe, "refuse": refuse, "divide": divide}, (QuotaError,))
    yield made
    made.close()


@pytest.fixture
def client(server: Server) -> Client:
    """A caller who knows the token."""
    return Client(Address(server.port, _TOKEN))


def test_arguments_and_results_are_json(client: Client) -> None:
    given = {"text": "ä", "list": [1, 2.5, None], "map": {"a": True}}
    assert client.call("describe", **given) == {"given": given, "nothing": None}
    assert client.call("describe") == {"given": {}, "nothing": None}


def test_an_argument_may_be_named_method(client: Client) -> None:
    assert client.call("describe", method="x")["given"] == {"method": "x"}


def test_a_refusal_comes_with_its_kind_and_plain_attributes(client: Client) -> None:
    with pytest.raises(CallError) as caught:
        client.call("refuse")
    assert (caught.value.kind, str(caught.value)) == ("QuotaError", "24 chips are too many")
    assert caught.value.data == {"code": 429, "reason": "quota"}


def test_a_bug_is_told_and_its_traceback_is_in_the_log(client: Client, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CallError) as caught:
        client.call("divide", by=0)
    assert caught.value.kind == "ZeroDivisionError"
    assert str(caught.value) == "the simulator's daemon failed, see its log: ZeroDivisionError: division by zero"
    assert client.call("divide", by=2) == 0.5, "it goes on"
    assert "ZeroDivisionError: division by zero" in capfd.readouterr().err


def test_a_wrong_argument_is_told(client: Client) -> None:
    with pytest.raises(CallError, match="unexpected keyword argument 'through'"):
        client.call("divide", through=2)


def test_an_unknown_method_tells_of_another_version(client: Client) -> None:
    with pytest.raises(CallError) as caught:
        client.call("multiply", by=2)
    assert str(caught.value) == (
        "the simulator's daemon knows no multiply: it was started from another version. End it with: tpu simulator down"
    )


@pytest.mark.parametrize("token", ["", "t", "t-ö-more"])
def test_a_wrong_token_is_not_our_daemon(server: Server, token: str) -> None:
    with pytest.raises(DaemonGoneError) as caught:
        Client(Address(server.port, token)).call("describe")
    assert str(caught.value) == "another process answers at the port of the simulator's daemon"


def test_no_token_is_refused_without_a_look_at_the_call(server: Server) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=_SECONDS)
    connection.request("POST", "/", json.dumps({"method": "refuse", "arguments": {}}))
    assert connection.getresponse().status == 403
    connection.close()


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://page.example"}, {"Origin": "null"}, {"Host": "page.example:{port}"}, {"Host": "127.0.0.1:1"}],
)
def test_a_web_page_is_refused_even_if_it_knew_the_token(server: Server, headers: dict[str, str]) -> None:
    """`Host` is the page's own name when that leads to this machine."""
    sent = {name: value.format(port=server.port) for name, value in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=_SECONDS)
    body = json.dumps({"method": "describe", "arguments": {}})
    connection.request("POST", "/", body.encode(), {"Authorization": f"Bearer {_TOKEN}", **sent})
    assert connection.getresponse().status == 403
    connection.close()


def test_nobody_at_the_port_is_a_daemon_that_is_gone(client: Client, server: Server) -> None:
    server.close()
    with pytest.raises(DaemonGoneError, match=r"^the simulator's daemon does not answer \(\[Errno 111\]"):
        client.call("describe")


def test_somebody_else_at_the_port_is_a_daemon_that_is_gone() -> None:
    with socket.create_server(("127.0.0.1", 0)) as stranger:

        def answer() -> None:
            connection, _ = stranger.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(DaemonGoneError, match="does not answer"):
            Client(Address(stranger.getsockname()[1], "t")).call("ping")
        thread.join(_SECONDS)


def test_calls_do_not_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_POLL_SECONDS", 0.002)
    both = threading.Barrier(2)
    server = Server("t", {"meet": lambda: both.wait(_SECONDS) >= 0}, ())
    met: list[bool] = []
    threads = [
        threading.Thread(target=lambda: met.append(Client(Address(server.port, "t")).call("meet"))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(_SECONDS)
    server.close()
    assert met == [True, True]


def test_a_caller_that_leaves_is_no_traceback(
    server: Server, client: Client, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as leaving:
        leaving.sendall(b"POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")
        leaving.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    client.call("describe")
    assert capfd.readouterr().err == ""
