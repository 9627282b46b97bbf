"""Doubles Cloud Storage's JSON API as far as one object goes: real HTTP on this machine, everything in memory.

As in Cloud Storage, a write names the generation that it replaces (412 where it is another one), and 404 says whether
the bucket or the object is missing. Not doubled: authentication, resumable uploads.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final, Self
from urllib.parse import parse_qs, unquote, urlsplit

BUCKET: Final = "records"


@dataclass
class Storage:
    """One bucket."""

    objects: dict[str, tuple[int, bytes]] = field(default_factory=dict[str, tuple[int, bytes]])
    """Generation and content by name."""
    lost: int = 0
    """How many writes still succeed without their answer: the gateway says 503 in its place."""
    down: bool = False

    def __post_init__(self) -> None:
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._server.server_port}"

    def write(self, name: str, data: bytes, expected: int) -> tuple[int, bytes]:
        generation, _ = self.objects.get(name, (0, b""))
        if generation != expected:
            return 412, b"At least one of the pre-conditions you specified did not hold."
        self.objects[name] = generation + 1, data
        if self.lost:
            self.lost -= 1
            return 503, b"Service Unavailable"
        return 200, self.described(name)

    def described(self, name: str) -> bytes:
        generation, data = self.objects[name]
        digest = base64.b64encode(hashlib.md5(data, usedforsecurity=False).digest()).decode()
        return json.dumps({"name": name, "generation": str(generation), "md5Hash": digest}).encode()


class _Server(ThreadingHTTPServer):
    def __init__(self, storage: Storage) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.storage = storage


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]  the base class knows no more of it

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  of the base class
        """Say nothing."""

    def do_GET(self) -> None:
        split = urlsplit(self.path)
        bucket, _, name = split.path.removeprefix("/storage/v1/b/").partition("/o/")
        name = unquote(name)
        if self.server.storage.down:
            self._answer(503, b"Service Unavailable")
        elif bucket != BUCKET:
            self._answer(404, b"The specified bucket does not exist.")
        elif name not in self.server.storage.objects:
            self._answer(404, f"No such object: {bucket}/{name}".encode())
        elif parse_qs(split.query).get("alt") == ["media"]:
            generation, data = self.server.storage.objects[name]
            self._answer(200, data, generation)
        else:
            self._answer(200, self.server.storage.described(name))

    def do_POST(self) -> None:
        split, data = urlsplit(self.path), _body(self)
        query = parse_qs(split.query)
        if self.server.storage.down:
            self._answer(503, b"Service Unavailable")
        elif split.path != f"/upload/storage/v1/b/{BUCKET}/o":
            self._answer(404, b"The specified bucket does not exist.")
        else:
            self._answer(*self.server.storage.write(query["name"][0], data, int(query["ifGenerationMatch"][0])))

    def _answer(self, status: int, data: bytes, generation: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        if generation is not None:
            self.send_header("x-goog-generation", str(generation))
        self.end_headers()
        self.wfile.write(data)


def _body(request: BaseHTTPRequestHandler) -> bytes:
    if (length := request.headers.get("Content-Length")) is not None:
        return request.rfile.read(int(length))
    parts: list[bytes] = []
    while size := int(request.rfile.readline(), 16):
        parts.append(request.rfile.read(size))
        request.rfile.readline()
    request.rfile.readline()
    return b"".join(parts)
