"""Run `python SCRIPT ARGUMENTS...` or `python -m MODULE ARGUMENTS...`, with the SDK loaded before the rest is known.

Started with the name of a module to load after the SDK, or an empty string, and the words up to the arguments, by the
interpreter that is to run them, which need not know this package. The rest is read from standard input once the SDK is
there: one JSON object with `arguments`, and with `environment`, variables to add. When the input ends without it,
nothing runs.
"""

import atexit
import gc
import importlib
import io
import json
import os
import runpy
import sys
from contextlib import suppress

if sys.flags.safe_path:  # PYTHONSAFEPATH=1: the folder of a script is not on its path
    sys.path.insert(0, os.path.dirname(__file__))  # noqa: PTH120
from sparing import spare
from traces import shorten

_NEW_OBJECTS = 100_000
"""How many objects are made before Python looks for garbage among them; by default 700."""
_WRITING = {io.BufferedRandom, io.BufferedWriter, io.TextIOWrapper}
"""Files that hold text or bytes back until they are flushed."""


def main(preload: str, option: str | None, name: str) -> None:
    """Load the SDK and `preload`, wait, and become the script or, with the option `-m`, the module `name`."""
    atexit.register(_spare_the_end)  # registered first, called last
    sys.path[0] = os.getcwd() if option else os.path.dirname(name)  # noqa: PTH109, PTH120  as the interpreter has it
    _load(preload)
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


def _load(preload: str) -> None:
    """Python collects no garbage meanwhile, and rarely later: the objects of a program last to its end."""
    spare()
    gc.disable()
    with suppress(ImportError):  # the program itself says so, and how to install it
        importlib.import_module("pulumi.runtime")
        shorten()
    if preload:
        with suppress(Exception):  # whatever it is: the program meets it again, and Pulumi's script reports it
            importlib.import_module(preload)
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)
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
    preload, *before, last = sys.argv[1:]
    main(preload, before[0] if before else None, last)
