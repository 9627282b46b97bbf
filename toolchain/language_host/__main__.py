"""Serve the language host to the engine that started it, until the engine ends or a call asks for the end.

The port goes to standard output, as the engine expects of a plugin; the engine's address is the last argument.
"""

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from toolchain.stubs import import_stubs_only

import_stubs_only()

import grpc  # noqa: E402  after the stubs, which must come before everything that may import pulumi
from pulumi.runtime.proto import language_pb2_grpc  # noqa: E402

from toolchain.language_host.programs import Programs  # noqa: E402
from toolchain.language_host.running import MESSAGE_LIMITS  # noqa: E402
from toolchain.language_host.service import LanguageHost  # noqa: E402
from toolchain.parent_death import die_with  # noqa: E402
from toolchain.stop_signals import Ending  # noqa: E402
from toolchain.tools import find_tool  # noqa: E402

_WORKERS: Final = 64
"""Calls at once: each program, policy pack and provider that runs holds one."""
_WATCH_SECONDS: Final = 1.0


def main(arguments: list[str]) -> None:
    """Serve, with the launcher's and the engine's `arguments`, until a signal or the engine's end; does not return."""
    if "--exec" not in arguments or len(arguments) < len(("--exec", "path", "engine")):
        print("this is a Pulumi plugin: the CLI starts it through the launcher beside itself", file=sys.stderr)
        raise SystemExit(2)
    parent = os.getppid()
    die_with(parent, signal.SIGTERM)
    programs = Programs()
    host = LanguageHost(
        programs,
        language_exec=_value_of("--exec", arguments),
        engine=arguments[-1],
        tracing=_value_of("--tracing", arguments),
        version=find_tool("pulumi").version,
    )
    ending = Ending()
    ending.take_signals()
    try:
        _serve_under(host, parent, ending)
    finally:
        programs.kill_all()
    os._exit(0)  # without waiting for calls that are still open: nobody hears their answers


def _serve_under(host: LanguageHost, parent: int, ending: Ending) -> None:
    """Serve until the process `parent` is gone, or the end is asked for."""
    server = grpc.server(ThreadPoolExecutor(_WORKERS), options=MESSAGE_LIMITS)
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(host, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    while os.getppid() == parent and not ending.wait(_WATCH_SECONDS):
        continue  # where the kernel does not signal the parent's end, look now and then


def _value_of(flag: str, arguments: list[str]) -> str:
    """The argument after `flag`, or an empty string."""
    return arguments[arguments.index(flag) + 1] if flag in arguments else ""


if __name__ == "__main__":
    main(sys.argv[1:])
