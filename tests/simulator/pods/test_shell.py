"""Shell scripts with files, in a process of `pod-shell`: their output, their time, and the files that they leave."""

from __future__ import annotations

import json
import subprocess
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import pytest

from simulator.pods.script import Script, Step
from simulator.pods.shell import Shell
from simulator.toolchain.provision import locate
from simulator.toolchain.tools import POD_SHELL

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_END_SECONDS: Final = 30.0
"""Real time in which a process must have ended."""


class KilledError(Exception):
    """The machine fails."""


@dataclass
class Machine:
    """A machine on which time passes at once, and that gets SIGTERM and fails at given moments."""

    signaled_at: float = float("inf")
    killed_at: float = float("inf")
    time: float = 0.0
    lines: list[str] = field(default_factory=list[str])
    has_trap: bool = False

    def say(self, line: str) -> None:
        """Keep a line."""
        self.lines.append(line)

    def sleep(self, seconds: float, *, until_signal: bool) -> bool:
        """Let time pass."""
        end = self.time + seconds
        self.time = min(end, self.signaled_at) if until_signal else end
        if self.time >= self.killed_at:
            raise KilledError
        is_signaled = self.time >= self.signaled_at
        if is_signaled:
            self.signaled_at = float("inf")
        return is_signaled

    def need(self) -> None:
        """Everything is there."""
        raise AssertionError

    def play(self, words: Sequence[str]) -> Script:
        """Sleep, or say the words."""
        if words[0] == "sleep":
            return Script((Step(float(words[1])),))
        return Script((Step(output=f"other: {' '.join(words)}"),))


def run(machine: Machine, root: Path, script: str, *options: str, **variables: str) -> int | None:
    """The exit code of a script whose volume `/ckpt` is below `root`."""
    (root / "ckpt").mkdir(exist_ok=True)
    folders = {"/": root / "own", "/ckpt": root / "ckpt"}
    return Shell(["bash", *options, "-c", script], variables, folders).run(machine)


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
    first = Machine(killed_at=15)
    with pytest.raises(KilledError):
        run(first, tmp_path, _TRAINING, CKPT="/ckpt")
    assert first.lines == ["starts at step 0", "step 10", "step 20"]
    second = Machine()
    assert run(second, tmp_path, _TRAINING, CKPT="/ckpt") == 0
    assert (second.lines, second.time) == (["starts at step 20", "step 30"], 6)
    assert (tmp_path / "ckpt/step").read_text() == "30\n"


def test_a_trap_writes_a_checkpoint_when_the_wait_is_interrupted(tmp_path: Path) -> None:
    script = 'save() { echo 7 > /ckpt/step; echo saved; }; trap "save; exit 143" TERM; sleep 60 & wait; echo over'
    machine = Machine(signaled_at=10)
    assert run(machine, tmp_path, script) == 143
    assert (machine.lines, machine.time, machine.has_trap) == (["saved"], 10, True)
    assert (tmp_path / "ckpt/step").read_text() == "7\n"


@pytest.mark.parametrize(
    "waits",
    [
        "exec >> /ckpt/log 2>&1; sleep 60 & wait; echo over",
        "{ sleep 60 & wait; echo over; } > /ckpt/log",
        "{ sleep 60 & wait; echo over; } > /dev/null",
        "{ sleep 60 & wait; echo over; } > /dev/stdout",
        "{ sleep 60 & wait; echo over; } >&-",
    ],
)
def test_a_trap_writes_a_checkpoint_when_the_output_is_redirected(tmp_path: Path, waits: str) -> None:
    machine = Machine(signaled_at=10)
    assert run(machine, tmp_path, f"trap 'echo 7 > /ckpt/step; exit 143' TERM; {waits}") == 143
    assert (machine.lines, machine.time) == ([], 10)
    assert (tmp_path / "ckpt/step").read_text() == "7\n"


