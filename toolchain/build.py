"""One build: Go compiles the commands of one module into a temporary folder, and each tool's folder is put in place.

Which tools are built, and in which order, is decided in `provision.py`; how a build is ended early, in
`build_switch.py`.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections import deque
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolchain import cache
from toolchain.build_switch import Stopped
from toolchain.golang import (
    ahead_arguments,
    compile_arguments,
    compiler_environment,
    download_arguments,
    download_environment,
    executable,
    go_environment,
    list_arguments,
    module_folder_arguments,
)
from toolchain.progress import Phase
from toolchain.tool import ToolchainError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from toolchain.build_switch import Stop
    from toolchain.progress import BuildState
    from toolchain.tool import Tool

_TAIL_LINES: Final = 15
"""Lines of Go's output that a failure shows."""
_DOWNLOADING: Final = "go: downloading "
_STANDARD_LIBRARY: Final = ("html/template", "net/http")
"""Packages that need most of the standard library, and no module."""
_STALE: Final = "{{if .Stale}}{{.ImportPath}}{{end}}"


class Build:
    """The build of some tools of one module; `state` follows it."""

    def __init__(self, state: BuildState, go: str, stop: Stop) -> None:
        """`go` is the command; pulling `stop` ends it."""
        self._state = state
        self._go = go
        self._stop = stop
        self._lock = threading.Lock()
        self.is_compiled = threading.Event()
        """Set when Go compiles nothing more: it links, or the build has ended."""
        self._begun: set[str] = set()
        """Packages that Go has begun to compile, whichever call of it."""
        self._left: set[str] = set()
        """Packages that are to be compiled and that Go has not begun."""

    @property
    def _commands(self) -> list[Tool]:
        return [tool for tool in self._state.tools if tool.is_command]

    def compile_standard_library(self) -> None:
        """Compile packages that need no module; nothing without a command.

        Raises:
            ToolchainError: Go failed, with the last lines of its output.
            Stopped: the switch was pulled.
        """
        if self._commands:
            self._state.began = time.monotonic()
            self._run_go(ahead_arguments(self._commands, _STANDARD_LIBRARY), self._count_package)

    def compile_ahead(self) -> None:
        """Compile the packages that tools name as `ahead`.

        Raises:
            ToolchainError: Go failed, with the last lines of its output.
            Stopped: the switch was pulled.
        """
        packages = [package for tool in self._commands for package in tool.ahead]
        if packages:
            self._run_go(ahead_arguments(self._commands, packages), self._count_package)

    def count(self, counted: set[str]) -> None:
        """Download the modules that are missing and count the packages that are to be compiled.

        `counted` has those that an earlier build of this run compiles; this one's are added.

        Raises:
            ToolchainError: Go failed, with the last lines of its output.
            Stopped: the switch was pulled.
        """
        with self._followed():
            self._state.phase = Phase.DOWNLOADING
            if self._commands:
                stale = set(self._run_go(list_arguments(self._commands, _STALE), self._count_download).split())
                # Packages of the standard library are the same in every module, others may be of another version.
                mine = {path for path in stale if "." in path.partition("/")[0] or path not in counted}
                counted |= mine
                with self._lock:
                    self._left = mine - self._begun
                    self._state.packages = len(mine)
                    self._state.compiled = len(mine) - len(self._left)
            self._state.is_counted = True
            self._state.phase = Phase.QUEUED

    def run(self) -> None:
        """Build the tools that no other process has built meanwhile.

        Raises:
            ToolchainError: Go failed, with the last lines of its output; nothing is left of the build.
            Stopped: the switch was pulled; nothing is left either.
        """
        with self._followed(), ExitStack() as held:
            for tool in self._state.tools:
                held.enter_context(cache.exclusively(tool, waits=self._wait_for, pause=self._stop.pause))
            missing = [tool for tool in self._state.tools if not cache.is_built(tool)]
            self._state.phase = Phase.COMPILING
            with ExitStack() as made:
                folders = {tool.name: made.enter_context(cache.in_the_making(tool)) for tool in missing}
                self._compile([tool for tool in missing if tool.is_command], folders)
                for tool in missing:
                    self._copy_artefacts(tool, folders[tool.name])
        self._state.phase = Phase.BUILT
        self.is_compiled.set()

    @contextmanager
    def _followed(self) -> Generator[None]:
        """Record in the state how long a step takes, and its failure."""
        self._state.started = time.monotonic()
        try:
            yield
        except (ToolchainError, Stopped):
            self._fail()
            raise
        except OSError as error:  # no space, no permission
            self._fail()
            raise ToolchainError(f"{self._state.label} was not built: {error}") from error
        finally:
            self._state.ended = time.monotonic()

    def _fail(self) -> None:
        self._state.phase = Phase.FAILED
        self.is_compiled.set()

    def _wait_for(self, holder: str) -> None:
        self._state.holder = holder
        self._state.phase = Phase.WAITING

    def _compile(self, tools: Sequence[Tool], folders: Mapping[str, Path]) -> None:
        if not tools:
            return
        work = folders[tools[0].name] / "work"
        work.mkdir()
        self._state.began = self._state.began or time.monotonic()
        self._run_go(compile_arguments(tools, work), self._count_package, work)
        for tool in tools:
            binary = cache.binary_in(folders[tool.name], tool)
            binary.parent.mkdir()
            # One file for tools of one package: they share it in memory.
            binary.hardlink_to(work / executable(tool.package))
            for name in map(executable, tool.also):
                binary.with_name(name).hardlink_to(work / name)
        shutil.rmtree(work)

    def _count_download(self, line: str) -> bool:
        found = line.startswith(_DOWNLOADING)
        self._state.downloaded += found
        return found

    def _count_package(self, line: str) -> bool:
        found = bool(line) and " " not in line and not line.startswith("#")
        if found:
            with self._lock:
                self._begun.add(line)
                self._left.discard(line)
                self._state.compiled = self._state.packages - len(self._left)
                is_compiled = self._state.is_counted and not self._left
            if is_compiled:
                self.is_compiled.set()
        return found

    def _copy_artefacts(self, tool: Tool, folder: Path) -> None:
        if not tool.is_command:
            self._run_go(download_arguments(tool.modules_of_artefacts), self._count_download)
        for artefact in tool.artefacts:
            source = self._run_go(module_folder_arguments(artefact.module), self._count_download).strip()
            _copy_writable(Path(source, artefact.path), folder / artefact.target)

    def _run_go(self, arguments: list[str], is_progress: Callable[[str], bool], work: Path | None = None) -> str:
        """The output of `go`; each line of standard error is offered to `is_progress` first.

        `work` is where Go keeps temporary files.

        Raises:
            ToolchainError: it failed.
        """
        settings = download_environment() if arguments[0] == "list" else compiler_environment()
        environment = {**os.environ, **go_environment(), **settings}
        if work is not None:
            environment["GOTMPDIR"] = str(work)
        tail: deque[str] = deque(maxlen=_TAIL_LINES)
        with tempfile.TemporaryFile("w+") as output:
            process = self._stop.start(
                [self._go, *arguments],
                folder=self._state.tools[0].folder,
                environment=environment,
                output=output.fileno(),
            )
            if process.stderr is not None:
                with process.stderr as lines:
                    tail.extend(line.rstrip() for line in lines if not is_progress(line.rstrip()))
            seconds = _processor_seconds(process.pid)
            with self._lock:
                self._state.processor_seconds += seconds
            code = process.wait()
            self._stop.ended(process)
            if code != 0:
                said = "\n".join(f"  {line}" for line in tail)
                raise ToolchainError(
                    f"{self._state.label} was not built: go {arguments[0]} exited with {code}.\n{said}"
                )
            output.seek(0)
            return output.read()


def _processor_seconds(process: int) -> float:
    """User and system time of a child of this process and its waited-for children; returns when the child has ended.

    Source: proc(5), fields 14 to 17 of `/proc/PID/stat`, which are there until the child is waited for.
    """
    os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
    _, _, fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")
    return sum(map(int, fields.split()[11:15])) / os.sysconf("SC_CLK_TCK")


def _copy_writable(source: Path, target: Path) -> None:
    """Copy a program or a folder; the module cache is read-only, and an installed package not executable."""
    if source.is_dir():
        shutil.copytree(source, target, copy_function=shutil.copyfile)
        for folder in [target, *(path for path in target.rglob("*") if path.is_dir())]:
            folder.chmod(0o755)
    else:
        shutil.copyfile(source, target)
        target.chmod(0o755)
