"""Walks through a document as a reader does: its commands in order, in a copy of the project with its own simulator."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

import yaml

from simulator.home import HOME_VARIABLE, Home
from tests.docs.blocks import Block, blocks
from tests.docs.covering import printed, walked
from tests.docs.shown import missing_line
from tests.docs.snippets import fragment_of, merged
from tests.harness import OF_MAKE, Simulator
from tests.stacks import PLATFORM_KEY
from tests.tracked import ROOT, STACK_FILES, staged, tracked

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_LIMIT: Final = 900.0
"""Seconds for one command; a hang must not eat the whole lane."""
_OF_THE_SHELL: Final = ("export", "cd", ".", "source", "unset", "alias", "set")
"""Commands that change the shell that they are typed in; each command of a walk has one of its own."""
_EXPORT: Final = re.compile(r"export (?P<name>\w+)=(?P<value>[\w./:@=-]+)")
_ENTER: Final = re.compile(r"cd (?P<folder>[\w./-]+)")
_ACTIVATE: Final = ". .venv/bin/activate"


@dataclass(slots=True)
class Walk:
    """A reader in a copy of the project: where they are, and what they have exported."""

    simulator: Simulator
    folder: Path
    exported: dict[str, str] = field(default_factory=dict[str, str])

    def through(self, document: str) -> None:
        """Do everything that the document says, and compare what it shows."""
        mine, shown = dict(walked(document)), printed(document)
        for block in blocks(document):
            if "edit" in block.notes:
                self._edit(block)
            elif block in mine:
                said = self._run(block, mine[block])
                after = shown.get(block)
                line = None if after is None else missing_line(after.text, said)
                assert line is None, f"{after and after.where}: not printed: {line}\n--- what was printed:\n{said}"

    def _run(self, block: Block, commands: list[str]) -> str:
        """What the commands of a block print, both streams together."""
        if "given" in block.notes:
            shutil.copy(ROOT / block.notes["given"], self.folder)
        return "".join(self._command(block, command) for command in commands)

    def _command(self, block: Block, command: str) -> str:
        if told := _EXPORT.fullmatch(command):
            self.exported[told["name"]] = told["value"]
        elif told := _ENTER.fullmatch(command):
            self.folder = (self.folder / told["folder"]).resolve(strict=True)
        elif command != _ACTIVATE:
            first = command.partition(" ")[0]
            assert first not in _OF_THE_SHELL, f"{block.where}: {command}: a walk cannot do this to the reader's shell"
            inside = f"tpu simulator exec -- bash -c {shlex.quote(command)}"
            return self._shell(block, inside if "also in" in block.notes else command)
        return ""

    def _shell(self, block: Block, command: str) -> str:
        expected = int(block.notes.get("exit", "0"))
        done = subprocess.run(
            ["bash", "-c", command],  # noqa: S607  a reader's shell is the one on their path
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_LIMIT,
            check=False,
        )
        told = f"{block.where}: {command}: exited with {done.returncode}, expected {expected}:\n{done.stdout}"
        assert done.returncode == expected, told
        return done.stdout

    @property
    def _environment(self) -> Mapping[str, str]:
        mine = {name: value for name, value in os.environ.items() if name not in OF_MAKE}
        path = f"{ROOT / '.venv' / 'bin'}{os.pathsep}{mine['PATH']}"
        home = {HOME_VARIABLE: str(self.simulator.home.root), "PULUMI_SKIP_UPDATE_CHECK": "true"}
        return {**mine, "PATH": path, **home, **self.exported}

    def _edit(self, block: Block) -> None:
        """Put a fragment into a stack file, as the reader does with an editor."""
        file = self.folder / block.notes["edit"]
        whole = cast("dict[str, Any]", yaml.safe_load(file.read_text(encoding="utf-8")))
        config = whole["config"]
        config[PLATFORM_KEY] = merged(config[PLATFORM_KEY], fragment_of(block.text))
        file.write_text(yaml.safe_dump(whole, sort_keys=False), encoding="utf-8")


def copy_of_the_project(folder: Path) -> Path:
    """What a new clone would have if all that is staged were committed, beside the environment that is made already."""
    for path in tracked():
        copy = folder / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)  # with its time, or make would make the environment anew
    for path in tracked(STACK_FILES):
        (folder / path.name).write_text(staged(path.name), encoding="utf-8")
    (folder / ".venv").symlink_to(ROOT / ".venv")
    return folder


def walk_through(document: str, folder: Path, speed: float | None = None) -> None:
    """Walk through a document in a folder; whatever was started is ended, and removed.

    Args:
        document: its path in the project.
        folder: empty; takes the copy of the project and the simulator's home.
        speed: simulated seconds per second; None leaves the simulator as it comes.
    """
    walk = Walk(Simulator(Home(folder / "home"), copy_of_the_project(folder / "project")), folder / "project")
    if speed is not None:
        walk.simulator.run("exec", f"--speed={speed:g}", "--", "true")
    try:
        walk.through(document)
    finally:
        walk.simulator.run("down", "--delete", code=None)
