"""One build: Go compiles the command into a temporary folder, the artefacts join it, and the folder is put in place.

Which tools are built, and how many at once, is decided in `provision.py`; how a build is ended early, in `stop.py`.
"""

from __future__ import annotations

import os
import shutil
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolchain import cache
from toolchain.golang import compile_arguments, download_arguments, go_environment, module_folder_arguments
from toolchain.progress import Phase
from toolchain.stop import Stopped
from toolchain.tools import TOOLCHAIN, ModuleFile, OwnFile, ToolchainError

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolchain.progress import BuildState
    from toolchain.stop import Stop
    from toolchain.tools import Tool

_TAIL_LINES: Final = 15
"""Lines of Go's output that a failure shows."""
_DOWNLOADING: Final = "go: downloading "


def build(tool: Tool, go: str, state: BuildState, stop: Stop) -> None:
    """Build `tool` with the command `go` unless another process has done so meanwhile; `state` follows it.

    Raises:
        ToolchainError: Go failed, with the last lines of what it said.
        Stopped: `stop` was pulled; nothing is left of the build.
    """
    state.started = time.monotonic()
    try:
        with cache.exclusively(tool, waits=lambda holder: _wait_for(state, holder), pause=stop.pause):
            if not cache.is_built(tool):
                with cache.in_the_making(tool) as making:
                    _Build(tool, go, state, stop, making).run()
    except (ToolchainError, Stopped):
        state.phase = Phase.FAILED
        raise
    except OSError as error:  # no space, no permission
        state.phase = Phase.FAILED
        raise ToolchainError(f"{state.label} was not built: {error}") from error
    else:
        state.phase = Phase.BUILT
    finally:
        state.ended = time.monotonic()


def _wait_for(state: BuildState, holder: str) -> None:
    state.holder = holder
    state.phase = Phase.WAITING


class _Build:
    """The steps of one build in the temporary folder `making`."""

    def __init__(self, tool: Tool, go: str, state: BuildState, stop: Stop, making: Path) -> None:
        self._tool = tool
        self._go = go
        self._state = state
        self._stop = stop
        self._making = making
        self._work = making / "work"

    def run(self) -> None:
        self._work.mkdir()
        self._state.phase = Phase.DOWNLOADING
        if self._tool.is_command:
            self._state.packages = self._stale_packages()
            self._state.phase = Phase.COMPILING
            self._run_go(compile_arguments(self._tool, cache.binary_in(self._making, self._tool)), self._count_package)
        else:
            self._run_go(download_arguments(self._tool.package), self._count_download)
        self._copy_artefacts()
        shutil.rmtree(self._work)

    def _stale_packages(self) -> int:
        """How many packages the build will compile; listing them downloads the modules that are missing."""
        template = "{{if .Stale}}{{.ImportPath}}{{end}}"
        flags = [argument for argument in compile_arguments(self._tool, None)[1:-1] if argument != "-v"]
        listed = self._run_go(["list", "-deps", "-f", template, *flags, self._tool.package], self._count_download)
        return len(listed.split())

    def _count_download(self, line: str) -> bool:
        found = line.startswith(_DOWNLOADING)
        self._state.downloaded += found
        return found

    def _count_package(self, line: str) -> bool:
        found = bool(line) and " " not in line and not line.startswith("#")
        self._state.compiled += found
        return found

    def _copy_artefacts(self) -> None:
        for artefact in self._tool.artefacts:
            target = self._making / artefact.target
            match artefact:
                case OwnFile():
                    _copy_writable(TOOLCHAIN / artefact.path, target)
                case ModuleFile():
                    folder = self._run_go(module_folder_arguments(artefact.module), self._count_download).strip()
                    _copy_writable(Path(folder, artefact.path), target)

    def _run_go(self, arguments: list[str], is_progress: Callable[[str], bool]) -> str:
        """What `go` prints on standard output; each line of standard error is offered to `is_progress` first.

        Raises:
            ToolchainError: it failed.
        """
        environment = {**os.environ, **go_environment(), "GOTMPDIR": str(self._work)}
        tail: deque[str] = deque(maxlen=_TAIL_LINES)
        with (self._work / "output").open("w+") as output:
            process = self._stop.start(
                [self._go, *arguments], folder=self._tool.folder, environment=environment, output=output.fileno()
            )
            if process.stderr is not None:
                with process.stderr as lines:
                    tail.extend(line.rstrip() for line in lines if not is_progress(line.rstrip()))
            code = process.wait()
            self._stop.ended(process)
            if code != 0:
                said = "\n".join(f"  {line}" for line in tail)
                raise ToolchainError(
                    f"{self._state.label} was not built: go {arguments[0]} exited with {code}.\n{said}"
                )
            output.seek(0)
            return output.read()


def _copy_writable(source: Path, target: Path) -> None:
    """Copy a program or a folder; what the module cache holds is read-only, and an installed package not executable."""
    if source.is_dir():
        shutil.copytree(source, target, copy_function=shutil.copyfile)
        for folder in [target, *(path for path in target.rglob("*") if path.is_dir())]:
            folder.chmod(0o755)
    else:
        shutil.copyfile(source, target)
        target.chmod(0o755)
