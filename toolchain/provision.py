"""The paths of the tools: found installed, found in the cache, or built now.

`ensure` is for the commands that may take minutes, `locate` for all others. One call of Go builds the tools of a
module, and the modules are compiled one after the other: Go keeps every processor busy by itself, and two calls at once
would compile shared packages twice.
"""

from __future__ import annotations

import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from toolchain import cache
from toolchain.build import Build
from toolchain.build_switch import Stop, Stopped
from toolchain.golang import find_go
from toolchain.installed import installed
from toolchain.progress import BuildState, Progress
from toolchain.tool import Tool, ToolchainError
from toolchain.tools import LANGUAGE_EXEC, TOOLS, find_tool

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

_REFRESH_SECONDS: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where one tool is."""

    binary: Path
    """Where the command is; a tool without a command has its artefacts two folders above."""
    built: bool
    """Whether it lies in the cache, with its artefacts; otherwise it was installed by someone else."""

    def artefact(self, target: str) -> Path:
        """Where a file or folder lies that was built with the tool, if there is one."""
        return self.binary.parent.parent / target


@dataclass(frozen=True, slots=True)
class Toolchain:
    """The tools that were asked for."""

    places: Mapping[str, Place]

    def binary(self, name: str) -> Path:
        """The path of the command `name`.

        Raises:
            ToolchainError: it was not asked for when this toolchain was made.
        """
        return self._place(name).binary

    def artefact(self, name: str, target: str) -> Path:
        """A file or folder that was built with `name`.

        Raises:
            ToolchainError: `name` was not asked for, or has no such file.
        """
        path = self._place(name).artefact(target)
        if not path.exists():
            raise ToolchainError(f"{name} has no {target}.")
        return path

    def _place(self, name: str) -> Place:
        if name not in self.places:
            raise ToolchainError(f"{name} was not asked for; this toolchain holds {', '.join(self.places)}.")
        return self.places[name]

    @property
    def language_exec(self) -> Path:
        """The program that runs a Pulumi program in Python; it lies beside the CLI, built or installed."""
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


def releases(name: str) -> dict[str, Place]:
    """Where each release of `name` is that is there now, by version such as `v1.36.4`; the current one comes first."""
    found = {tool.version: place(tool) for tool in TOOLS if name in (tool.name, tool.older_of)}
    return {version: where for version, where in found.items() if where is not None}


def locate(names: Iterable[str]) -> Toolchain:
    """The tools `names`, which must all exist already.

    Raises:
        ToolchainError: some are missing; the text names them and the command that builds them.
    """
    tools = [find_tool(name) for name in names]
    places = {tool.name: place(tool) for tool in tools}
    missing = [tool for tool in tools if places[tool.name] is None]
    if missing:
        listed = ", ".join(f"{tool.name} {tool.version}" for tool in missing)
        command = f"tpu tools build {' '.join(tool.name for tool in missing)}"
        raise ToolchainError(f"not built yet: {listed}. Build with: {command}")
    return Toolchain({name: found for name, found in places.items() if found is not None})


def ensure(names: Iterable[str], progress: Progress) -> Toolchain:
    """The tools `names`, after building those that are missing.

    Raises:
        ToolchainError: Go is missing or too old, or a build failed; the others were stopped, finished ones stay.
    """
    names = list(names)
    wanted = {find_tool(name).name for name in names}
    missing = [tool for tool in TOOLS if tool.name in wanted and place(tool) is None]
    if missing:
        _build_all(missing, find_go(missing), progress)
    return locate(names)


def _build_all(tools: Sequence[Tool], go: str, progress: Progress) -> None:
    states = [BuildState(list(found)) for _, found in groupby(tools, lambda tool: tool.module)]
    stop = Stop()
    builds = [Build(state, go, stop) for state in states]
    counted: set[str] = set()

    def run_ahead() -> None:
        standard_library.result()
        builds[0].compile_ahead()

    def run(build: Build, count: Future[None], before: Build | None) -> None:
        count.result()
        standard_library.result()
        if before is not None:
            before.is_compiled.wait()
        build.run()

    # Modules are downloaded while others are compiled. Go links on one processor, so the next module begins then. What
    # is compiled ahead needs one processor too, as each of its packages imports the last: the first build goes on
    # beside it, and comes to those packages late.
    with ThreadPoolExecutor(1) as counting, ThreadPoolExecutor(3) as building:
        try:
            standard_library = building.submit(builds[0].compile_standard_library)
            ahead = building.submit(run_ahead)
            counts: list[Future[None]] = [counting.submit(build.count, counted) for build in builds]
            runs: list[Future[None]] = [
                building.submit(run, build, count, before)
                for build, count, before in zip(builds, counts, [None, *builds], strict=False)
            ]
            left: list[Future[None]] = [standard_library, ahead, *counts, *runs]
            while left:
                ended, _ = wait(left, timeout=_REFRESH_SECONDS, return_when=FIRST_COMPLETED)
                progress.show(states, time.monotonic())
                _raise_failure(ended)
                left = [future for future in left if future not in ended]
            progress.end(states)
        except BaseException:
            stop.pull()
            raise


def _raise_failure(ended: Iterable[Future[None]]) -> None:
    failures = [future.exception() for future in ended]
    for failure in failures:
        if failure is not None and not isinstance(failure, Stopped):
            raise failure
