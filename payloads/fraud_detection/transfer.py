"""Copies datasets to the share: each file appears whole or not at all, and existing files are left alone."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from payloads.fraud_detection.errors import StoreError
from payloads.fraud_detection.files import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from payloads.fraud_detection.log import Log

_BLOCK: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Source:
    """A CSV file of a folder that is to be transferred."""

    name: str
    """Its path in that folder, and later in the share's datasets."""
    path: Path
    sha256: str


def sources(folder: Path) -> Iterator[Source]:
    """The CSV files of a folder, by name.

    Raises:
        StoreError: there is no such folder, no such file in it, or one cannot be read.
    """
    paths = sorted(folder.rglob("*.csv"))
    if not paths:
        raise StoreError(f"{folder} has no CSV files: it must hold training/*.csv and test/*.csv")
    for path in paths:
        if path.is_symlink() or not path.is_file():
            raise StoreError(f"{path} is not a regular file")
        try:
            yield Source(str(path.relative_to(folder)), path, digest(blocks(path)))
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror}") from error


def transfer(folder: Path, to: Path, *, may_replace: bool, log: Log, between: Callable[[], None]) -> None:
    """Copy the CSV files of a folder below `to`; `between` is called after each block.

    Raises:
        StoreError: a file cannot be read or written, or another one has its name and may not be replaced.
    """
    for source in sources(folder):
        put(to / source.name, source.sha256, lambda path=source.path: blocks(path, between), may_replace, log)


def put(target: Path, sha256: str | None, made: Callable[[], Iterable[bytes]], may_replace: bool, log: Log) -> None:  # noqa: FBT001  named at the calls where it matters
    """Write the blocks of `made` into a file, unless it has that content already.

    Args:
        target: the file.
        sha256: digest of the content; None makes the content twice to find out, if there is a file to compare with.
        made: the content from its beginning.
        may_replace: whether other content may be replaced.
        log: gets a line about the result.

    Raises:
        StoreError: it cannot be written, or has other content.
    """
    try:
        if target.exists():
            wanted = digest(made()) if sha256 is None else sha256
            if digest(blocks(target)) == wanted:
                log.say("kept", f"{target} is there already", file=str(target))
                return
            check_replaceable(str(target), may_replace=may_replace)
        target.parent.mkdir(parents=True, exist_ok=True)
        replace(target, made())
    except OSError as error:
        raise StoreError(f"{target}: {error.strerror}") from error
    log.say("written", f"{target} written", file=str(target))


def check_replaceable(target: str, *, may_replace: bool) -> None:
    """Raises StoreError unless other content may be replaced."""
    if not may_replace:
        raise StoreError(f"{target} has other content: choose another name, or use --replace if no worker needs it")


def blocks(path: Path, between: Callable[[], None] = lambda: None) -> Iterator[bytes]:
    """The bytes of a file."""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            yield block
            between()


def digest(content: Iterable[bytes]) -> str:
    """SHA-256 in hexadecimal."""
    found = hashlib.sha256()
    for block in content:
        found.update(block)
    return found.hexdigest()
