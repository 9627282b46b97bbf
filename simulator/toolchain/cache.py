"""Where built tools are kept: one folder per tool and pin in a cache of the user, put in place whole or not at all.

A folder's name has a hash of everything that decides the result of the build, so that a changed pin is another folder
and an unchanged one is never built twice. One process at a time builds a module. It has a file lock, which the system
releases when the process ends, however it ends; the next build removes what a killed one left.
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

from simulator.toolchain.golang import compile_arguments, executable, go_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from simulator.toolchain.tool import Tool

_PIN_FILES: Final = ("go.mod", "go.sum", "tools.go")
_KEY_DIGITS: Final = 16


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
    return _tools() / f"{tool.name}-{tool.version}-{key(tool)}"


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
def making(module: str, on_wait: Callable[[str], None]) -> Generator[Path]:
    """A temporary folder for a build of `module`, in which no other process builds that module meanwhile.

    The lock is a file that names its holder; the file stays, the lock goes with the process. `on_wait` gets the holder
    if another process has the lock. What is left in the folder at the end of the block is removed.
    """
    tools = _tools()
    tools.mkdir(parents=True, exist_ok=True)
    with (tools / f"{module}.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            on_wait(lock.read().strip() or "another process")
            fcntl.flock(lock, fcntl.LOCK_EX)
        lock.truncate(0)
        lock.write(f"process {os.getpid()}\n")
        lock.flush()
        prefix = f"{module}.making-"
        for stale in tools.glob(f"{prefix}*"):
            shutil.rmtree(stale, ignore_errors=True)  # its Go may live on for a moment; the next build removes the rest
        with tempfile.TemporaryDirectory(prefix=prefix, dir=tools, ignore_cleanup_errors=True) as folder:
            yield Path(folder)


def put(made: Path, tool: Tool) -> None:
    """Make the folder `made` that of `tool`; called within `making`."""
    folder = home(tool)
    if folder.exists():  # incomplete, or there would have been no build
        shutil.rmtree(folder)
    made.rename(folder)


def _tools() -> Path:
    return cache_root() / "tools"
