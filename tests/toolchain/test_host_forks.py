"""Processes that are forked by an interpreter that has loaded the SDK, before they know what they are to run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from socket import SHUT_WR, send_fds, socketpair
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from tests.eventually import eventually
from toolchain.language_host.forks import WAITING, Forks, rest
from toolchain.language_host.interpreter import Interpreter
from toolchain.language_host.programs import Program, Programs

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

LIMIT = 30.0
"""Seconds after which a test fails that waits for a thread."""
OWN = Interpreter(Path(sys.executable), None)
TELLING = """
import gc, json, os, sys
seen = {
    "arguments": sys.argv, "path": sys.path, "name": __name__, "file": __file__, "input": sys.stdin.read(),
    "main": sys.modules["__main__"].__file__, "variable": os.environ.get("TOLD"), "folder": os.getcwd(),
    "collects": gc.isenabled(),
}
print(json.dumps(seen))
"""
"""A program that tells how it was started."""
LEAVING = """
import atexit, sys
class Told:
    def __del__(self):
        print("object")
    def __init__(self):
        self.itself = self
cycle = Told()
text, data, closed = open("text", "w"), open("data", "wb"), open("closed", "w")
text.write("text")
data.write(b"data")
closed.close()
atexit.register(print, "handler")
sys.exit(3)
"""
"""A program that leaves open files, a handler and a reference cycle for the end."""


@pytest.fixture
def forks() -> Generator[Forks]:
    programs = Programs()
    yield Forks(programs)
    programs.kill_all()


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A program, which is a module of its folder too."""
    made = tmp_path / "telling.py"
    made.write_text(TELLING)
    return made


def start(
    forks: Forks,
    folder: Path | None,
    *target: str,
    interpreter: Interpreter = OWN,
    unbuffered: bool = False,
    **more: str,
) -> Program:
    """A process whose environment has variables `more`."""
    return forks.start(
        interpreter,
        *target,
        folder=str(folder) if folder else None,
        environment={**os.environ, **more},
        piped=True,
        unbuffered=unbuffered,
    )


def said(program: Program) -> str:
    """What it writes until it ends well."""
    output = list(program.output())
    assert program.wait() == 0, output
    return b"".join(chunk for stream, chunk in output if stream == "stdout").decode()


