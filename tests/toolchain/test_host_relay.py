"""A port that leads to another one."""

from __future__ import annotations

import socket
import socketserver
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, BinaryIO

import pytest

from toolchain.language_host.relay import Relay

if TYPE_CHECKING:
    from collections.abc import Generator

LIMIT = 30.0
"""Seconds after which a test fails that waits for bytes."""


@contextmanager
def shouting(name: str) -> Generator[int]:
    """Doubles a server: it says its name, then each line in capitals, until the caller has ended; gives its port."""

    class Shouting(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(f"{name}\n".encode())
            for line in self.rfile:
                self.wfile.write(line.upper())
            self.wfile.write(b"bye\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Shouting) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@contextmanager
def connected(port: int) -> Generator[tuple[socket.socket, BinaryIO]]:
    """A connection, and what is read from it."""
    with socket.create_connection(("127.0.0.1", port), timeout=LIMIT) as made, made.makefile("rb") as lines:
        yield made, lines


def test_bytes_go_both_ways_until_both_sides_are_done() -> None:
    with shouting("one") as target, Relay(target).serving() as port, connected(port) as (caller, lines):
        assert lines.readline() == b"one\n"
        caller.sendall(b"hear\n")
        assert lines.readline() == b"HEAR\n"
        caller.shutdown(socket.SHUT_WR)
        assert lines.read() == b"bye\n"


def test_new_connections_follow_the_target_and_old_ones_stay() -> None:
    with shouting("one") as one, shouting("two") as two:
        relay = Relay(one)
        with relay.serving() as port, connected(port) as (before, lines):
            assert lines.readline() == b"one\n"
            relay.lead_to(two)
            with connected(port) as (_, others):
                assert others.readline() == b"two\n"
            before.sendall(b"still there\n")
            assert lines.readline() == b"STILL THERE\n"


def test_answers_wait_for_what_is_to_be_before_them_and_questions_do_not() -> None:
    may_come = Event()

    def wait() -> None:
        may_come.wait()

    with socket.create_server(("127.0.0.1", 0)) as target:
        relay = Relay(0)
        relay.lead_to(target.getsockname()[1], wait)
        with relay.serving() as port, connected(port) as (caller, lines):
            called, _ = target.accept()
            with called:
                called.settimeout(LIMIT)
                called.sendall(b"answer\n")
                caller.settimeout(0.2)
                with pytest.raises(TimeoutError):
                    caller.recv(1)
                caller.settimeout(LIMIT)
                caller.sendall(b"asked")
                assert called.recv(5) == b"asked"
                may_come.set()
                assert lines.readline() == b"answer\n"


def test_a_connection_to_a_port_where_nobody_listens_is_closed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nobody = taken.getsockname()[1]
    with Relay(nobody).serving() as port, connected(port) as (_, lines):
        assert lines.read() == b""
