"""Builds tools: `go build` once for each module, one module after the other; then each tool's folder is put in place.

Go downloads what the next modules need while it compiles the first. Go lists and builds in a process group of its own,
so that an interrupt of the terminal reaches this process alone, which ends the group and removes everything half-made.
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
from typing import IO, TYPE_CHECKING, Final

from simulator.toolchain import cache
from simulator.toolchain.golang import (
    COMPILER_ENVIRONMENT,
    DOWNLOAD_ENVIRONMENT,
    compile_arguments,
    download_arguments,
    executable,
    go_environment,
    list_arguments,
    module_folders_arguments,
)
from simulator.toolchain.progress import Progress, duration
from simulator.toolchain.tool import Tool, ToolchainError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Mapping, Sequence

_TAIL_LINES: Final = 15
"""Lines of Go's output that a failure shows."""
INTERRUPTS: Final = (signal.SIGINT, signal.SIGTERM)
"""The signals with which a user or a caller interrupts a build."""
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
        listed: list[Callable[[], Collection[str]]] = []
        for found in modules:
            with _naming(found):
                listed.append(listings.enter_context(_listing(found, go)))
        for found, packages in zip(modules, listed, strict=True):
            label, began = _label(found), time.monotonic()
            with _naming(found):
                progress.passing(f"{label}: downloading modules")
                built = _build_module(found, go, packages(), progress)
            end = f"built in {duration(time.monotonic() - began)}" if built else "another process has built it"
            progress.lasting(f"{label}: {end}")


@contextmanager
def _naming(tools: Sequence[Tool]) -> Generator[None]:
    """Errors of the system name the tools that were not built."""
    try:
        yield
    except OSError as error:  # no space, no permission
        raise ToolchainError(f"{_label(tools)} was not built: {error}") from error


def _build_module(tools: Sequence[Tool], go: str, packages: Collection[str], progress: Progress) -> bool:
    """Build those of `tools` that no other process has built meanwhile; returns whether there was one."""
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
        return bool(missing)


@contextmanager
def _listing(tools: Sequence[Tool], go: str) -> Generator[Callable[[], Collection[str]]]:
    """Start Go's download of the modules that `tools` need.

    The yielded function waits for it and returns the packages to compile.
    """
    commands = [tool for tool in tools if tool.is_command]
    if not commands:
        yield lambda: ()
        return
    with (
        tempfile.TemporaryFile("w+") as output,
        _running(commands, go, list_arguments(commands), output, DOWNLOAD_ENVIRONMENT) as process,
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
    """Compile the commands of `tools` into `folder`, where Go also keeps temporary files.

    `packages` had to be compiled before the first module was built. Where that module compiled some of them, the count
    stays below its total.
    """
    label, compiled = _label(tools), 0
    tail: deque[str] = deque(maxlen=_TAIL_LINES)
    settings = {**COMPILER_ENVIRONMENT, "GOTMPDIR": str(folder)}
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
    with ExitStack() as ends:
        with _interrupts_wait():
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
            ends.callback(_end, process)
        yield process


@contextmanager
def _interrupts_wait() -> Generator[None]:
    """An interrupt that comes within the block is handled at its end: one within `Popen` would lose the new process.

    Only the main thread may set handlers of signals, so it is the one that builds.
    """
    came: list[int] = []
    before = {each: signal.signal(each, lambda number, _frame: came.append(number)) for each in INTERRUPTS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)


def _end(process: subprocess.Popen[str]) -> None:
    """End Go and everything in its group."""
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
    if not tool.artefacts:
        return
    said = _ask(tool, go, module_folders_arguments(tool.modules_of_artefacts))
    folders = dict(line.split(" ", 1) for line in said.splitlines())
    for artefact in tool.artefacts:
        _copy_writable(Path(folders[artefact.module], artefact.path), folder / artefact.target)


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
