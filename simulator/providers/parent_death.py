"""Die with the parent: for a server itself, and as a script that becomes the program which a server runs.

A process that is killed cannot end its children. On Linux the kernel does it (PR_SET_PDEATHSIG), if the child asks; a
program such as Helm does not, so it is started through this file, which asks and then becomes the program. That costs
a bare interpreter start, 10 ms, and spares the server from running Python between fork and exec, where the locks of its
gRPC threads would be held by nobody. The request survives exec. The kernel's "parent" is the thread that forked. Other
systems have no such request.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence

_PR_SET_PDEATHSIG = 1
_CANNOT_RUN = 127
"""The shell's exit code for a program that could not be started."""


def die_with(parent: int, number: signal.Signals) -> None:
    """Ask for the signal `number` when the process `parent`, which started this one, is gone; exit when it is already.

    Raises:
        SystemExit: the parent is not the parent any more.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        raise SystemExit(1)


def dying_with_parent(command: Sequence[str]) -> list[str]:
    """The command line that runs `command` until this process is gone; the command alone where the kernel cannot.

    Start it from a thread that lives as long as the process: for the kernel, the forking thread is the parent.
    """
    if sys.platform != "linux":
        return list(command)
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), *command]


def main(arguments: list[str]) -> None:
    """Become the command behind the first argument, which is the parent's process id."""
    die_with(int(arguments[0]), signal.SIGKILL)
    command = arguments[1:]
    try:
        os.execv(command[0], command)  # noqa: S606  the program that the server runs
    except OSError as error:
        sys.stderr.write(f"{command[0]} cannot be run: {error.strerror}\n")
        raise SystemExit(_CANNOT_RUN) from error


if __name__ == "__main__":
    main(sys.argv[1:])
