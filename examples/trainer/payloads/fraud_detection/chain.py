"""The chain of checkpoints on the share: what the model has seen, extended by one link at a time and never forked.

    output/chain/000001.json          the links; a link is there whole or not at all
    output/model_cpt_2018-04-01.json  the same files under the names of their datasets, for people

How a link is published: the file is written whole and synced under a temporary name, and linked to the position after
the one that it was made from, which fails when the position is taken (a rename would replace the file there). So a
worker that was paused until its lock ran out publishes nothing where another has published, and what it does publish
the other finds: the chain has no forks, whoever has the lock. The lock only keeps workers from training in vain.

A checkpoint is JSON with a digest, not a pickle: every writer on the share could otherwise run code in every worker
that loads it. Numbers are written so that reading them gives the same ones back.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import uuid
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypedDict

import msgspec

from payloads.fraud_detection.errors import LostError, StoreError
from payloads.fraud_detection.share import CHAIN, OUTPUT, Share, sync_folder, using, write_synced

if TYPE_CHECKING:
    from payloads.fraud_detection.process import Log

_FORMAT: Final = "fraud-detection-checkpoint/1"
_MOST_BYTES: Final = 64 * 1024 * 1024
"""The largest file that is read as a checkpoint; one of ten thousand datasets has less than 1 MiB."""
_LINK: Final = re.compile(r"(?P<position>\d{6,})\.json")
_TEMPORARY: Final = ".publishing-"
"""Beginning of the names of files that are not published yet."""


class TornError(Exception):
    """The data are not a whole checkpoint; the text says why."""


class Figures(TypedDict):
    """How well the model does on some rows."""

    rows: int
    accuracy: float | int | None
    """None without rows."""
    average_precision: float | int | None
    """None without frauds."""


class Parent(msgspec.Struct, frozen=True):
    """The checkpoint that another was made from."""

    position: int
    digest: str


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One link of the chain."""

    position: int
    """From 1."""
    parent: Parent | None
    """None for the first."""
    trained: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    """Every dataset that the model has seen, in order; the last one is this checkpoint's own."""
    data_sha256: str
    """Digest of the dataset's file."""
    created: str
    """UTC, as ISO 8601."""
    seconds: float
    """How long training and evaluation took."""
    worker: str
    """Session of the worker."""
    metrics: dict[str, Figures]
    """By part: `training`, `held_out` and, with a test set, `testing`."""
    model: dict[str, object]
    fence: int = 0
    """A number that earlier releases wrote and demand; the digest is of it too."""

    def __post_init__(self) -> None:
        """Raises ValueError unless both parts are there that every checkpoint has."""
        if not {"training", "held_out"} <= self.metrics.keys():
            raise ValueError("it has no figures")

    @property
    def dataset(self) -> str:
        """The dataset that it was trained on last."""
        return self.trained[-1]

    @property
    def digest(self) -> str:
        """SHA-256 of all of it."""
        return hashlib.sha256(self._body()).hexdigest()

    def encoded(self) -> bytes:
        """The content of its file."""
        body = self._body()
        digest = hashlib.sha256(body).hexdigest()
        return b'{"format": "%b", "digest": "%b", "checkpoint": %b}\n' % (_FORMAT.encode(), digest.encode(), body)

    def _body(self) -> bytes:
        return json.dumps(msgspec.to_builtins(self), sort_keys=True, separators=(",", ":")).encode()


class _Envelope(msgspec.Struct):
    """The form of a checkpoint's file."""

    format: Literal["fraud-detection-checkpoint/1"]
    digest: str
    checkpoint: msgspec.Raw


def decoded(data: bytes) -> Checkpoint:
    """The checkpoint in a file; raises TornError when it is cut, altered or something else."""
    try:
        envelope = msgspec.json.decode(data, type=_Envelope)
        if hashlib.sha256(envelope.checkpoint).hexdigest() != envelope.digest:
            raise TornError("its digest is of other content")
        return msgspec.json.decode(envelope.checkpoint, type=Checkpoint)
    except msgspec.ValidationError as error:
        raise TornError(f"its content is not that of a checkpoint: {error}") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise TornError("it is not JSON, or cut short") from error


class Links(msgspec.Struct, frozen=True):
    """The chain as it is now."""

    sound: tuple[Checkpoint, ...]
    """From the first to the newest, by their parents. Those that are damaged are left out."""
    next_position: int
    """The first free position, whatever is before it."""

    @property
    def newest(self) -> Checkpoint | None:
        """The checkpoint that training continues from."""
        return self.sound[-1] if self.sound else None

    @property
    def trained(self) -> tuple[str, ...]:
        """The datasets that the model has seen."""
        return () if self.newest is None else self.newest.trained


