"""What the real SDK tells of the place where a program made a resource, run by this host; the monitor is a mock."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

from toolchain import language_host

_WAITING: Final = Path(language_host.__file__).parent / "waiting.py"
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


def _told(folder: Path, *host: str | Path) -> tuple[list[str], int]:
    program = folder / "program.py"
    program.write_text(_PROGRAM)
    rest = json.dumps({"arguments": [], "environment": {}})
    done = subprocess.run(
        [sys.executable, *host, program], input=rest, capture_output=True, text=True, check=True, timeout=60
    )
    frames, line = json.loads(done.stdout)
    return frames, line


def test_the_frames_of_the_program_are_told_and_no_others(tmp_path: Path) -> None:
    whole, line = _told(tmp_path)
    called = whole.index("stack.py")  # by the SDK; the mocks have a frame of their own below the program's
    assert whole[:called] == ["program.py", "program.py", "mocks.py"]
    assert len(whole) > called + 1
    assert _told(tmp_path, _WAITING, "") == (whole[:called], line)
