"""`exec -- CMD`: run a command inside the simulator, in the place of this process."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from simulator.client import beginning
from simulator.environment import COMMAND_TOOLS, add_yaml_host, environment, prepare
from simulator.locks import LOCKING, way_on
from simulator.providers.plugins import PLUGINS_VARIABLE, Others
from simulator.stacks import Command, arranged, runs_yaml
from simulator.toolchain.progress import Progress
from simulator.toolchain.provision import ensure as provide, locate
from simulator.toolchain.tools import YAML_HOST

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from simulator.home import Home
    from simulator.rpc import Client


class CommandNotFoundError(Exception):
    """The command to run is not on PATH."""


AUTO: Final = "auto"
"""The speed at which idle time is skipped."""


def execute(home: Home, command: Sequence[str], *, speed: float | str | None) -> None:
    """Become `command`, with the simulator started and around it; does not return.

    `speed` applies from now on; `AUTO` is the usual speed, and skips idle time while the command runs, except beside a
    pulumi command, which changes something rather than waits.

    Raises:
        CommandNotFoundError: there is no such command.
        DaemonError, StackError, ToolchainError: the simulator or the stack cannot be made ready.
    """
    with beginning(home) as daemon:  # the stack is made ready meanwhile
        inside = inner_environment(home, daemon)
        path = shutil.which(command[0], path=inside["PATH"])
        if path is None:
            raise CommandNotFoundError(f"{command[0]} is not on PATH inside the simulator")
        is_pulumi = Path(path).name == "pulumi"
        arguments = _arranged(command[1:], home, Path(path), inside) if is_pulumi else list(command[1:])
        client = daemon()
    if speed is not None:
        client.call("speed.set", speed=None if speed == AUTO else speed)
    if is_pulumi or speed == AUTO:
        client.call("speed.register_command", pid=os.getpid(), mutates=is_pulumi)
    if is_pulumi and _way_on(home, arguments):
        sys.exit(_refused_by_a_lock(home, [path, *arguments], inside))
    os.execve(path, [command[0], *arguments], inside)  # noqa: S606  there is no shell, and none is wanted


def _way_on(home: Home, arguments: Sequence[str]) -> str:
    command = Command(tuple(arguments))
    stack = command.value("--stack", "-s")
    takes_lock = not LOCKING.isdisjoint(command.words[:1])
    return way_on(home, stack.rpartition("/")[2]) if stack is not None and takes_lock else ""


def _refused_by_a_lock(home: Home, words: Sequence[str], inside: Mapping[str, str]) -> int:
    """The exit code of a command on a locked stack; what the engine says is followed by the way on."""
    signal.signal(signal.SIGINT, _leave_to_the_engine)
    code = subprocess.call(words, env=dict(inside))
    if code and (said := _way_on(home, words[1:])):
        sys.stderr.write(f"simulator: {said}\n")
    return code if code >= 0 else 128 - code


def _leave_to_the_engine(_number: int, _frame: object) -> None:
    """Ctrl-C reaches the engine too, which ends in its own way."""


def _arranged(arguments: Sequence[str], home: Home, pulumi: Path, inside: Mapping[str, str]) -> list[str]:
    about = Command(tuple(arguments))
    if runs_yaml(about):  # few programs are, so that the host is built for the first of them
        add_yaml_host(home, provide([YAML_HOST], Progress(sys.stderr)).binary(YAML_HOST))
    return arranged(about, home, pulumi, inside)


def inner_environment(home: Home, daemon: Callable[[], Client]) -> Mapping[str, str]:
    """The environment of a command inside the simulator, with everything in place that it refers to.

    `daemon` gives the client, should the environment depend on the daemon.

    Raises:
        ToolchainError: a tool is not built yet.
    """
    tools = locate(COMMAND_TOOLS)
    folder = os.environ.get(PLUGINS_VARIABLE)
    others = None if folder is None else Others(Path(folder), daemon().call("outside.proxy"))
    prepare(home, tools, others)
    return environment(home, tools, os.environ)
