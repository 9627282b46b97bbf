"""A machine to build tools on, with a `go` that compiles nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from simulator.toolchain.golang import executable
from simulator.toolchain.tool import read_pin
from simulator.toolchain.tools import find_tool

if TYPE_CHECKING:
    from collections.abc import Generator

_MODULES = Path(__file__).parents[2] / "simulator" / "toolchain" / "modules"
FAKE_GO = """#!/bin/sh
# Doubles the go command: it answers what the toolchain asks of Go, notes each build, and writes an empty file where Go
# would write a binary. Files beside it steer it: `version` is what it calls itself, `fail-NAME` makes the build of NAME
# (as Go names it) fail, `gate-NAME` makes it wait until that file is gone, `gate-list` makes `go list` wait; with
# `stubborn` it only notes an interrupt.
here=${0%/*}
case "$1 $2" in
  "env GOVERSION") cat "$here/version"; exit ;;
  "mod download") echo "$3" >> "$here/downloads"; exit ;;
  "list -m") shift 4; echo "$*" >> "$here/asks"; for module; do echo "$module $here/modules/$module"; done; exit ;;
esac
[ -e "$here/stubborn" ] && trap ': > "$here/interrupted"' INT
if [ "$1" = list ]; then
  echo "go: downloading example.com/a v1.0.0" >&2
  while [ -e "$here/gate-list" ]; do : > "$here/lists"; sleep 0.02; done
  printf 'example.com/a\\nmain\\n'
  exit
fi
while [ "$1" != -o ]; do shift; done
folder=$2
shift 2
echo "$*" >> "$here/calls"
for package; do
  name=${package##*/}
  case $name in v[0-9]*) name=${package%/*} name=${name##*/} ;; esac
  echo "$$ $GOOS/$GOARCH $GOFLAGS $GOTOOLCHAIN" >> "$here/builds-$name"
  while [ -e "$here/gate-$name" ]; do sleep 0.02; done
  printf 'internal/a\\nexample.com/a\\nmain\\n' >&2
  [ -e "$here/fail-$name" ] && { printf '# example.com/a\\na.go:1:2: undefined: b\\n' >&2; exit 1; }
  : > "$folder$name"
done
"""


@dataclass
class Machine:
    """A cache, a PATH with the fake Go on it, and commands of the toolchain that run there."""

    root: Path
    running: list[subprocess.Popen[str]] = field(default_factory=list[subprocess.Popen[str]])
    """What `start` started."""

    @property
    def go(self) -> Path:
        """The folder of the fake Go."""
        return self.root / "go"

    @property
    def cache(self) -> Path:
        return self.root / "cache"

    @property
    def calls(self) -> list[str]:
        """The packages of each call that built something."""
        return (self.go / "calls").read_text().splitlines()

    @property
    def kept(self) -> list[str]:
        """Names of what lies in the cache, but for the lock files."""
        return sorted(path.name for path in (self.cache / "tools").glob("*") if path.suffix != ".lock")

    def builds(self, name: str) -> list[str]:
        """What the fake Go noted about each build of the tool `name`."""
        notes = self.go / f"builds-{executable(find_tool(name).package)}"
        return notes.read_text().splitlines() if notes.exists() else []

    def install(self, name: str, says: str) -> Path:
        """Put an executable on the PATH that doubles an installed `name`: it prints `says`, whatever it is asked."""
        program = self.root / "bin" / name
        program.write_text(f"#!/bin/sh\necho '{says}'\n")
        program.chmod(0o755)
        return program

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start `tpu tools` with `arguments`; it is ended with the test."""
        process = subprocess.Popen(
            [sys.executable, "-m", "simulator.toolchain", *arguments],
            env={**os.environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.running.append(process)
        return process


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Machine]:
    made = Machine(tmp_path)
    (tmp_path / "bin").mkdir()
    made.go.mkdir()
    (made.go / "go").write_text(FAKE_GO)
    (made.go / "go").chmod(0o755)
    (made.go / "version").write_text("go1.999.0\n")
    monkeypatch.setenv("PATH", f"{made.go}:{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("TPU_PLATFORM_CACHE", str(made.cache))
    monkeypatch.delenv("TPU_PLATFORM_TOOLS", raising=False)
    yield made
    for process in made.running:
        process.kill()
        process.communicate()


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """A copy of the pins that a test may change."""
    copied = tmp_path / "toolchain"
    for module in ("control-plane", "actionlint"):
        folder = copied / "modules" / module
        folder.mkdir(parents=True)
        for name in ("go.mod", "go.sum", "tools.go"):
            (folder / name).write_bytes((_MODULES / module / name).read_bytes())
    monkeypatch.setattr("simulator.toolchain.tool.TOOLCHAIN", copied)
    read_pin.cache_clear()
    yield copied / "modules"
    read_pin.cache_clear()