class Chain:
    """The links in the output folder of a share."""

    def __init__(self, share: Share, log: Log) -> None:
        """Raises StoreError when the folder cannot be made, or leads out of the share."""
        self.output = share.folder(OUTPUT)
        self._folder = share.folder(CHAIN)
        self._log = log
        self._known: dict[int, tuple[tuple[int, int, int], Checkpoint]] = {}
        self._said: set[str] = set()

    def read(self) -> Links:
        """The chain, from the newest sound link back. Torn or foreign files are skipped with a message.

        Raises:
            StoreError: the share does not answer.
        """
        positions = self._positions()
        found = {position: link for position in positions if (link := self._link(position)) is not None}
        sound: list[Checkpoint] = []
        for position in sorted(found, reverse=True):
            link = found[position]
            if sound:
                is_next = _precedes(link, sound[-1])
            elif link.parent is None:
                is_next = len(link.trained) == 1
            else:
                parent = found.get(link.parent.position)  # a damaged parent counts as fitting
                is_next = link.parent.position < position and (parent is None or _precedes(parent, link))
            if is_next:
                sound.append(link)
            elif not sound:
                self._skip(position, "its parent is not the checkpoint before it")
        return Links(tuple(reversed(sound)), max(positions, default=0) + 1)

    def tidy(self) -> None:
        """Remove what workers before have not published: a killed one left it, a paused one publishes nothing then.

        To be called with the chain's lock before `read`, which then sees what workers on other nodes have published.
        """
        with using(self._folder):
            # A client of NFS reads a folder anew once it has changed it itself.
            (self._folder / f"{_TEMPORARY}{uuid.uuid4().hex}").touch()
            for left in self._folder.glob(f"{_TEMPORARY}*"):
                left.unlink(missing_ok=True)

    def publish(self, checkpoint: Checkpoint) -> None:
        """Make a checkpoint the newest link.

        Raises:
            LostError: another worker has the chain; nothing was published.
            StoreError: the share does not accept the file.
        """
        temporary, link = self._folder / f"{_TEMPORARY}{uuid.uuid4().hex}", self.path(checkpoint.position)
        try:
            write_synced(temporary, [checkpoint.encoded()])
            link.hardlink_to(temporary)
            sync_folder(self._folder)
        except FileExistsError as error:
            raise LostError(f"position {checkpoint.position} of the chain is taken") from error
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ESTALE):  # ESTALE: NFS, another client removed the open file
                raise LostError("another worker took the chain over") from error
            raise StoreError(f"{link}: {error.strerror}; the share must have room and support hard links") from error
        finally:
            with suppress(OSError):  # `tidy` removes it too
                temporary.unlink()

    def path(self, position: int) -> Path:
        """The link at a position."""
        return self._folder / f"{position:06d}.json"

    def _positions(self) -> list[int]:
        with using(self._folder):
            names = sorted(path.name for path in self._folder.iterdir())
        found: list[int] = []
        for name in names:
            match = _LINK.fullmatch(name)
            position = int(match["position"]) if match else 0
            if position > 0 and self.path(position).name == name:
                found.append(position)
            elif not name.startswith(_TEMPORARY):
                self._say_once(f"{name} in the chain is not a file of the trainer: skipped")
        return found

    def _link(self, position: int) -> Checkpoint | None:
        """The checkpoint at a position, None when it is not sound. An unchanged file is not read again."""
        try:
            handle = os.open(self.path(position), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            return self._skip(position, f"it cannot be opened as a plain file of the share: {error.strerror}")
        with using(self.path(position)), os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            stamp = (status.st_ino, status.st_size, status.st_mtime_ns)
            known = self._known.get(position)
            if known is not None and known[0] == stamp:
                return known[1]
            try:
                checkpoint = decoded(file.read(_MOST_BYTES))
            except TornError as error:
                return self._skip(position, str(error))
        if checkpoint.position != position:
            return self._skip(position, f"it is a copy of position {checkpoint.position}")
        self._known[position] = (stamp, checkpoint)
        return checkpoint

    def _skip(self, position: int, why: str) -> None:
        self._say_once(f"Checkpoint {self.path(position).name} skipped: {why}")

    def _say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._log.say("passed-over", text)


def _precedes(link: Checkpoint, later: Checkpoint) -> bool:
    """Whether `later` was made from `link`, directly or across links that are damaged since."""
    parent = later.parent
    if parent is not None and link.position == parent.position:
        return link.digest == parent.digest and link.trained == later.trained[:-1]
    return parent is not None and link.position < parent.position and link.trained == later.trained[: len(link.trained)]


def model_name(trained: tuple[str, ...]) -> str:
    """The name for people of the checkpoint after those datasets; datasets of one name in two folders do not collide.

    >>> model_name(("datasets/training/2018-04-01.csv",))
    'model_cpt_2018-04-01.json'
    >>> model_name(("datasets/a/x.csv", "datasets/b/x.csv"))
    'model_cpt_x-2.json'
    """
    stems = [PurePosixPath(name).stem for name in trained]
    suffix = f"-{len(stems)}" if stems[-1] in stems[:-1] else ""
    return f"model_cpt_{stems[-1]}{suffix}.json"
