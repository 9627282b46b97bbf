"""The shared volume: its datasets and results, which paths are inside of it, and files that are there whole or not.

datasets/training/*.csv   what is queued and trained, in the order of the names
datasets/test/*.csv       what every checkpoint is tested on, and none is trained on
output/                   checkpoints, report.txt, learning_curve.html
"""

from __future__ import annotations

import hashlib
import os
import stat
import uuid
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from payloads.fraud_detection.errors import BadDataError, DatasetReadError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from payloads.fraud_detection.process import Log

DATASETS: Final = "datasets"
TRAINING: Final = "datasets/training"
TEST: Final = "datasets/test"
OUTPUT: Final = "output"
CHAIN: Final = "output/chain"
FOLDERS: Final = (DATASETS, TRAINING, TEST, OUTPUT, CHAIN)
"""All folders that the commands write into."""
_SUFFIX: Final = ".csv"
_LONGEST_NAME: Final = 1024
_MODE: Final = 0o644


@dataclass(frozen=True, slots=True)
class Dataset:
    """A file of transactions on the share."""

    name: str
    """Its path in the share, resolved: datasets/training/2018-04-01.csv. The same file has one name only."""
    path: Path

    @contextmanager
    def opened(self) -> Generator[BinaryIO]:
        """The file.

        Raises:
            BadDataError: it is gone, may not be read, or is not a regular file.
            DatasetReadError: it cannot be opened this time.
        """
        try:
            handle = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise BadDataError("the file is gone") from error
        except PermissionError as error:
            raise BadDataError("the file may not be read by this user") from error
        except OSError as error:
            raise DatasetReadError(f"opening it failed: {error.strerror}") from error
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise BadDataError("it is not a regular file")
        with os.fdopen(handle, "rb") as file:
            yield file


class Share:
    """The volume, by the folder where it is mounted."""

    def __init__(self, root: Path) -> None:
        """Raises StoreError unless `root` is a folder."""
        if not root.is_dir():
            raise StoreError(f"{root} is not a folder: mount the shared volume there, or name another with --share")
        self.root = root.resolve()
        self._given = root.absolute()

    def folder(self, inside: str) -> Path:
        """A folder of the share, made when it is missing. Raises StoreError when a symlink leads out of the share."""
        path = self.root / inside
        with using(path):
            path.mkdir(parents=True, exist_ok=True)
            resolved = path.resolve(strict=True)
        if not resolved.is_relative_to(self.root):
            raise StoreError(f"{path} leads to {resolved}, outside of the share {self.root}")
        return resolved

    def hand_over(self, inside: str, owner: tuple[int, int], log: Log) -> None:
        """Make a folder of the share that of a user and group, both by number.

        Raises:
            StoreError: it cannot be made, leads out of the share, or this user may not give it away.
        """
        path, words = self.folder(inside), "{}:{}".format(*owner)
        try:
            found = path.stat()
            if (found.st_uid, found.st_gid) == owner:
                log.say("kept", f"{path} belongs to {words} already", folder=str(path))
                return
            os.chown(path, *owner, follow_symlinks=False)
        except OSError as error:
            raise StoreError(f"{path} cannot be given to {words} (root can do it): {error.strerror}") from error
        log.say("given", f"{path} given to {words}", folder=str(path))

    def dataset(self, entry: str) -> Dataset:
        """The dataset that an entry of the queue names: a path in the share, absolute or from its root.

        Raises:
            BadDataError: it leads out of the share's datasets, there is no such file, or it is not a CSV file.
            DatasetReadError: the share does not answer.
        """
        if not entry.isprintable() or not 0 < len(entry) <= _LONGEST_NAME:
            raise BadDataError(f"its name is not one printable line of at most {_LONGEST_NAME} characters")
        given = Path(entry)
        if given.is_relative_to(self._given):  # another machine's path of the share may differ by a symlink
            given = given.relative_to(self._given)
        try:
            path = (self.root / given).resolve()
            is_there = path.exists()
        except (OSError, RuntimeError) as error:  # RuntimeError: a loop of symlinks
            raise DatasetReadError(f"finding it failed: {error}") from error
        if not path.is_relative_to(self.root / DATASETS):
            raise BadDataError(f"it leads to {path}, outside of the share's folder {DATASETS}")
        if not is_there:
            raise BadDataError("the file is gone")
        if path.suffix != _SUFFIX:
            raise BadDataError(f"only {_SUFFIX} files are read")
        return Dataset(str(path.relative_to(self.root)), path)

    def entries(self, folder: str) -> list[str]:
        """Paths in the share of the CSV files of a folder and those below, sorted; none for a missing folder."""
        paths = sorted((self.root / folder).rglob(f"*{_SUFFIX}"))
        return [str(path.relative_to(self.root)) for path in paths if not path.name.startswith(".")]


@contextmanager
def using(path: Path) -> Generator[None]:
    """Raises StoreError, with the path and the reason, in the place of an OSError."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from error


def write_synced(path: Path, blocks: Iterable[bytes]) -> None:
    """Write a file that must not exist, and sync it to the disk."""
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, _MODE)
    with os.fdopen(handle, "wb") as file:
        file.writelines(blocks)
        file.flush()
        os.fsync(handle)


def replace(path: Path, blocks: Iterable[bytes]) -> None:
    """Replace a file: temporary file in its folder, sync, rename, sync of the folder. An OSError leaves the old one."""
    temporary = path.with_name(f".{uuid.uuid4().hex}.part")
    try:
        write_synced(temporary, blocks)
        temporary.replace(path)
        sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def sync_folder(path: Path) -> None:
    """Sync the names in a folder to the disk."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def put(target: Path, made: Callable[[], Iterable[bytes]], *, may_replace: bool, log: Log) -> None:
    """Write the blocks of `made` into a file, unless it has that content already.

    Raises:
        StoreError: it cannot be written, or has other content and may not be replaced.
    """
    with using(target):
        if target.exists():
            if _has_content(target, made()):
                log.say("kept", f"{target} is there already", file=str(target))
                return
            if not may_replace:
                raise StoreError(f"{target} has other content: name another folder, or use --replace")
        target.parent.mkdir(parents=True, exist_ok=True)
        replace(target, made())
    log.say("written", f"{target} written", file=str(target))


def _has_content(path: Path, blocks: Iterable[bytes]) -> bool:
    wanted = hashlib.sha256()
    for block in blocks:
        wanted.update(block)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest() == wanted.digest()
