"""The chain of checkpoints on the share: what the model has seen, extended by one link at a time and never forked.

    output/chain/000001.json          the links; a link is there whole or not at all
    output/model_cpt_2018-04-01.json  the same files under the names of their datasets, for people

How a link is published: the file is written whole and synced under a temporary name, the worker checks that it still
has the lock, and links the file to the next position, which fails when the position is taken (a rename would replace
the file there). A worker that takes the lock first removes the temporary files of workers before it: a worker that was
paused between the check and the link then has nothing to link. So a link is made before the lock changes hands, and the
next worker sees it, or it is never made.
"""

from __future__ import annotations

import errno
import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from payloads.fraud_detection.checkpoint import MOST_BYTES, Checkpoint, TornError, decoded
from payloads.fraud_detection.errors import LostError, StoreError
from payloads.fraud_detection.files import sync_folder, write_synced
from payloads.fraud_detection.share import CHAIN, OUTPUT

if TYPE_CHECKING:
    from collections.abc import Callable

    from payloads.fraud_detection.log import Log
    from payloads.fraud_detection.share import Share

_LINK: Final = re.compile(r"(?P<position>\d{6,})\.json")
_TEMPORARY: Final = re.compile(r"\.publishing-(?P<fence>\d+)")


@dataclass(frozen=True, slots=True)
class Links:
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
        self._told: set[str] = set()

    def read(self) -> Links:
        """The chain, from the newest sound link back. Torn or foreign files are skipped with a message.

        Raises:
            StoreError: the share does not answer.
        """
        positions = self._positions()
        found: dict[int, Checkpoint] = {}
        newest: Checkpoint | None = None
        for position in sorted(positions, reverse=True):
            checkpoint = self._link(position)
            if checkpoint is not None:
                found[position] = checkpoint
        for position in sorted(found, reverse=True):
            if self._fits(found[position], found):
                newest = found[position]
                break
            self._tell(position, "its parent is not the checkpoint before it")
        return Links(_lineage(newest, found), max(positions, default=0) + 1)

    def revoke(self, fence: int) -> None:
        """Remove the files that holders of the lock before `fence` might still publish, and make this worker's own.

        Raises:
            LostError: a worker with a later lock was here already.
            StoreError: the share does not accept the file.
        """
        try:
            # The file is made first: a client of NFS reads a folder anew once it has changed it itself.
            self._temporary(fence).touch()
            fences = {int(match["fence"]) for match in map(_TEMPORARY.fullmatch, self._names()) if match}
            if max(fences) > fence:
                self._temporary(fence).unlink(missing_ok=True)
                raise LostError("another worker has the chain")
            for earlier in sorted(fences - {fence}):
                self._temporary(earlier).unlink(missing_ok=True)
            sync_folder(self._folder)
        except OSError as error:
            raise StoreError(f"{self._folder}: {error.strerror}") from error

    def withdraw(self, fence: int) -> None:
        """Remove the file to publish from. Nothing is raised: the next worker removes it as well."""
        try:
            self._temporary(fence).unlink(missing_ok=True)
        except OSError as error:
            self._log.say("left", f"{self._temporary(fence)} could not be removed: {error.strerror}")

    def publish(self, checkpoint: Checkpoint, fence: int, *, make_sure: Callable[[], None]) -> None:
        """Make a checkpoint the newest link. `make_sure` raises LostError unless the lock is still this worker's.

        Raises:
            LostError: another worker has the chain; nothing was published.
            StoreError: the share does not accept the file.
        """
        temporary, link = self._temporary(fence), self.path(checkpoint.position)
        try:
            # Only into the file that was made with the lock: if it is gone, so is the right to publish.
            write_synced(temporary, checkpoint.encoded(), is_new=False)
            make_sure()
            link.hardlink_to(temporary)
            sync_folder(self._folder)
        except FileNotFoundError as error:
            raise LostError("another worker took the chain over") from error
        except FileExistsError as error:
            raise LostError(f"position {checkpoint.position} of the chain is taken") from error
        except OSError as error:
            if error.errno == errno.ESTALE:  # NFS: the file that is written or linked was removed by another client
                raise LostError("another worker took the chain over") from error
            raise StoreError(f"{link}: {error.strerror}; the share must have room and support hard links") from error

    def path(self, position: int) -> Path:
        """The link at a position."""
        return self._folder / f"{position:06d}.json"

    def _temporary(self, fence: int) -> Path:
        return self._folder / f".publishing-{fence}"

    def _names(self) -> list[str]:
        return sorted(path.name for path in self._folder.iterdir())

    def _positions(self) -> list[int]:
        try:
            names = self._names()
        except OSError as error:
            raise StoreError(f"{self._folder}: {error.strerror}") from error
        found: list[int] = []
        for name in names:
            match = _LINK.fullmatch(name)
            if match is not None and int(match["position"]) > 0 and self.path(int(match["position"])).name == name:
                found.append(int(match["position"]))
            elif match is not None or not _TEMPORARY.fullmatch(name):
                self._tell_once(name, f"{name} in the chain is not a file of the trainer: skipped")
        return found

    def _link(self, position: int) -> Checkpoint | None:
        """The checkpoint at a position, None when it is not sound. An unchanged file is not read again."""
        try:
            handle = os.open(self.path(position), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            self._tell(position, f"it cannot be opened as a plain file of the share: {error.strerror}")
            return None
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            stamp = (status.st_ino, status.st_size, status.st_mtime_ns)
            known = self._known.get(position)
            if known is not None and known[0] == stamp:
                return known[1]
            try:
                checkpoint = decoded(file.read(MOST_BYTES))
            except TornError as error:
                self._tell(position, str(error))
                return None
            except OSError as error:
                raise StoreError(f"{self.path(position)}: {error.strerror}") from error
        if checkpoint.position != position:
            self._tell(position, f"it is a copy of position {checkpoint.position}")
            return None
        self._known[position] = (stamp, checkpoint)
        return checkpoint

    def _fits(self, checkpoint: Checkpoint, found: dict[int, Checkpoint]) -> bool:
        """Whether a link's record of its parent fits the parent. With a damaged parent, it counts as fitting."""
        parent = checkpoint.parent
        if parent is None:
            return len(checkpoint.trained) == 1
        if parent.position >= checkpoint.position:
            return False
        before = found.get(parent.position)
        return before is None or (before.digest == parent.digest and before.trained == checkpoint.trained[:-1])

    def _tell(self, position: int, why: str) -> None:
        name = self.path(position).name
        self._tell_once(f"{name}: {why}", f"Checkpoint {name} skipped: {why}")

    def _tell_once(self, key: str, text: str) -> None:
        if key not in self._told:
            self._told.add(key)
            self._log.say("passed-over", text)


def _lineage(newest: Checkpoint | None, found: dict[int, Checkpoint]) -> tuple[Checkpoint, ...]:
    """The newest link and those before it, from the first on; the datasets that were seen lead across a damaged one."""
    sound = [] if newest is None else [newest]
    for position in sorted(found, reverse=True):
        each, after = found[position], sound[-1] if sound else None
        if after is None or after.parent is None or position > after.parent.position:
            continue
        is_parent = position < after.parent.position or each.digest == after.parent.digest
        if is_parent and each.trained == after.trained[: len(each.trained)]:
            sound.append(each)
    return tuple(reversed(sound))


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