@pytest.mark.parametrize(
    "waits", ["{ sleep 60 & wait; } | cat", "x=$(sleep 60 & wait)", "{ sleep 60; } > /dev/stdout | cat"]
)
def test_a_trap_waits_for_the_end_of_a_pipe(tmp_path: Path, waits: str) -> None:
    machine = Machine(signaled_at=10)
    assert run(machine, tmp_path, f"trap 'exit 143' TERM; {waits}; sync; echo over") == 143
    assert machine.lines == []


@pytest.mark.parametrize("last", ["", "; echo over"])
def test_a_trap_waits_for_the_command_in_the_foreground(tmp_path: Path, last: str) -> None:
    machine = Machine(signaled_at=10)
    assert run(machine, tmp_path, f"trap 'exit 3' TERM; sleep 60{last}") == 3
    assert (machine.lines, machine.time) == ([], 60)


def test_commands_of_a_pipe_sleep_one_after_the_other(tmp_path: Path) -> None:
    machine = Machine()
    script = "{ sleep 5; echo a; exit 3; } | { sleep 6; cat; } | { sleep 7; cat; }"
    assert run(machine, tmp_path, script, "-o", "pipefail") == 3
    assert (machine.lines, machine.time) == (["a"], 18)


def test_a_script_goes_on_after_its_trap(tmp_path: Path) -> None:
    machine = Machine(signaled_at=10)
    assert run(machine, tmp_path, "trap 'echo signaled' TERM; sleep 60 & wait; echo 'goes  on'; trap - SIGTERM") == 0
    assert (machine.lines, machine.has_trap) == (["signaled", "goes  on"], False)


@pytest.mark.parametrize(
    ("script", "lines", "code"),
    [
        ("for i in a 'b c' $(seq 2); do echo \"<$i>\"; done", ["<a>", "<b c>", "<1>", "<2>"], 0),
        ("i=0; until [ $i -eq 3 ]; do i=$((i + 1)); [ $i = 2 ] && continue; echo $i; done", ["1", "3"], 0),
        ("while true; do echo once; break; done; exit 5", ["once"], 5),
        ("if [ -f /no ]; then echo a; elif [ 1 -gt 0 ]; then echo b; else echo c; fi", ["b"], 0),
        ("false || { echo or; false; }", ["or"], 1),
        ("set -e; false; echo never", [], 1),
        ("set -e; if false; then :; fi; false || true; echo on", ["on"], 0),
        ("f() { return 4; echo never; }; f; echo $?", ["4"], 0),
        ("echo a > /x; echo b >> /x; cat /x; cat /none 2> /dev/null || echo none", ["a", "b", "none"], 0),
        ("cat /none", ["cat: /none: no such file or directory"], 1),
        ("cat < /none", ["open /none: no such file or directory"], 1),
        ("X=1; export Y=2; echo ${X}-$Y-${Z:-3}-${X:+4}-'$X'-\"\\$X\"", ["1-2-3-4-$X-$X"], 0),
        ("printf '%s of %d\\n' 1 2; mkdir -p /d; touch /d/f; mv /d/f /d/g; [ -e /d/g ] && rm -r /d", ["1 of 2"], 0),
        (
            "mkdir /d; mkdir /d; rm /none; rm -f /none",
            ["mkdir: /d: file exists", "rm: /none: no such file or directory"],
            0,
        ),
        ("mkdir -p /a/b; echo x > /a/b/f; cp -r /a /c; cp /a/b/f /c; cat /c/b/f; echo /c/*", ["x", "/c/b /c/f"], 0),
        (
            "mkdir -p /a/b; cp -r /a /c; echo x > /a/b/f; cp -r /a/. /c; cp -r /a/. /c; cat /c/b/f; cp /a /d",
            ["x", "cp: /a: omitting directory"],
            1,
        ),
        (
            "mkdir -p /a/b; echo x > /a/f; cp /a/f /a/f; cat /a/f; cp -r /a /a/b",
            ["cp: /a/f: cannot be copied into itself", "x", "cp: /a: cannot be copied into itself"],
            1,
        ),
        ("mkdir -p /a/b; echo x > /a/f; cd /a/b; cp -r .. /ckpt; cat /ckpt/f; ls", ["x", "other: ls"], 0),
        (
            "mkdir -m 700 d || echo made; mkdir d; rm -rf d; rm --force d",
            ["other: mkdir -m 700 d", "other: rm --force d"],
            0,
        ),
        (
            "echo x > /a; echo y | cat /a -; echo z | cat; cat -n /a; echo b > -- -f; cat -- /a",
            ["x", "y", "z", "other: cat -n /a", "x"],
            0,
        ),
        ("cd /ckpt; echo 1 > step; cat /ckpt/step; echo ../ckpt/*", ["1", "../ckpt/step"], 0),
        ('train | tee /log | while read a; do echo "<$a>"; done; cat /log', ["<other: train>", "other: train"], 0),
        ("case $X in '') echo empty;; esac; (cd /ckpt; pwd); pwd", ["empty", "/ckpt", "/"], 0),
        ("cat <<EOF > /x; cat /x\n$((7 / 2)) $((-7 % 3))\nEOF", ["3 -1"], 0),
        ("sh -c 'echo $0 $1 > /x; exit 3' name a; echo $?; cat /x", ["3", "name a"], 0),
        ("ulimit -n 5; exec sleep 5", ["other: ulimit -n 5"], 0),
        ("printf 'no newline'", ["no newline"], 0),
    ],
)
def test_scripts_print_what_a_shell_prints(tmp_path: Path, script: str, lines: list[str], code: int) -> None:
    machine = Machine()
    assert run(machine, tmp_path, script) == code
    assert machine.lines == lines