def as_python_starts(folder: Path, *target: str) -> Mapping[str, object]:
    done = subprocess.run(
        [sys.executable, *target, "a", "b c"],
        cwd=folder,
        env={**os.environ, "TOLD": "ü"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_a_script_sees_no_difference(forks: Forks, script: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    program = start(forks, elsewhere, str(script))
    program.tell(rest(["a", "b c"], {"TOLD": "ü"}))
    assert json.loads(said(program)) == as_python_starts(elsewhere, str(script))


def test_a_module_sees_no_difference(forks: Forks, script: Path) -> None:
    program = start(forks, script.parent, "-m", "telling")
    program.tell(rest(["a", "b c"], {"TOLD": "ü"}))
    assert json.loads(said(program)) == as_python_starts(script.parent, "-m", "telling")


def test_the_sdk_is_there_before_the_rest_is_known(forks: Forks, script: Path, tmp_path: Path) -> None:
    sdk = tmp_path / "doubled" / "pulumi"  # doubles the SDK, which leaves no trace of when it was loaded
    sdk.mkdir(parents=True)
    (sdk / "__init__.py").touch()
    loaded = tmp_path / "loaded"
    (sdk / "runtime.py").write_text(f"open({str(loaded)!r}, 'w').close()")
    program = start(forks, tmp_path, str(script), PYTHONPATH=str(sdk.parent))
    eventually(loaded.exists, what="the SDK is loaded")
    program.tell(rest([], {}))
    assert json.loads(said(program))["name"] == "__main__"


def test_a_module_of_the_project_is_there_too(forks: Forks, script: Path, tmp_path: Path) -> None:
    loaded = tmp_path / "loaded"
    (tmp_path / "early.py").write_text(f"open({str(loaded)!r}, 'w').close()")
    early = replace(OWN, preload="early")
    program = start(forks, tmp_path, str(script), interpreter=early, PYTHONPATH=str(tmp_path))
    eventually(loaded.exists, what="the module is loaded")
    program.tell(rest([], {}))
    assert json.loads(said(program))["name"] == "__main__"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (None, "ModuleNotFoundError"),
        ("oops(", "SyntaxError"),
        ("oops", "NameError"),
        ("import oops", "ModuleNotFoundError"),
    ],
)
def test_the_program_itself_meets_the_error_of_such_a_module(
    forks: Forks, tmp_path: Path, text: str | None, error: str
) -> None:
    if text is not None:
        (tmp_path / "early.py").write_text(text)
    script = tmp_path / "script.py"
    script.write_text("try:\n    import early\nexcept Exception as error:\n    print(type(error).__name__)")
    program = start(forks, None, str(script), interpreter=replace(OWN, preload="early"))
    program.tell(rest([], {}))
    assert said(program) == f"{error}\n"


def test_the_sdk_that_is_loaded_is_the_programs(forks: Forks, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys; print('pulumi.runtime' in sys.modules)")
    program = start(forks, tmp_path, str(script))
    program.tell(rest([], {}))
    assert said(program) == "True\n"


def test_without_the_sdk_the_script_runs_and_may_say_so(forks: Forks, script: Path, tmp_path: Path) -> None:
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')  # -S: nothing that is installed
    bare.chmod(0o755)
    program = start(forks, script.parent, str(script), interpreter=Interpreter(bare, None))
    program.tell(rest([], {}))
    assert json.loads(said(program))["name"] == "__main__"


def test_a_module_of_the_folder_does_not_stand_in_for_one_of_the_sdk(forks: Forks, tmp_path: Path) -> None:
    script = tmp_path / "elsewhere" / "script.py"
    script.parent.mkdir()
    script.write_text("print('ran')")
    (tmp_path / "queue.py").write_text("raise ValueError('this folder is not on the path')")
    program = start(forks, tmp_path, str(script))
    program.tell(rest([], {}))
    assert said(program) == "ran\n"


@pytest.mark.parametrize("late", [False, True])
def test_types_are_made_late_only_for_a_program_that_says_so(forks: Forks, tmp_path: Path, *, late: bool) -> None:
    script = tmp_path / "script.py"
    script.write_text("import pulumi_gcp.storage._inputs as it; print('BucketCorArgs' in vars(it))")
    program = start(forks, tmp_path, str(script), interpreter=replace(OWN, late_types=late))
    program.tell(rest([], {}))
    assert said(program) == f"{not late}\n"


def test_an_end_without_the_rest_runs_nothing(forks: Forks, script: Path) -> None:
    program = start(forks, script.parent, str(script))
    program.tell(b"")
    assert said(program) == ""


def test_at_the_end_handlers_run_and_files_are_written_but_no_garbage_is_sought(forks: Forks, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(LEAVING)
    program = start(forks, tmp_path, str(script))
    program.tell(rest([], {}))
    assert b"".join(chunk for _, chunk in program.output()) == b"handler\n"
    assert program.wait() == 3
    assert (tmp_path / "text").read_text() + (tmp_path / "data").read_text() == "textdata"


def test_the_exit_code_is_the_scripts(forks: Forks, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys; sys.exit(32)")
    program = start(forks, tmp_path, str(script))
    program.tell(rest([], {}))
    assert (list(program.output()), program.wait()) == ([], 32)


def test_one_that_has_ended_is_told_in_vain(forks: Forks, script: Path) -> None:
    program = start(forks, script.parent, str(script))
    program.kill()
    assert (list(program.output()), program.wait()) == ([], -9)
    program.tell(rest([], {}))


def test_one_interpreter_loads_the_sdk_for_all_processes_of_an_environment(forks: Forks, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import os; print(os.getppid(), os.getpgid(0) == os.getpid(), os.environ['PULUMI_STACK'])")
    alike = [start(forks, tmp_path, str(script)) for _ in range(2)]
    # A variable that the SDK reads while it is loaded.
    other = start(forks, tmp_path, str(script), PULUMI_ENABLE_LEGACY_APPLY="true")
    lines: list[list[str]] = []
    for each, stack in zip((*alike, other), ("dev", "batch-teams", "dev"), strict=True):
        each.tell(rest([], {"PULUMI_STACK": stack}))
        lines.append(said(each).split())
    dev, teams, apart = lines
    assert dev[0] == teams[0] != apart[0]
    assert (dev[1:], teams[1:]) == (["True", "dev"], ["True", "batch-teams"])


@pytest.mark.parametrize(("variable", "is_traced"), [("TRACEPARENT", True), ("TRACED", False)])
def test_a_traced_process_loads_the_sdk_itself(forks: Forks, tmp_path: Path, variable: str, *, is_traced: bool) -> None:
    sdk = tmp_path / "doubled" / "pulumi"  # doubles the SDK, which opens a connection when it is loaded and traced
    sdk.mkdir(parents=True)
    (sdk / "__init__.py").touch()
    (sdk / "runtime.py").write_text("import os; loaded_by = os.getpid()")
    script = tmp_path / "script.py"
    script.write_text("import os; from pulumi import runtime; print(runtime.loaded_by == os.getpid())")
    environment = {**os.environ, "PYTHONPATH": str(sdk.parent), variable: "00-1-1-01"}
    program = forks.start(OWN, str(script), folder=None, environment=environment, piped=True)
    program.tell(rest([], {}))
    assert said(program) == f"{is_traced}\n"


@pytest.mark.skipif(sys.platform != "linux", reason="a process's threads are counted in /proc")
def test_the_interpreter_that_forks_has_one_thread(forks: Forks, tmp_path: Path) -> None:
    """A forked process has one thread. It would wait forever for a lock that another thread held at the fork."""
    script = tmp_path / "script.py"
    script.write_text("import os; print(os.listdir(f'/proc/{os.getppid()}/task') == [str(os.getppid())])")
    program = start(forks, tmp_path, str(script))
    program.tell(rest([], {}))
    assert said(program) == "True\n"


def test_output_comes_at_once_if_it_is_not_buffered(forks: Forks, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys, time; sys.stdout.write('ü\\n'); time.sleep(600)")
    program = start(forks, tmp_path, str(script), unbuffered=True)
    program.tell(rest([], {}))
    assert next(program.output()) == ("stdout", "ü\n".encode())


def test_an_interpreter_ends_when_an_order_breaks_off() -> None:
    ours, theirs = socketpair()
    with ours, theirs, Path(os.devnull).open("rb") as file:
        send_fds(ours, [(9).to_bytes(4), b"{"], [file.fileno()] * 4)
        ours.shutdown(SHUT_WR)
        subprocess.run([sys.executable, WAITING], stdin=theirs.fileno(), check=True, timeout=LIMIT)


def test_a_process_ends_with_its_interpreter(forks: Forks, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import os, time; os.write(1, b'%d\\n' % os.getppid()); time.sleep(600)")
    program = start(forks, tmp_path, str(script))
    program.tell(rest([], {}))
    output = program.output()
    os.kill(int(next(output)[1]), signal.SIGKILL)
    assert (list(output), program.wait(), program.was_killed) == ([], -9, False)


def test_one_is_killed_although_its_interpreter_still_loads_the_sdk(forks: Forks, tmp_path: Path) -> None:
    sdk = tmp_path / "doubled" / "pulumi"  # doubles the SDK, which is never loaded
    sdk.mkdir(parents=True)
    loading = tmp_path / "loading"
    (sdk / "__init__.py").write_text(f"import os\nos.mkfifo({str(loading)!r})\nopen({str(loading)!r})")
    program = start(forks, tmp_path, "never.py", PYTHONPATH=str(sdk.parent))
    eventually(loading.exists, what="the SDK is being loaded")
    killing = Thread(target=program.kill, daemon=True)
    killing.start()
    # Both ends, which waits for nobody: the reader may be killed before it opens its own.
    released = os.open(loading, os.O_RDWR)
    killing.join(LIMIT)
    os.close(released)
    assert (list(program.output()), program.wait(), program.was_killed) == ([], -9, True)
