"""The paths of the tools: found installed, found in the cache, or built now.

`ensure` is for the commands that may take minutes, `locate` for all others. At most two builds run at once, the longest
first; tools of one Go module are built after each other, because they compile the same packages.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolchain import cache
from toolchain.build import build
from toolchain.golang import find_go
from toolchain.installed import installed
from toolchain.progress import BuildState, Progress
from toolchain.stop import Stop, Stopped
from toolchain.tools import LANGUAGE_EXEC, Tool, ToolchainError, find_tool

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_BUILDS_AT_ONCE: Final = 2
_REFRESH_SECONDS: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where one tool is."""

    binary: Path
    """Where the command is; files that are no command have their artefacts two folders above."""
    built: bool
    """Whether it lies in the cache, with its artefacts; otherwise it was installed by someone else."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """The tools that were asked for."""

    places: Mapping[str, Place]

    def binary(self, name: str) -> Path:
        """The path of the command `name`.

        Raises:
            ToolchainError: it was not asked for when this toolchain was made.
        """
        if name not in self.places:
            raise ToolchainError(f"{name} was not asked for; this toolchain holds {', '.join(self.places)}.")
        return self.places[name].binary

    def chart(self, name: str) -> Path:
        """The folder of the Helm chart that came with the controller `name`.

        Raises:
            ToolchainError: it was not asked for, or has no chart.
        """
        return self.artefact(name, "chart")

    def artefact(self, name: str, target: str) -> Path:
        """A file or folder that was built with `name`.

        Raises:
            ToolchainError: `name` was not asked for, or has no such file.
        """
        path = self.binary(name).parent.parent / target
        if not path.exists():
            raise ToolchainError(f"{name} has no {target}.")
        return path

    @property
    def language_exec(self) -> Path:
        """What runs a Pulumi program in Python; it lies beside the CLI, built or installed."""
        beside = self.binary("pulumi").parent / LANGUAGE_EXEC
        return beside if beside.exists() else self.binary("pulumi").resolve().parent / LANGUAGE_EXEC


def place(tool: Tool) -> Place | None:
    """Where `tool` is now; None when it must be built first."""
    found = installed(tool)
    if found is not None:
        return Place(binary=found, built=False)
    if cache.is_built(tool):
        return Place(binary=cache.binary_in(cache.home(tool), tool), built=True)
    return None


def locate(names: Iterable[str]) -> Toolchain:
    """The tools `names`, all of which are there already.

    Raises:
        ToolchainError: some are missing; the text names them and the command that builds them.
    """
    tools = [find_tool(name) for name in names]
    places = {tool.name: place(tool) for tool in tools}
    missing = [tool for tool in tools if places[tool.name] is None]
    if missing:
        listed = ", ".join(f"{tool.name} {tool.version}" for tool in missing)
        command = f"{_python()} -m toolchain build {' '.join(tool.name for tool in missing)}"
        raise ToolchainError(f"not built yet: {listed}. Build with: {command}")
    return Toolchain({name: found for name, found in places.items() if found is not None})


def _python() -> str:
    """This interpreter as a user in the working directory would type it."""
    here = Path.cwd()
    interpreter = Path(sys.executable)
    return str(interpreter.relative_to(here)) if interpreter.is_relative_to(here) else str(interpreter)


def ensure(names: Iterable[str], progress: Progress) -> Toolchain:
    """The tools `names`, after building those that are missing.

    Raises:
        ToolchainError: Go is missing or too old, or a build failed; the others were stopped, what was built stays.
    """
    names = list(names)
    missing = [tool for tool in (find_tool(name) for name in names) if place(tool) is None]
    if missing:
        _build_all(missing, find_go(missing), progress)
    return locate(names)


def _build_all(tools: Sequence[Tool], go: str, progress: Progress) -> None:
    states = {tool.name: BuildState(tool) for tool in tools}
    stop = Stop()

    def run(chain: Sequence[Tool]) -> None:
        for tool in chain:
            build(tool, go, states[tool.name], stop)

    at_once = min(_BUILDS_AT_ONCE, os.cpu_count() or 1)
    with ThreadPoolExecutor(at_once) as pool:
        try:
            running: list[Future[None]] = [pool.submit(run, chain) for chain in _chains(tools)]
            while running:
                ended, _ = wait(running, timeout=_REFRESH_SECONDS, return_when=FIRST_COMPLETED)
                progress.show(list(states.values()), time.monotonic())
                _raise_failure(ended)
                running = [future for future in running if future not in ended]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            stop.pull()
            raise


def _raise_failure(ended: Iterable[Future[None]]) -> None:
    failures = [future.exception() for future in ended]
    for failure in failures:
        if failure is not None and not isinstance(failure, Stopped):
            raise failure


def _chains(tools: Sequence[Tool]) -> list[list[Tool]]:
    """The tools by Go module, the module that takes longest first."""
    modules = {tool.module: [other for other in tools if other.module == tool.module] for tool in tools}
    return sorted(modules.values(), key=lambda chain: -sum(tool.seconds for tool in chain))
