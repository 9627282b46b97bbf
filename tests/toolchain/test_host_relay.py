"""A port for HTTP/2 that leads to another one."""

from __future__ import annotations

import socket
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, BinaryIO

import pytest

from toolchain.language_host.relay import Relay

if TYPE_CHECKING:
    from collections.abc import Generator

LIMIT = 30.0
"""Seconds after which a test fails that waits for bytes."""


CONNECT_ANEW = b"\0\0\x08\x07\0\0\0\0\0" + b"\x7f\xff\xff\xff" + b"\0\0\0\0"
"""A GOAWAY that refuses no call and names no error (RFC 9113, 6.8)."""


def frame(content: bytes) -> bytes:
    """A DATA frame of stream 1 with that content."""
    return len(content).to_bytes(3) + b"\0\0" + b"\0\0\0\x01" + content


@contextmanager
def listening() -> Generator[socket.socket]:
    """Doubles a server whose frames the test writes by hand."""
    with socket.create_server(("127.0.0.1", 0)) as target:
        target.settimeout(LIMIT)
        yield target


@contextmanager
def connected(port: int) -> Generator[tuple[socket.socket, BinaryIO]]:
    """A connection, and what is read from it."""
    with socket.create_connection(("127.0.0.1", port), timeout=LIMIT) as made, made.makefile("rb") as answers:
        yield made, answers


@contextmanager
def led(port: int, target: socket.socket) -> Generator[tuple[socket.socket, BinaryIO, socket.socket]]:
    """A connection through the relay: the caller's side, what the caller reads, and the target's side."""
    with connected(port) as (caller, answers):
        called, _ = target.accept()
        with called:
            called.settimeout(LIMIT)
            called.sendall(frame(b"settings"))
            assert read(answers) == b"settings"
            yield caller, answers, called


def read(answers: BinaryIO) -> bytes:
    """The next frame's content."""
    header = answers.read(9)
    return answers.read(int.from_bytes(header[:3]))


def test_bytes_go_both_ways_until_both_sides_are_done() -> None:
    with (
        listening() as target,
        Relay(target.getsockname()[1]).serving() as port,
        led(port, target) as (caller, answers, called),
    ):
        caller.sendall(b"asked")
        assert called.recv(5) == b"asked"
        caller.shutdown(socket.SHUT_WR)
        assert called.recv(1) == b""
        called.sendall(frame(b"answer"))
        called.shutdown(socket.SHUT_WR)
        assert answers.read() == frame(b"answer")


def test_new_connections_follow_the_target_and_callers_of_old_ones_are_asked_to_make_one() -> None:
    with listening() as one, listening() as two:
        relay = Relay(one.getsockname()[1])
        with relay.serving() as port, led(port, one) as (caller, answers, called):
            called.sendall(frame(b"before") + frame(b"in pieces")[:11])
            assert read(answers) == b"before"
            relay.lead_to(two.getsockname()[1])
            called.sendall(frame(b"in pieces")[11:])
            assert answers.read(len(CONNECT_ANEW)) == CONNECT_ANEW
            assert read(answers) == b"in pieces"
            with led(port, two) as (_, others, there):
                there.sendall(frame(b"from there"))
                assert others.read(9 + 10) == frame(b"from there")
            caller.sendall(b"still here")
            assert called.recv(10) == b"still here"
            called.sendall(frame(b"once"))
            called.shutdown(socket.SHUT_WR)
            caller.shutdown(socket.SHUT_WR)
            assert answers.read() == frame(b"once")


def test_a_connection_begins_with_its_settings_whatever_the_target_is_by_then() -> None:
    with listening() as one:
        relay = Relay(one.getsockname()[1])
        with relay.serving() as port, connected(port) as (_, answers):
            called, _ = one.accept()
            with called:
                relay.lead_to(0)
                called.sendall(frame(b"settings"))
                assert read(answers) == b"settings"
                called.sendall(frame(b"answer"))
                assert answers.read(len(CONNECT_ANEW)) == CONNECT_ANEW


def test_answers_wait_for_what_is_to_be_before_them_and_questions_do_not() -> None:
    may_come = Event()

    def wait() -> None:
        may_come.wait()

    with listening() as target:
        relay = Relay(0)
        relay.lead_to(target.getsockname()[1], wait)
        with relay.serving() as port, connected(port) as (caller, answers):
            called, _ = target.accept()
            with called:
                called.settimeout(LIMIT)
                called.sendall(frame(b"answer"))
                caller.settimeout(0.2)
                with pytest.raises(TimeoutError):
                    caller.recv(1)
                caller.settimeout(LIMIT)
                caller.sendall(b"asked")
                assert called.recv(5) == b"asked"
                may_come.set()
                assert read(answers) == b"answer"


def test_a_connection_to_a_port_where_nobody_listens_is_closed() -> None:
    with listening() as taken:
        nobody = taken.getsockname()[1]
    with Relay(nobody).serving() as port, connected(port) as (_, answers):
        assert answers.read() == b""
