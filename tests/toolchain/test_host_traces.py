"""What the real SDK tells the engine of the place where a program made a resource; the monitor is the SDK's mock."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

from toolchain.language_host import traces

_HOST: Final = str(Path(traces.__file__).parent)
_PROGRAM: Final = """
import json, pulumi, sys
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
if sys.argv[1:]:
    import traces
    traces.shorten()
pulumi.runtime.test(outer)()
print(json.dumps([told["part"], places["part"]]))
"""


def _told(folder: Path, *arguments: str) -> tuple[list[str], int]:
    program = folder / "program.py"
    program.write_text(f"import sys\nsys.path.insert(0, {_HOST!r})\n{_PROGRAM}")
    done = subprocess.run([sys.executable, program, *arguments], capture_output=True, text=True, check=True)
    frames, line = json.loads(done.stdout)
    return frames, line


def test_the_frames_of_the_program_are_told_and_no_others(tmp_path: Path) -> None:
    whole, line = _told(tmp_path)
    called = whole.index("stack.py")  # by the SDK; the mocks have a frame of their own below the program's
    assert whole[:called] == ["program.py", "program.py", "mocks.py"]
    assert len(whole) > called + 1
    assert _told(tmp_path, "short") == (whole[:called], line)
