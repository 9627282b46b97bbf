"""The paths of the tools: found installed, found in the cache, or built now.

`ensure` is for the commands that may take minutes, `locate` for all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.toolchain import cache
from simulator.toolchain.build import build
from simulator.toolchain.golang import find_go
from simulator.toolchain.installed import installed
from simulator.toolchain.tool import Tool, ToolchainError
from simulator.toolchain.tools import LANGUAGE_EXEC, TOOLS, find_tool

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from simulator.toolchain.progress import Progress


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
        ToolchainError: Go is missing or too old, or a build failed; finished ones stay.
    """
    names = list(names)
    wanted = {find_tool(name).name for name in names}
    missing = [tool for tool in TOOLS if tool.name in wanted and place(tool) is None]
    if missing:
        build(missing, find_go(missing), progress)
    return locate(names)
