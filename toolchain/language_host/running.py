"""How a program or a plugin is started: the command lines and the variables that the SDK expects.

The program side is `pulumi-language-python-exec`, which comes with the CLI; the plugin side is the SDK's own entry
points. The names of arguments and variables are theirs.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolchain.language_host.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pulumi.runtime.proto.language_pb2 import RunPluginRequest, RunRequest

    from toolchain.language_host.interpreter import Interpreter

USER_WAS_TOLD: Final = 32
"""Exit code of a program that has shown its error already."""
_CONFIG: Final = "PULUMI_CONFIG"
_SECRET_KEYS: Final = "PULUMI_CONFIG_SECRET_KEYS"  # noqa: S105  the name of a variable
_PAGES_PER_STRING: Final = 32
"""Linux: one string of the environment may take 32 pages (MAX_ARG_STRLEN in linux/binfmts.h)."""


def program_command(
    interpreter: Interpreter, language_exec: str, engine: str, tracing: str, request: RunRequest
) -> list[str]:
    """The command line that runs the program of `request` (a RunRequest)."""
    options = {
        "monitor": request.monitor_address,
        "engine": engine,
        "project": request.project,
        "root_directory": request.info.root_directory,
        "stack": request.stack,
        "pwd": request.pwd,
        "dry_run": "true" if request.dryRun else "false",
        "parallel": str(request.parallel),
        "tracing": tracing,
        "organization": request.organization,
    }
    given = [part for name, value in options.items() if value for part in (f"--{name}", value)]
    return [str(interpreter.path), language_exec, *given, request.info.entry_point or ".", *request.args]


def program_environment(interpreter: Interpreter, request: RunRequest) -> dict[str, str]:
    """The program's environment: the host's own, the virtual environment, and the stack's configuration.

    Raises:
        HostError: the configuration does not fit into the environment.
    """
    environment = interpreter.environment(os.environ)
    environment[_CONFIG] = json.dumps(dict(request.config), ensure_ascii=False)
    environment[_SECRET_KEYS] = json.dumps(list(request.configSecretKeys))
    _refuse_large(environment[_CONFIG], request)
    return environment


def _refuse_large(config: str, request: RunRequest) -> None:
    if sys.platform != "linux":
        return
    limit = _PAGES_PER_STRING * os.sysconf("SC_PAGE_SIZE") - len(f"{_CONFIG}=\0")
    size = len(config.encode())
    if size > limit:
        key, value = max(request.config.items(), key=lambda item: len(item[1]))
        raise HostError(
            f"the configuration of stack {request.stack} is {size} bytes; a program can be given {limit}, because it "
            f"travels in one environment variable. The largest key is {key} with {len(value.encode())} bytes. "
            "State counts in the stack file (slices: 64) instead of lists."
        )


def ending(code: int) -> str:
    """What to say of a program that ended with `code` and has not told the user; negative is a signal."""
    if code < 0:
        return f"program was killed by signal {-code} ({signal.Signals(-code).name})"
    return f"program exited with non-zero exit code: {code}"


def exit_status(code: int) -> int:
    """`code` as a shell gives it: 128 and the signal's number for a program that was killed."""
    return code if code >= 0 else 128 - code


def plugin_command(interpreter: Interpreter, request: RunPluginRequest) -> list[str]:
    """The command line that runs the plugin of `request` (a RunPluginRequest); its output is not buffered.

    Raises:
        HostError: the plugin's folder has no program.
    """
    folder: str = request.info.program_directory
    if not Path(folder, "__main__.py").is_file():
        raise HostError(f"{folder} is not a plugin in Python: it has no __main__.py.")
    python = [str(interpreter.path), "-u"]
    if request.kind == "analyzer":
        return [*python, "-m", "pulumi.policy", *request.args, folder]
    return [*python, folder, *request.args]


def plugin_environment(interpreter: Interpreter, given: Mapping[str, str]) -> dict[str, str]:
    """The plugin's environment: what the engine gives, which includes its own, and the virtual environment."""
    return interpreter.environment(given or os.environ)
