"""The output of a process, and whether its reader has taken it."""

from __future__ import annotations

import fcntl
import os
import selectors
import struct
import termios
import threading
from typing import IO, TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

Stream = Literal["stdout", "stderr"]

_CHUNK: Final = 64 * 1024
"""Bytes read at a time."""


class _Pipe:
    """The reader's end of one pipe, with how many of its bytes were read and taken."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.read = 0
        self.taken = 0

    @property
    def unread(self) -> int:
        """How many bytes wait in the pipe."""
        (size,) = struct.unpack("i", fcntl.ioctl(self.file, termios.FIONREAD, bytes(4)))
        return size


class Output:
    """The output of one process, for one reader."""

    def __init__(self, pipes: Mapping[Stream, IO[bytes]]) -> None:
        """The output that comes through the reader's ends of `pipes`, which `pieces` closes."""
        self._pipes: dict[Stream, _Pipe] = {name: _Pipe(file) for name, file in pipes.items()}
        self._changed = threading.Condition()
        self._ended = False

    def pieces(self) -> Generator[tuple[Stream, bytes]]:
        """The output, as it comes, to its end; a piece counts as taken when the next one is asked for."""
        try:
            with selectors.DefaultSelector() as ready:
                for name, pipe in self._pipes.items():
                    ready.register(pipe.file, selectors.EVENT_READ, name)
                while ready.get_map():
                    for key, _ in ready.select():
                        name: Stream = key.data
                        if piece := self._read(self._pipes[name]):
                            yield name, piece
                            self._take(self._pipes[name])
                        else:
                            ready.unregister(key.fileobj)
        finally:
            self.end()
            for pipe in self._pipes.values():
                pipe.file.close()

    def _read(self, pipe: _Pipe) -> bytes:
        with self._changed:
            piece = os.read(pipe.file.fileno(), _CHUNK)
            pipe.read += len(piece)
        return piece

    def _take(self, pipe: _Pipe) -> None:
        with self._changed:
            pipe.taken = pipe.read
            self._changed.notify_all()

    def drain(self) -> None:
        """Wait until all that has been written by now is taken, or until the end."""
        with self._changed:
            if not self._ended:
                written = [(pipe, pipe.read + pipe.unread) for pipe in self._pipes.values()]
                self._changed.wait_for(lambda: self._ended or all(pipe.taken >= size for pipe, size in written))

    def end(self) -> None:
        """End every wait: the process has ended, or nobody wants its output."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
