"""What the real SDK tells of the place where a program made a resource, run by this host; the monitor is a mock."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from toolchain.language_host.forks import Forks, rest
from toolchain.language_host.interpreter import Interpreter
from toolchain.language_host.programs import Programs

_PROGRAM: Final = """
import json, pulumi
from pulumi.runtime import mocks

class Monitor(mocks.MockMonitor):
    def RegisterResource(self, request):
        told[request.name] = [frame.pc.uri.rpartition("/")[2] for frame in request.stackTrace.frames]
        places[request.name] = request.sourcePosition.line
        return super().RegisterResource(request)

class Made(mocks.Mocks):
    def new_resource(self, args):
        return args.name, {}

    def call(self, args):
        return {}

class Part(pulumi.ComponentResource):
    def __init__(self, name):
        super().__init__("test:index:Part", name)

def outer():
    inner()

def inner():
    Part("part")

told, places, made = {}, {}, Made()
mocks.set_mocks(made, monitor=Monitor(made))
pulumi.runtime.test(outer)()
print(json.dumps([told["part"], places["part"]]))
"""


def _told_by_host(program: Path) -> str:
    programs = Programs()
    interpreter = Interpreter(Path(sys.executable), None)
    process = Forks(programs).start(interpreter, str(program), folder=None, environment=os.environ, piped=True)
    process.tell(rest([], {}))
    told = b"".join(chunk for stream, chunk in process.output() if stream == "stdout").decode()
    programs.kill_all()
    return told


def test_the_frames_of_the_program_are_told_and_no_others(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(_PROGRAM)
    whole, line = json.loads(subprocess.run([sys.executable, program], stdout=subprocess.PIPE, check=True).stdout)
    called = whole.index("stack.py")  # by the SDK; the mocks have a frame of their own below the program's
    assert whole[:called] == ["program.py", "program.py", "mocks.py"]
    assert len(whole) > called + 1
    assert json.loads(_told_by_host(program)) == [whole[:called], line]
