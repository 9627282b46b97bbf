"""The program's process, which waits while policy packs start."""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from pulumi.runtime.proto.language_pb2 import AboutRequest, GetRequiredPackagesRequest, ProgramInfo, RunPluginRequest

from tests.toolchain.calls import Call
from toolchain.language_host.ahead import Ahead
from toolchain.language_host.forks import Forks
from toolchain.language_host.interpreter import Interpreter
from toolchain.language_host.programs import Program, Programs
from toolchain.language_host.service import LanguageHost

if TYPE_CHECKING:
    from collections.abc import Generator
    from socket import socket

    import grpc

    from toolchain.language_host.programs import Call as EngineCall
    from toolchain.language_host.programs import Process

OWN = Interpreter(Path(sys.executable), None)


class Counting(Programs):
    """The host's processes, counted: an interpreter is one, and each process that it forks."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[Program] = []

    def watch(self, process: Process, call: EngineCall | None = None, line: socket | None = None) -> Program:
        self.started.append(super().watch(process, call, line))
        return self.started[-1]


@pytest.fixture
def programs() -> Generator[Counting]:
    made = Counting()
    yield made
    made.kill_all()


@pytest.fixture
def writing(tmp_path: Path) -> Path:
    """A script that writes a variable into the file that it is given: the output of programs is the host's own."""
    made = tmp_path / "writing.py"
    made.write_text("import os, sys; open(sys.argv[1], 'w').write(os.environ['TOLD'])")
    return made


def test_the_program_runs_in_the_process_that_waits(programs: Counting, writing: Path) -> None:
    ahead = Ahead(Forks(programs), str(writing))
    ahead.expect(OWN)
    ahead.start()
    ahead.start()
    _, waiting = programs.started
    program = ahead.run(OWN, [str(writing.parent / "out")], {"TOLD": "first"}, Call())
    assert program is waiting
    assert program.wait() == 0
    assert (writing.parent / "out").read_text() == "first"


def test_without_one_that_waits_the_program_runs_all_the_same(programs: Counting, writing: Path) -> None:
    ahead = Ahead(Forks(programs), str(writing))
    ahead.start()  # nobody has asked about a program yet
    assert programs.started == []
    for word in ("first", "second"):
        assert ahead.run(OWN, [str(writing.parent / word)], {"TOLD": word}, Call()).wait() == 0
        assert (writing.parent / word).read_text() == word


def test_one_of_another_environment_is_ended(programs: Counting, writing: Path, tmp_path: Path) -> None:
    ahead = Ahead(Forks(programs), str(writing))
    ahead.expect(Interpreter(OWN.path, tmp_path))
    ahead.start()
    program = ahead.run(OWN, [str(tmp_path / "out")], {"TOLD": "own"}, Call())
    _, waited, _, ran = programs.started
    assert (waited.wait(), waited.was_killed) == (-9, True)
    assert (program is ran, ran.wait()) == (True, 0)


def test_the_program_is_in_its_virtual_environment(programs: Counting, writing: Path, tmp_path: Path) -> None:
    writing.write_text("import os, sys; open(sys.argv[1], 'w').write(os.environ['VIRTUAL_ENV'])")
    ahead = Ahead(Forks(programs), str(writing))
    assert ahead.run(Interpreter(OWN.path, tmp_path / "venv"), [str(tmp_path / "out")], {}, Call()).wait() == 0
    assert (tmp_path / "out").read_text() == str(tmp_path / "venv")


def test_the_program_ends_with_its_call(programs: Counting, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import time; time.sleep(600)")
    ahead, call = Ahead(Forks(programs), str(script)), Call()
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


def test_the_program_starts_beside_the_first_pack(programs: Counting, tmp_path: Path) -> None:
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
    assert started == [0, 2, 2]  # an interpreter, and the program that it forks
