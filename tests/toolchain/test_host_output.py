"""What a process writes, read by one and waited for by another."""

from __future__ import annotations

import os
from threading import Thread
from typing import IO, TYPE_CHECKING

import pytest

from toolchain.language_host.output import Output

if TYPE_CHECKING:
    from collections.abc import Generator

    from toolchain.language_host.output import Stream

LIMIT = 30.0
"""Seconds after which a test fails that waits for a thread."""
Written = dict["Stream", IO[bytes]]


@pytest.fixture
def pipes() -> Generator[tuple[Output, Written]]:
    """The output, and the writer's ends of its pipes."""
    ends: dict[Stream, tuple[int, int]] = {"stdout": os.pipe(), "stderr": os.pipe()}
    readers: Written = {name: os.fdopen(reader, "rb") for name, (reader, _) in ends.items()}
    writers: Written = {name: os.fdopen(writer, "wb", buffering=0) for name, (_, writer) in ends.items()}
    made = Output(readers)
    yield made, writers
    made.end()
    for file in (*writers.values(), *readers.values()):
        file.close()


def draining(output: Output) -> Thread:
    made = Thread(target=output.drain, daemon=True)
    made.start()
    return made


def is_done(thread: Thread, within: float = LIMIT) -> bool:
    """Whether it ends in so many seconds; of one that must not end, they only bound how late a fault is seen."""
    thread.join(within)
    return not thread.is_alive()


def test_pieces_come_by_stream_until_both_have_ended(pipes: tuple[Output, Written]) -> None:
    output, writers = pipes
    pieces = output.pieces()
    writers["stdout"].write(b"one")
    assert next(pieces) == ("stdout", b"one")
    writers["stdout"].close()
    writers["stderr"].write(b"two")
    assert next(pieces) == ("stderr", b"two")
    writers["stderr"].close()
    assert list(pieces) == []


def test_nothing_that_was_written_is_nothing_to_wait_for(pipes: tuple[Output, Written]) -> None:
    assert is_done(draining(pipes[0]))


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_what_was_written_is_waited_for_until_the_next_piece_is_asked_for(
    pipes: tuple[Output, Written], stream: Stream
) -> None:
    output, writers = pipes
    pieces = output.pieces()
    writers[stream].write(b"long")
    waiting = draining(output)
    assert not is_done(waiting, within=0.2)
    assert next(pieces) == (stream, b"long")
    assert not is_done(waiting, within=0.2)
    other = writers["stderr" if stream == "stdout" else "stdout"]
    other.write(b"x")
    next(pieces)
    assert is_done(waiting)
    assert not is_done(draining(output), within=0.2)  # the piece of the other
    other.write(b"y")
    next(pieces)


def test_one_stream_that_was_taken_does_not_stand_for_the_other(pipes: tuple[Output, Written]) -> None:
    output, writers = pipes
    pieces = output.pieces()
    writers["stdout"].write(b"much more than the other")
    next(pieces)
    writers["stderr"].write(b"x")
    next(pieces)
    assert not is_done(draining(output), within=0.2)


def test_the_end_ends_the_waiting(pipes: tuple[Output, Written]) -> None:
    output, writers = pipes
    writers["stdout"].write(b"never taken")
    waiting = draining(output)
    output.end()
    assert is_done(waiting)
    assert is_done(draining(output))


def test_output_that_is_no_longer_wanted_is_not_waited_for(pipes: tuple[Output, Written]) -> None:
    output, writers = pipes
    pieces = output.pieces()
    writers["stdout"].write(b"a")
    next(pieces)
    pieces.close()
    assert is_done(draining(output))
