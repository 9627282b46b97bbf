"""Where built tools are kept: one folder per tool and pin in a cache of the user, put in place whole or not at all.

A folder's name has a hash of everything that decides the result of the build, so that a changed pin is another folder
and an unchanged one is never built twice. Builds of one tool exclude each other with a file lock, which the system
releases when its holder dies, however it dies; the next build removes what a dead one left.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolchain.golang import compile_arguments, executable, go_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from toolchain.tool import Tool

_PIN_FILES: Final = ("go.mod", "go.sum", "tools.go")
_KEY_DIGITS: Final = 16
_LOCK_RETRY_SECONDS: Final = 0.5


def cache_root() -> Path:
    """The cache: $TPU_PLATFORM_CACHE, else $XDG_CACHE_HOME/tpu-platform, else ~/.cache/tpu-platform."""
    own = os.environ.get("TPU_PLATFORM_CACHE")
    if own:
        return Path(own).absolute()
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "tpu-platform"


def key(tool: Tool) -> str:
    """A hash of everything that decides the result of a build of `tool`."""
    digest = hashlib.sha256()
    for name in _PIN_FILES:
        digest.update((tool.folder / name).read_bytes())
    recipe = {
        "arguments": compile_arguments([tool], None),
        "environment": go_environment(),
        "artefacts": [asdict(artefact) for artefact in tool.artefacts],
    }
    digest.update(json.dumps(recipe, sort_keys=True).encode())
    for source in tool.source_files:
        digest.update(source.read_bytes())
    return digest.hexdigest()[:_KEY_DIGITS]


def home(tool: Tool) -> Path:
    """The folder of `tool` in the cache, whether it is built or not: `bin/`, and `chart/` for a controller."""
    return cache_root() / "tools" / f"{tool.name}-{tool.version}-{key(tool)}"


def binary_in(folder: Path, tool: Tool) -> Path:
    """Where the command lies in `tool`'s folder."""
    return folder / "bin" / tool.name


def is_built(tool: Tool) -> bool:
    """Whether `tool` lies in the cache, with every artefact."""
    folder = home(tool)
    parts = [folder / artefact.target for artefact in tool.artefacts]
    if tool.is_command:
        binary = binary_in(folder, tool)
        parts += [binary, *(binary.with_name(executable(package)) for package in tool.also)]
    return all(part.exists() for part in parts)


@contextmanager
def exclusively(tool: Tool, *, waits: Callable[[str], None], pause: Callable[[float], None]) -> Generator[None]:
    """Hold the lock on builds of `tool`; while another process has it, say so to `waits` and retry after each `pause`.

    The lock is a file beside the folder that names its holder; the file stays, the lock goes with the process.
    """
    folder = home(tool)
    folder.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder.with_name(f"{folder.name}.lock"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        while not _try_lock(descriptor):
            waits(os.pread(descriptor, 200, 0).decode(errors="replace").strip() or "another process")
            pause(_LOCK_RETRY_SECONDS)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def in_the_making(tool: Tool) -> Generator[Path]:
    """A temporary folder that becomes `tool`'s own when the block ends well, and is removed when it does not.

    Use it under `exclusively`, so that every other temporary folder of the same name is a dead builder's.
    """
    folder = home(tool)
    for stale in folder.parent.glob(f"{folder.name}.making-*"):
        shutil.rmtree(stale, ignore_errors=True)  # its Go may live on for a moment; the next build removes the rest
    making = Path(tempfile.mkdtemp(prefix=f"{folder.name}.making-", dir=folder.parent))
    try:
        making.chmod(0o755)
        yield making
        if folder.exists():  # incomplete, or there would have been no build
            shutil.rmtree(folder)
        making.rename(folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)
