"""Processes of the language host that load the SDK before they know what they are to run."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from pulumi.runtime.proto.language_pb2 import AboutRequest, GetRequiredPackagesRequest, ProgramInfo, RunPluginRequest

from tests.eventually import eventually
from tests.toolchain.calls import Call
from toolchain.language_host.ahead import Ahead, rest, waiting_command
from toolchain.language_host.interpreter import Interpreter
from toolchain.language_host.programs import Program, Programs
from toolchain.language_host.service import LanguageHost

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    import grpc

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


class Counting(Programs):
    """The host's processes, counted."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[Program] = []

    def start(self, *arguments: object, **options: object) -> Program:
        program = super().start(*arguments, **options)  # pyright: ignore[reportArgumentType]  as they came
        self.started.append(program)
        return program


@pytest.fixture
def programs() -> Generator[Counting]:
    made = Counting()
    yield made
    made.kill_all()


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A program, which is a module of its folder too."""
    made = tmp_path / "telling.py"
    made.write_text(TELLING)
    return made


def start(programs: Programs, folder: Path, *target: str, flags: tuple[str, ...] = (), **variables: str) -> Program:
    return programs.start(
        waiting_command(OWN, *target, flags=flags),
        folder=str(folder),
        environment={**os.environ, **variables},
        piped=True,
        waits=True,
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


def test_a_script_sees_no_difference(programs: Counting, script: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    program = start(programs, elsewhere, str(script))
    program.tell(rest(["a", "b c"], {"TOLD": "ü"}))
    assert json.loads(said(program)) == as_python_starts(elsewhere, str(script))


def test_a_module_sees_no_difference(programs: Counting, script: Path) -> None:
    program = start(programs, script.parent, "-m", "telling")
    program.tell(rest(["a", "b c"], {"TOLD": "ü"}))
    assert json.loads(said(program)) == as_python_starts(script.parent, "-m", "telling")


def test_the_sdk_is_there_before_the_rest_is_known(programs: Counting, script: Path, tmp_path: Path) -> None:
    sdk = tmp_path / "doubled" / "pulumi"  # doubles the SDK, which leaves no trace of when it was loaded
    sdk.mkdir(parents=True)
    (sdk / "__init__.py").touch()
    loaded = tmp_path / "loaded"
    (sdk / "runtime.py").write_text(f"open({str(loaded)!r}, 'w').close()")
    program = start(programs, tmp_path, str(script), PYTHONPATH=str(sdk.parent))
    eventually(loaded.exists, what="the SDK is loaded")
    program.tell(rest([], {}))
    assert json.loads(said(program))["name"] == "__main__"


def test_a_module_of_the_project_is_there_too(programs: Counting, script: Path, tmp_path: Path) -> None:
    loaded = tmp_path / "loaded"
    (tmp_path / "early.py").write_text(f"open({str(loaded)!r}, 'w').close()")
    command = waiting_command(replace(OWN, preload="early"), str(script))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    program = programs.start(command, folder=str(tmp_path), environment=environment, piped=True, waits=True)
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
    programs: Counting, tmp_path: Path, text: str | None, error: str
) -> None:
    if text is not None:
        (tmp_path / "early.py").write_text(text)
    script = tmp_path / "script.py"
    script.write_text("try:\n    import early\nexcept Exception as error:\n    print(type(error).__name__)")
    command = waiting_command(replace(OWN, preload="early"), str(script))
    program = programs.start(command, folder=None, environment=os.environ, piped=True, waits=True)
    program.tell(rest([], {}))
    assert said(program) == f"{error}\n"


def test_the_sdk_that_is_loaded_is_the_programs(programs: Counting, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys; print('pulumi.runtime' in sys.modules)")
    program = start(programs, tmp_path, str(script))
    program.tell(rest([], {}))
    assert said(program) == "True\n"


def test_without_the_sdk_the_script_runs_and_may_say_so(programs: Counting, script: Path) -> None:
    program = start(programs, script.parent, str(script), flags=("-S",))  # -S: nothing that is installed
    program.tell(rest([], {}))
    assert json.loads(said(program))["name"] == "__main__"


def test_a_module_of_the_folder_does_not_stand_in_for_one_of_the_sdk(programs: Counting, tmp_path: Path) -> None:
    script = tmp_path / "elsewhere" / "script.py"
    script.parent.mkdir()
    script.write_text("print('ran')")
    (tmp_path / "queue.py").write_text("raise ValueError('it is no module of the script')")
    program = start(programs, tmp_path, str(script))
    program.tell(rest([], {}))
    assert said(program) == "ran\n"


def test_an_end_without_the_rest_runs_nothing(programs: Counting, script: Path) -> None:
    program = start(programs, script.parent, str(script))
    program.tell(b"")
    assert said(program) == ""


def test_at_the_end_handlers_run_and_files_are_written_but_no_garbage_is_sought(
    programs: Counting, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text(LEAVING)
    program = start(programs, tmp_path, str(script))
    program.tell(rest([], {}))
    assert b"".join(chunk for _, chunk in program.output()) == b"handler\n"
    assert program.wait() == 3
    assert (tmp_path / "text").read_text() + (tmp_path / "data").read_text() == "textdata"


def test_the_exit_code_is_the_scripts(programs: Counting, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys; sys.exit(32)")
    program = start(programs, tmp_path, str(script))
    program.tell(rest([], {}))
    assert (list(program.output()), program.wait()) == ([], 32)


def test_one_that_has_ended_is_told_in_vain(programs: Counting, script: Path) -> None:
    program = start(programs, script.parent, str(script))
    program.kill()
    assert (list(program.output()), program.wait()) == ([], -9)
    program.tell(rest([], {}))


@pytest.fixture
def writing(tmp_path: Path) -> Path:
    """A script that writes a variable into the file that it is given: the output of programs is the host's own."""
    made = tmp_path / "writing.py"
    made.write_text("import os, sys; open(sys.argv[1], 'w').write(os.environ['TOLD'])")
    return made


