"""The engine as far as a plugin calls it: its log."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import engine_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import Generator


class Logged(engine_pb2_grpc.EngineServicer):
    """Doubles the engine's log."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str, int, bool]] = []

    def Log(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: ANN401, ARG002, N802  gRPC's
        self.lines.append((request.urn, request.message, request.severity, request.ephemeral))
        return empty_pb2.Empty()


@contextmanager
def engine_log() -> Generator[tuple[str, Logged]]:
    """The address of an engine, and the messages that it gets."""
    logged, server = Logged(), grpc.server(ThreadPoolExecutor(max_workers=1))
    engine_pb2_grpc.add_EngineServicer_to_server(logged, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"127.0.0.1:{port}", logged
    server.stop(grace=None).wait()
