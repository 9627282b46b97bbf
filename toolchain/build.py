"""Builds tools: `go build` once for each module, one module after the other; then each tool's folder is put in place.

Go downloads what the next modules need while it compiles the first. Each run of Go has a process group of its own, so
that an interrupt of the terminal reaches this process alone, which ends the group and removes everything half-made.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections import deque
from contextlib import ExitStack, contextmanager, suppress
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolchain import cache
from toolchain.golang import (
    compile_arguments,
    compiler_environment,
    download_arguments,
    download_environment,
    executable,
    go_environment,
    list_arguments,
    module_folder_arguments,
)
from toolchain.progress import duration
from toolchain.tool import ToolchainError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Mapping, Sequence
    from typing import IO

    from toolchain.progress import Progress
    from toolchain.tool import Tool

_TAIL_LINES: Final = 15
"""Lines of Go's output that a failure shows."""
_END_SECONDS: Final = 5.0
"""Time that Go has to remove its own temporary files after an interrupt."""


def build(tools: Sequence[Tool], go: str, progress: Progress) -> None:
    """Build tools that are missing with the command `go`; those of one module are next to each other.

    Raises:
        ToolchainError: Go failed, with the last lines of its output. Nothing is left of that module's build; modules
            that were built before stay.
    """
    modules = [list(found) for _, found in groupby(tools, lambda tool: tool.module)]
    with ExitStack() as listings:
        listed = [listings.enter_context(_listing(found, go)) for found in modules]
        for found, packages in zip(modules, listed, strict=True):
            label, began = _label(found), time.monotonic()
            try:
                progress.passing(f"{label}: downloading modules")
                _build_module(found, go, packages(), progress)
            except OSError as error:  # no space, no permission
                raise ToolchainError(f"{label} was not built: {error}") from error
            progress.lasting(f"{label}: built in {duration(time.monotonic() - began)}")


def _build_module(tools: Sequence[Tool], go: str, packages: Collection[str], progress: Progress) -> None:
    """Build those of `tools` that no other process has built meanwhile."""
    label = _label(tools)

    def wait_for(holder: str) -> None:
        progress.lasting(f"{label}: waiting for {holder}, which is building it")

    with cache.making(tools[0].module, wait_for) as making:
        missing = [tool for tool in tools if not cache.is_built(tool)]
        commands = [tool for tool in missing if tool.is_command]
        if commands:
            _compile(commands, go, making, packages, progress)
        for tool in missing:
            folder = making / "tool"
            folder.mkdir()
            if tool.is_command:
                binary = cache.binary_in(folder, tool)
                binary.parent.mkdir()
                # One file for tools of one package: they share it in memory.
                binary.hardlink_to(making / executable(tool.package))
                for name in map(executable, tool.also):
                    binary.with_name(name).hardlink_to(making / name)
            _copy_artefacts(tool, go, folder)
            cache.put(folder, tool)


@contextmanager
def _listing(tools: Sequence[Tool], go: str) -> Generator[Callable[[], Collection[str]]]:
    """Let Go download what a build of `tools` needs; the function waits for that and gives the packages to compile."""
    commands = [tool for tool in tools if tool.is_command]
    if not commands:
        yield list
        return
    with (
        tempfile.TemporaryFile("w+") as output,
        _running(commands, go, list_arguments(commands), output, download_environment()) as process,
    ):

        def packages() -> Collection[str]:
            code = process.wait()
            output.seek(0)
            lines = output.read().splitlines()
            if code:
                raise _failure(tools, "list", code, lines)
            return {line for line in lines if " " not in line}

        yield packages


def _compile(tools: Sequence[Tool], go: str, folder: Path, packages: Collection[str], progress: Progress) -> None:
    """Compile the commands of `tools` into `folder`, where Go also keeps temporary files."""
    label, compiled = _label(tools), 0
    tail: deque[str] = deque(maxlen=_TAIL_LINES)
    settings = {**compiler_environment(), "GOTMPDIR": str(folder)}
    with _running(tools, go, compile_arguments(tools, folder), subprocess.PIPE, settings) as process:
        for line in map(str.rstrip, process.stdout or ()):
            if " " in line or line.startswith("#"):
                tail.append(line)
            elif line in packages:
                compiled += 1
                progress.passing(f"{label}: {compiled} of {len(packages)} packages compiled")
        code = process.wait()
    if code:
        raise _failure(tools, "build", code, tail)


@contextmanager
def _running(
    tools: Sequence[Tool], go: str, arguments: list[str], output: IO[str] | int, settings: Mapping[str, str]
) -> Generator[subprocess.Popen[str]]:
    """A run of Go in the module of `tools`, all that it prints on `output`; the end of the block ends it."""
    process = subprocess.Popen(
        [go, *arguments],
        cwd=tools[0].folder,
        env={**os.environ, **go_environment(), **settings},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        process_group=0,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError, subprocess.TimeoutExpired):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
                process.wait(_END_SECONDS)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _copy_artefacts(tool: Tool, go: str, folder: Path) -> None:
    if not tool.is_command:
        _ask(tool, go, download_arguments(tool.modules_of_artefacts))
    for artefact in tool.artefacts:
        source = _ask(tool, go, module_folder_arguments(artefact.module)).strip()
        _copy_writable(Path(source, artefact.path), folder / artefact.target)


def _ask(tool: Tool, go: str, arguments: list[str]) -> str:
    """The answer of Go to a short question about the module of `tool`."""
    environment = {**os.environ, **go_environment()}
    done = subprocess.run(
        [go, *arguments], cwd=tool.folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise _failure([tool], " ".join(arguments[:2]), done.returncode, done.stderr.splitlines()[-_TAIL_LINES:])
    return done.stdout


def _copy_writable(source: Path, target: Path) -> None:
    """Copy a program or a folder; the module cache is read-only, and an installed package not executable."""
    if source.is_dir():
        shutil.copytree(source, target, copy_function=shutil.copyfile)
        for folder in [target, *(path for path in target.rglob("*") if path.is_dir())]:
            folder.chmod(0o755)
    else:
        shutil.copyfile(source, target)
        target.chmod(0o755)


def _label(tools: Sequence[Tool]) -> str:
    """Name and version of a single tool, else the module and its number of tools."""
    if len(tools) == 1:
        return f"{tools[0].name} {tools[0].version}"
    return f"{tools[0].module} ({len(tools)} tools)"


def _failure(tools: Sequence[Tool], command: str, code: int, lines: Collection[str]) -> ToolchainError:
    said = "\n".join(f"  {line}" for line in deque(lines, _TAIL_LINES))
    return ToolchainError(f"{_label(tools)} was not built: go {command} exited with {code}.\n{said}")