def test_the_program_runs_in_the_process_that_waits(programs: Counting, writing: Path) -> None:
    ahead = Ahead(programs, str(writing))
    ahead.expect(OWN)
    ahead.start()
    ahead.start()
    assert len(programs.started) == 1
    program = ahead.run(OWN, [str(writing.parent / "out")], {"TOLD": "first"}, Call())
    assert program is programs.started[0]
    assert program.wait() == 0
    assert (writing.parent / "out").read_text() == "first"


def test_without_one_that_waits_the_program_runs_all_the_same(programs: Counting, writing: Path) -> None:
    ahead = Ahead(programs, str(writing))
    ahead.start()  # nobody has asked about a program yet
    assert programs.started == []
    for word in ("first", "second"):
        assert ahead.run(OWN, [str(writing.parent / word)], {"TOLD": word}, Call()).wait() == 0
        assert (writing.parent / word).read_text() == word


def test_one_of_another_environment_is_ended(programs: Counting, writing: Path, tmp_path: Path) -> None:
    ahead = Ahead(programs, str(writing))
    ahead.expect(Interpreter(OWN.path, tmp_path))
    ahead.start()
    program = ahead.run(OWN, [str(tmp_path / "out")], {"TOLD": "own"}, Call())
    waited, ran = programs.started
    assert (waited.wait(), waited.was_killed) == (-9, True)
    assert (program is ran, ran.wait()) == (True, 0)


def test_the_program_is_in_its_virtual_environment(programs: Counting, writing: Path, tmp_path: Path) -> None:
    writing.write_text("import os, sys; open(sys.argv[1], 'w').write(os.environ['VIRTUAL_ENV'])")
    ahead = Ahead(programs, str(writing))
    assert ahead.run(Interpreter(OWN.path, tmp_path / "venv"), [str(tmp_path / "out")], {}, Call()).wait() == 0
    assert (tmp_path / "out").read_text() == str(tmp_path / "venv")


def test_the_program_ends_with_its_call(programs: Counting, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import time; time.sleep(600)")
    ahead, call = Ahead(programs, str(script)), Call()
    ahead.expect(OWN)
    ahead.start()
    program = ahead.run(OWN, [], {}, call)
    call.give_up()
    assert (program.wait(), program.was_killed) == (-9, True)


@pytest.mark.parametrize("is_own", [True, False])
def test_the_hosts_own_interpreter_is_described_without_a_process(
    programs: Counting, tmp_path: Path, *, is_own: bool
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    info = ProgramInfo(root_directory=str(tmp_path))
    info.options["virtualenv"] = sys.prefix if is_own else str(tmp_path)
    host = LanguageHost(programs, language_exec="exec", engine="e:1", tracing="", version="1.0.0")
    about = host.About(AboutRequest(info=info), cast("grpc.ServicerContext", Call()))
    assert about.version == platform.python_version()
    assert (about.executable == sys.executable, len(programs.started)) == (is_own, 0 if is_own else 1)


def test_the_program_loads_the_sdk_beside_the_first_pack(programs: Counting, tmp_path: Path) -> None:
    (tmp_path / "__main__.py").touch()
    host = LanguageHost(programs, language_exec=str(tmp_path / "exec"), engine="e:1", tracing="", version="1.0.0")
    info = ProgramInfo(root_directory=str(tmp_path), program_directory=str(tmp_path), entry_point=".")
    call, pack = Call(), RunPluginRequest(kind="analyzer", info=info)
    context = cast("grpc.ServicerContext", call)
    packs = [host.RunPlugin(pack, context) for _ in range(3)]
    started: list[int] = []
    for at, each in enumerate(packs):
        if at == 1:  # the first is as for `pulumi policy analyze`, which runs no program
            host.GetRequiredPackages(GetRequiredPackagesRequest(info=info), context)
        next(each)
        started.append(len(programs.started))
    call.give_up()
    assert [list(each) for each in packs] == [[], [], []]
    assert started == [0, 1, 1]
