"""From the command line to a cluster: a stack's output, a kubeconfig, or the current one."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

from components.kubeapi import Api, ApiError, KubeconfigError, UnreachableError, connection_from


class NoClusterError(Exception):
    """The command line does not lead to a cluster; the text says why."""


CLUSTER_ERRORS: Final = (ApiError, KubeconfigError, NoClusterError, UnreachableError)
"""What keeps a command from reading its cluster; each text is for the user."""


def above_zero(text: str) -> float:
    """Seconds, as an argument states them."""
    seconds = float(text)
    if seconds <= 0:
        raise argparse.ArgumentTypeError(f"{text} is not a time above 0")
    return seconds


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Let a command take `--stack`, `--kubeconfig` and `--context`."""
    where = parser.add_mutually_exclusive_group()
    stack = (
        "use the cluster of this stack; if it is in the simulator, put `tpu simulator exec --` in front of the command"
    )
    where.add_argument("--stack", help=stack)
    where.add_argument("--kubeconfig", help="path of a kubeconfig (default: $KUBECONFIG, then ~/.kube/config)")
    parser.add_argument("--context", help="context in the kubeconfig (default: its current one)")


def connect(arguments: argparse.Namespace) -> Api:
    """The API server that the flags lead to; credentials that expire are asked for anew.

    Raises:
        NoClusterError: there is no stack or file of that name.
        kubeapi.KubeconfigError: the kubeconfig gives no usable connection.
    """
    text, context = _kubeconfig(arguments), arguments.context
    return Api(connection_from(text, context=context), renew=lambda: connection_from(text, context=context))


def _kubeconfig(arguments: argparse.Namespace) -> str:
    if arguments.stack is not None:
        return _stack_kubeconfig(arguments.stack)
    path = Path(arguments.kubeconfig or os.environ.get("KUBECONFIG") or Path.home() / ".kube" / "config")
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise NoClusterError(f"no kubeconfig: {error}") from error
    except UnicodeDecodeError as error:
        raise NoClusterError(f"no kubeconfig: {path}: byte {error.start} is not UTF-8. Save it as UTF-8.") from error


def _stack_kubeconfig(stack: str) -> str:
    outputs = stack_outputs(stack)
    if "kubeconfig" not in outputs:
        raise NoClusterError(
            f"stack {stack} has no output named kubeconfig; it has {', '.join(sorted(outputs)) or 'none'}"
        )
    kubeconfig = outputs["kubeconfig"]
    return kubeconfig if isinstance(kubeconfig, str) else json.dumps(kubeconfig)


def stack_outputs(stack: str) -> dict[str, Any]:
    """The outputs of a stack of the project in this folder, by name, as the `pulumi` on PATH prints them.

    Raises:
        NoClusterError: there is no `pulumi` on PATH, or it refuses.
    """
    command = ["pulumi", "stack", "output", "--json", "--stack", stack]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise NoClusterError("pulumi is not on PATH") from error
    if done.returncode != 0:
        raise NoClusterError(f"stack {stack}: {done.stderr.strip()}")
    return json.loads(done.stdout)