@pytest.mark.parametrize("path", ["/etc/hostname", "../../../../../../etc/hostname", "/ckpt/../../etc/hostname"])
def test_files_of_this_machine_are_not_read(tmp_path: Path, path: str) -> None:
    machine = Machine()
    assert run(machine, tmp_path, f"cat {path} || . {path} || echo {path.replace('name', '*')}") == 0
    assert machine.lines[-1] == path.replace("name", "*")


def test_its_environment_is_the_containers_alone(tmp_path: Path) -> None:
    machine = Machine()
    assert run(machine, tmp_path, "echo $WHO-$HOME-$UID-$PATH-$USER; echo '${WHO}'", "-euo", "pipefail", WHO="me") == 1
    assert machine.lines == ["USER: unbound variable"]


def test_a_script_that_is_killed_has_no_exit_code(tmp_path: Path) -> None:
    folders = {"/": tmp_path}
    shell = Shell(["sh", "-c", "echo begun; while :; do :; done"], {}, folders)

    class Killing(Machine):
        def say(self, line: str) -> None:
            super().say(line)
            shell.kill()

    machine = Killing()
    assert shell.run(machine) is None
    assert machine.lines == ["begun"]


def test_an_unknown_message_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "pod-shell"
    program.write_text("""#!/bin/sh\nread -r container\necho '{"say": "a"}'; echo '{"reads": "/x"}'\n""")
    program.chmod(0o755)
    monkeypatch.setattr("simulator.pods.shell._binary", lambda: program)
    machine = Machine()
    with pytest.raises(ValueError, match=r"unknown message: \{'reads': '/x'\}"):
        run(machine, tmp_path, "")
    assert machine.lines == ["a"]


@pytest.mark.parametrize("script", ["while :; do :; done", "seq 1 1000000000000 > /dev/null"])
def test_a_script_ends_after_its_real_seconds(tmp_path: Path, script: str) -> None:
    shell = Shell(["sh", "-c", script], {}, {"/": tmp_path}, seconds=0.1)
    late = threading.Timer(_END_SECONDS, shell.kill)
    late.start()
    try:
        assert shell.run(Machine()) is None
        assert late.is_alive()
    finally:
        late.cancel()


def test_a_script_ends_with_the_simulator(tmp_path: Path) -> None:
    container = {"words": ["sh", "-c", "echo begun; while :; do :; done"], "folders": {"/": str(tmp_path)}}
    with subprocess.Popen(
        [locate([POD_SHELL]).binary(POD_SHELL)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(f"{json.dumps(container)}\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline()) == {"say": "begun"}
            process.stdin.close()
            assert process.wait(_END_SECONDS) == 1
        finally:
            process.kill()
