"""Load the SDK once, and fork the processes of a program and of policy packs, each when it is ordered.

Started with a socket as its input, by the interpreter that is to run them, which need not know this package. An order
is the length of a JSON object in four bytes, with four open files: the process's input, output and error output, and
its report; the object follows. A report has two lines: the process's number, and how it ended (negative for a signal).

The object has the `environment` and the `folder` (null: this one's), whether output is `unbuffered` and types are made
late (`late_types`), a module to `preload` or an empty string, and the `target`, a script or `-m` and a module. With
these the process waits for the rest: one JSON object on its input with `arguments`, and with `environment`, variables
to add. Then it becomes `python TARGET ARGUMENTS...`. When its input ends without the rest, nothing runs.
"""

import atexit
import gc
import importlib
import io
import json
import os
import runpy
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

if sys.flags.safe_path:  # PYTHONSAFEPATH=1: the folder of a script is not on its path
    sys.path.insert(0, os.path.dirname(__file__))  # noqa: PTH120
from sparing import make_types_late, spare
from traces import shorten

del sys.path[0]  # nothing of this folder stands in for a module of the program
_DEATH = Path(__file__).parents[1] / "parent_death.py"
die_with: Callable[[int, signal.Signals], None] = runpy.run_path(str(_DEATH))["die_with"]

_NEW_OBJECTS = 100_000
"""How many objects are made before Python looks for garbage among them; by default 700."""
_WRITING = {io.BufferedRandom, io.BufferedWriter, io.TextIOWrapper}
"""Files that hold text or bytes back until they are flushed."""
_IS_TRACED = "TRACEPARENT" in os.environ
"""Whether the SDK connects to the engine's collector of traces while it is loaded: no fork may come after that."""
_LENGTH = 4
_FILES = 4
_REPORT = 3
"""The report's place among the files of an order; those before it are numbered as a process expects them."""


def main() -> None:
    """Load the SDK, and fork for each order; each process that is forked goes on here, this one ends with its input."""
    atexit.register(_spare_the_end)  # registered first, called last
    if not _IS_TRACED:
        _load_sdk()
    reports: dict[int, int] = {}
    signal.signal(signal.SIGCHLD, lambda _number, _frame: _report_ended(reports))
    with socket.socket(fileno=0) as line:
        order = _forked_for(line, reports)
    _become(order)


def _load_sdk() -> None:
    """Python collects no garbage meanwhile, and rarely later: the objects of a program last to its end."""
    spare()
    gc.disable()
    with suppress(ImportError):  # the program itself says so, and how to install it
        importlib.import_module("pulumi.runtime")
        shorten()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)


def _forked_for(line: socket.socket, reports: dict[int, int]) -> dict[str, Any]:
    """The order for which this process was forked; the one that forks does not return from here."""
    here = os.getpid()
    while True:
        head, files, _, _ = socket.recv_fds(line, _LENGTH, _FILES)
        if not head:
            os._exit(0)
        length = int.from_bytes(head, "big")
        text = b""
        while len(text) < length:
            part = line.recv(length - len(text))
            if not part:
                os._exit(0)
            text += part
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})  # until it is known where to report the end
        number = os.fork()
        if not number:
            line.detach()  # its number is that of the input
            _settle(here, files)
            for each in (*files, *reports.values()):
                os.close(each)
            return json.loads(text)
        with suppress(OSError):  # it has ended
            os.setpgid(number, number)  # here too: whoever reads the report may signal the group
        with suppress(BrokenPipeError):
            os.write(files[_REPORT], b"%d\n" % number)
        reports[number] = files.pop(_REPORT)
        for each in files:
            os.close(each)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})


def _report_ended(reports: dict[int, int]) -> None:
    """Report every process that has ended."""
    with suppress(ChildProcessError):  # there is none any more
        while True:
            number, status = os.waitpid(-1, os.WNOHANG)
            if not number:
                return
            with suppress(BrokenPipeError), os.fdopen(reports.pop(number), "wb") as report:
                report.write(b"%d\n" % os.waitstatus_to_exitcode(status))


def _settle(parent: int, files: list[int]) -> None:
    """Be a process group with these files, for as long as the process `parent` lives."""
    os.setpgid(0, 0)
    die_with(parent, signal.SIGKILL)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    for number, file in enumerate(files[:_REPORT]):
        os.dup2(file, number)


def _become(order: dict[str, Any]) -> None:
    """Wait for the rest, and run what was ordered."""
    os.environ.clear()
    os.environ.update(order["environment"])
    if order["folder"]:
        os.chdir(order["folder"])
    if order["unbuffered"]:
        _write_at_once()
    *option, name = order["target"]
    if not sys.flags.safe_path:
        sys.path.insert(0, os.getcwd() if option else os.path.dirname(name))  # noqa: PTH109, PTH120  as Python does
    if _IS_TRACED:
        _load_sdk()
    if order["late_types"]:
        make_types_late()
    _preload(order["preload"])
    rest = _standard_input()
    if not rest:
        return
    told = json.loads(rest)
    os.environ.update(told["environment"])
    sys.argv = [name, *told["arguments"]]
    if option:
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(name, run_name="__main__")


def _write_at_once() -> None:
    """As the interpreter's flag `-u` has it."""
    for name in ("stdout", "stderr"):
        old = getattr(sys, name)
        raw = open(old.fileno(), "wb", buffering=0, closefd=False)  # noqa: SIM115  it lasts as long as the process
        new = io.TextIOWrapper(raw, encoding=old.encoding, errors=old.errors, write_through=True)
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


def _preload(module: str) -> None:
    """Load the module, if one is named; from now on Python collects garbage."""
    if module:
        with suppress(Exception):  # whatever it is: the program meets it again, and Pulumi's script reports it
            importlib.import_module(module)
        gc.freeze()
    gc.enable()


def _spare_the_end() -> None:
    """Write what files hold that are still open, and have Python seek no garbage: a sixth of a preview's time."""
    for each in gc.get_objects():
        if type(each) in _WRITING:
            with suppress(OSError, ValueError):  # ValueError: closed
                each.flush()
    gc.freeze()


def _standard_input() -> bytes:
    """All of it, read beside `sys.stdin`, which then has nothing, as that of every program."""
    with open(0, "rb", closefd=False) as given:
        return given.read()


if __name__ == "__main__":
    main()
