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

    from pulumi.runtime.proto.analyzer_pb2 import AnalyzerStackConfigureRequest
    from pulumi.runtime.proto.language_pb2 import RunPluginRequest, RunRequest

    from toolchain.language_host.interpreter import Interpreter

USER_WAS_TOLD: Final = 32
"""Exit code of a program that has shown its error already."""
_CONFIG: Final = "PULUMI_CONFIG"
_SECRET_KEYS: Final = "PULUMI_CONFIG_SECRET_KEYS"  # noqa: S105  the name of a variable
PACK_MODULE: Final = "pulumi.policy"
MESSAGE_LIMITS: Final = [
    # Bytes; the engine's own limit for one gRPC message (sdk/go/common/util/rpcutil).
    ("grpc.max_receive_message_length", 1024 * 1024 * 400),
    ("grpc.max_send_message_length", 1024 * 1024 * 400),
]
_PAGES_PER_STRING: Final = 32
"""Linux: one string of the environment may take 32 pages (MAX_ARG_STRLEN in linux/binfmts.h)."""


def program_arguments(engine: str, tracing: str, request: RunRequest) -> list[str]:
    """The arguments of the script that runs programs, for the program of `request`."""
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
    return [*given, request.info.entry_point or ".", *request.args]


def program_variables(request: RunRequest) -> dict[str, str]:
    """The variables of a program beside the host's own and those of the virtual environment: the stack's configuration.

    Raises:
        HostError: the configuration does not fit into the environment.
    """
    return {
        _CONFIG: _configuration(request.stack, request.config),
        _SECRET_KEYS: json.dumps(list(request.configSecretKeys)),
    }


def _configuration(stack: str, config: Mapping[str, str]) -> str:
    """The variable that holds the configuration of `stack`.

    Raises:
        HostError: the system does not take a variable of that size.
    """
    text = json.dumps(dict(config), ensure_ascii=False)
    size = len(text.encode())
    limit = _PAGES_PER_STRING * os.sysconf("SC_PAGE_SIZE") - len(f"{_CONFIG}=\0")
    if sys.platform == "linux" and size > limit:
        key, value = max(config.items(), key=lambda item: len(item[1]))
        raise HostError(
            f"the configuration of stack {stack} is {size} bytes; a program can get at most {limit}, because it "
            f"is passed in one environment variable. The largest key is {key} with {len(value.encode())} bytes. "
            "State counts in the stack file (slices: 64) instead of lists."
        )
    return text


def ending(code: int) -> str:
    """The message for a program that ended with `code` and printed no error; negative is a signal."""
    if code < 0:
        return f"program was killed by signal {-code} ({signal.Signals(-code).name})"
    return f"program exited with non-zero exit code: {code}"


def exit_status(code: int) -> int:
    """`code` as a shell gives it: 128 and the signal's number for a program that was killed."""
    return code if code >= 0 else 128 - code


def plugin_command(interpreter: Interpreter, request: RunPluginRequest) -> list[str]:
    """The command line that runs the provider of `request`; its output is not buffered.

    Raises:
        HostError: the plugin's folder has no program.
    """
    return [str(interpreter.path), "-u", _main_folder(request), *request.args]


def pack_arguments(request: RunPluginRequest) -> list[str]:
    """The arguments of `PACK_MODULE` for the policy pack of `request`.

    Raises:
        HostError: the pack's folder has no program.
    """
    return [*request.args, _main_folder(request)]


def _main_folder(request: RunPluginRequest) -> str:
    folder = request.info.program_directory
    if not Path(folder, "__main__.py").is_file():
        raise HostError(f"{folder} is not a plugin in Python: it has no __main__.py.")
    return folder


def plugin_environment(interpreter: Interpreter, request: RunPluginRequest) -> dict[str, str]:
    """A plugin's environment: the variables from the engine, which include its own, and the virtual environment."""
    given = dict(variable.split("=", 1) for variable in request.env)
    return interpreter.environment(given or os.environ)


def pack_variables(stack: AnalyzerStackConfigureRequest | None) -> dict[str, str]:
    """The variables of a policy pack beside a plugin's: those of the `stack`, once the engine has named it.

    Raises:
        HostError: the configuration does not fit into the environment.
    """
    if stack is None:
        return {}
    return {
        _CONFIG: _configuration(stack.stack, stack.config),
        _SECRET_KEYS: json.dumps(list(stack.config_secret_keys)),
        "PULUMI_ORGANIZATION": stack.organization,
        "PULUMI_PROJECT": stack.project,
        "PULUMI_STACK": stack.stack,
        "PULUMI_DRY_RUN": "true" if stack.dry_run else "false",
    }
