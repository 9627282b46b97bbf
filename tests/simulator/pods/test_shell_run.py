"""Small shell scripts as the simulator runs them: what they print, how long they take, what they leave in files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from simulator.pods.shell import ShellSyntaxError
from simulator.pods.shell_machine import ScriptEndError
from simulator.pods.shell_run import Shell

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass
class Machine:
    """A machine on which time passes at once, and that gets SIGTERM and SIGKILL at given moments."""

    root: Path
    told_at: float = float("inf")
    killed_at: float = float("inf")
    time: float = 0.0
    lines: list[str] = field(default_factory=list[str])

    def say(self, line: str) -> None:
        """Keep a line."""
        self.lines.append(line)

    def sleep(self, seconds: float, *, until_signal: bool) -> None:
        """Let time pass."""
        end = self.time + seconds
        self.time = min(end, self.told_at) if until_signal else end
        if self.time >= self.killed_at:
            raise ScriptEndError(-9)

    def is_told_to_end(self) -> bool:
        """Whether the moment has come, once."""
        is_told = self.time >= self.told_at
        if is_told:
            self.told_at = float("inf")
        return is_told

    def path(self, inside: str) -> Path:
        """Below the test's folder."""
        return self.root / inside.lstrip("/")

    def other(self, words: Sequence[str]) -> int:
        """Keep the words."""
        self.lines.append(f"other: {' '.join(words)}")
        return 0


def run(machine: Machine, script: str, **variables: str) -> int:
    """The exit code of a script."""
    return Shell(machine, dict(variables)).run(script)


_TRAINING = """
mkdir -p $CKPT
step=$(cat $CKPT/step 2>/dev/null || echo 0)
echo "starts at step $step"
while [ $step -lt ${STEPS:-30} ]; do
  sleep 6
  step=$((step + 10)); echo $step > $CKPT/step
  echo "step $step"
done
"""


def test_a_training_loop_continues_from_its_checkpoint(tmp_path: Path) -> None:
    first = Machine(tmp_path, killed_at=15)
    assert run(first, _TRAINING, CKPT="/ckpt") == -9
    assert first.lines == ["starts at step 0", "step 10", "step 20"]
    second = Machine(tmp_path)
    assert run(second, _TRAINING, CKPT="/ckpt") == 0
    assert (second.lines, second.time) == (["starts at step 20", "step 30"], 6)
    assert (tmp_path / "ckpt/step").read_text() == "30\n"


def test_a_trap_writes_a_checkpoint_when_the_wait_is_interrupted(tmp_path: Path) -> None:
    script = 'save() { echo 7 > /step; echo saved; }; trap "save; exit 143" TERM; sleep 60 & wait; echo over'
    machine = Machine(tmp_path, told_at=10)
    assert run(machine, script) == 143
    assert (machine.lines, machine.time) == (["saved"], 10)
    assert (tmp_path / "step").read_text() == "7\n"


def test_a_trap_waits_for_the_command_in_the_foreground(tmp_path: Path) -> None:
    machine = Machine(tmp_path, told_at=10)
    assert run(machine, "trap 'exit 3' TERM; sleep 60; echo over") == 3
    assert (machine.lines, machine.time) == ([], 60)


@pytest.mark.parametrize(
    ("script", "lines", "code"),
    [
        ("for i in a 'b c' $(seq 2); do echo \"<$i>\"; done", ["<a>", "<b c>", "<1>", "<2>"], 0),
        ("i=0; until [ $i -eq 3 ]; do i=$((i + 1)); [ $i = 2 ] && continue; echo $i; done", ["1", "3"], 0),
        ("while true; do echo once; break; done; exit 5", ["once"], 5),
        ("if [ -f /no ]; then echo a; elif [ 1 -gt 0 ]; then echo b; else echo c; fi", ["b"], 0),
        ("if [ -z x ]; then echo a; else echo c; fi", ["c"], 0),
        ("! false && echo so", ["so"], 0),
        ("false || { echo or; false; }", ["or"], 1),
        ("set -e; false; echo never", [], 1),
        ("set -e; if false; then :; fi; false || true; echo on", ["on"], 0),
        ("f() { return 4; echo never; }; f; echo $?", ["4"], 0),
        ("echo a > /x; echo b >> /x; cat /x; cat /none 2> /dev/null || echo none", ["a", "b", "none"], 0),
        ("cat /none", ["cat: /none: No such file or directory"], 1),
        ("X=1; export Y=2; echo ${X}-$Y-${Z:-3}-${X:+4}-'$X'-\"\\$X\"", ["1-2-3-4-$X-$X"], 0),
        ("printf '%s of %d\\n' 1 2; mkdir -p /d; touch /d/f; mv /d/f /d/g; [ -e /d/g ] && rm -r /d", ["1 of 2"], 0),
        ("[ a -lt 1 ]", ["[simulator] not run: test a -lt 1"], 2),
        ("python train.py --x", ["other: python train.py --x"], 0),
        ("exec sleep 5", [], 0),
        ("echo $((7 / 2)) $((-7 % 3)) $((2 * (3 + 4)))", ["3 -1 14"], 0),
    ],
)
def test_scripts_print_what_a_shell_prints(tmp_path: Path, script: str, lines: list[str], code: int) -> None:
    machine = Machine(tmp_path)
    assert run(machine, script) == code
    assert machine.lines == lines


@pytest.mark.parametrize(
    "script",
    ["cat x | sort", "case a in a) echo b;; esac", "while true; do echo", "(echo a)", "echo `date`", "sleep x &"],
)
def test_other_scripts_are_refused(tmp_path: Path, script: str) -> None:
    with pytest.raises(ShellSyntaxError):
        run(Machine(tmp_path), script)
