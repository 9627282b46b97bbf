"""Calls between the simulator's commands and its daemon: JSON over HTTP on loopback, guarded by a token.

The daemon writes its port and a token into a file that only this user can read; any process that can read it may call,
unless it is a web page. A method is a name and keyword arguments; its result is JSON. A call may take as long as the
caller is willing to wait.
"""

from __future__ import annotations

import contextlib
import hmac
import http.client
import json
import socket
import sys
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any, Final

from simulator.serving import ServingThreads, may_be_a_page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_TIMEOUT: Final = 900.0
"""Seconds; longer than any single call takes: waits are made in shorter steps."""


class CallError(Exception):
    """The method refused the call."""

    def __init__(self, kind: str, data: Mapping[str, Any], message: str) -> None:
        super().__init__(message)
        self.kind = kind
        """Name of the exception on the daemon's side."""
        self.data = data
        """Its further attributes."""


class DaemonGoneError(Exception):
    """Nobody answers at the daemon's port."""


@dataclass(frozen=True, slots=True)
class Address:
    """The port of a daemon and the token that it demands."""

    port: int
    token: str


class Client:
    """Calls to one daemon; safe to use from many threads, one connection per call."""

    def __init__(self, address: Address) -> None:
        self._address = address

    def call(self, method: str, /, **arguments: Any) -> Any:  # noqa: ANN401  JSON goes in and comes out
        """The result of `method`.

        Raises:
            CallError: the method refused.
            DaemonGoneError: the daemon does not run any more.
        """
        body = json.dumps({"method": method, "arguments": arguments})
        connection = http.client.HTTPConnection("127.0.0.1", self._address.port, timeout=_TIMEOUT)
        try:
            connection.request("POST", "/", body, {"Authorization": f"Bearer {self._address.token}"})
            response = connection.getresponse()
            data = response.read()
            if response.status == HTTPStatus.FORBIDDEN:
                raise DaemonGoneError("another process answers at the port of the simulator's daemon")
            answer = json.loads(data)
        except (OSError, http.client.HTTPException, json.JSONDecodeError) as error:
            raise DaemonGoneError(f"the simulator's daemon does not answer ({error})") from error
        finally:
            connection.close()
        if "error" in answer:
            raise CallError(answer["error"]["kind"], answer["error"]["data"], answer["error"]["message"])
        return answer["result"]


class Server:
    """Answers calls from its own threads until closed."""

    def __init__(
        self, token: str, methods: Mapping[str, Callable[..., Any]], refusals: tuple[type[Exception], ...]
    ) -> None:
        """`refusals` are exceptions that callers expect; any other is a bug: its traceback goes to standard error."""
        self._server = _Server(token, methods, refusals)
        self._server.begin("rpc")

    @property
    def port(self) -> int:
        """The loopback port."""
        return self._server.server_port

    def close(self) -> None:
        """Stop listening."""
        self._server.end()


class _Server(ServingThreads, HTTPServer):
    def __init__(
        self, token: str, methods: Mapping[str, Callable[..., Any]], refusals: tuple[type[Exception], ...]
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Exchange)
        self.token = token
        self.methods = methods
        self.refusals = refusals

    def run(self, method: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to one call."""
        if method not in self.methods:
            text = (
                f"the simulator's daemon knows no {method}: it was started from another version."
                " End it with: tpu simulator down"
            )
            return {"error": {"kind": "UnknownMethodError", "data": {}, "message": text}}
        try:
            return {"result": self.methods[method](**arguments)}
        except self.refusals as error:
            data = {key: value for key, value in vars(error).items() if isinstance(value, str | int)}
            return {"error": {"kind": type(error).__name__, "data": data, "message": str(error)}}

    def handle_error(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        """Log the exception, and send it to the caller too."""
        super().handle_error(request, client_address)
        error = sys.exception()
        text = f"the simulator's daemon failed, see its log: {type(error).__name__}: {error}"
        data = json.dumps({"error": {"kind": type(error).__name__, "data": {}, "message": text}}).encode()
        if isinstance(request, socket.socket):
            with contextlib.suppress(OSError):  # the connection itself may have failed
                request.sendall(f"HTTP/1.1 500 Failed\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)


class _Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        assert isinstance(self.server, _Server)  # noqa: S101  tells the type checker what the server is
        expected, given = f"Bearer {self.server.token}", self.headers.get("Authorization", "")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        is_known = hmac.compare_digest(given.encode(), expected.encode())
        if not is_known or may_be_a_page(self.headers, self.server.server_port):
            self.send_error(HTTPStatus.FORBIDDEN)
            return
        call = json.loads(body)
        data = json.dumps(self.server.run(call["method"], call["arguments"])).encode()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class names it so
        """Calls are not logged."""
