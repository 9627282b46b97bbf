"""Stack files inside the simulator: the engine works on copies, the committed files stay as they are.

The engine writes into the stack file that it works on: an encryption salt on `stack init`, its own idea of the layout
on an update; and it deletes the file on `stack rm`. So a stack is made in a scratch folder, and every command that
reads the stack's configuration gets `--config-file` with a copy.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from simulator.home import Home

_WITH_CONFIG: Final = frozenset({"preview", "up", "update", "refresh", "destroy", "import", "watch"})
"""Commands that read the stack file and may rewrite it; all take --config-file."""
_ALIASES: Final = {"pre": "preview", "down": "destroy", "dn": "destroy", "update": "up"}
_GLOBAL_WITH_VALUE: Final = frozenset({"-C", "--cwd", "--color", "-v", "--verbose", "--tracing", "--profiling"})
_SALT = re.compile(r"^encryptionsalt: .*$", re.MULTILINE)


class StackError(Exception):
    """The stack cannot be used inside the simulator; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Command:
    """A pulumi command line, as far as the simulator must understand it."""

    arguments: tuple[str, ...]
    """Everything after `pulumi`."""

    @property
    def verb(self) -> str | None:
        """The first word that is no flag, by its full name."""
        words = iter(self.arguments)
        for word in words:
            if word in _GLOBAL_WITH_VALUE:
                next(words, None)
            elif not word.startswith("-"):
                return _ALIASES.get(word, word)
        return None

    def value(self, *names: str) -> str | None:
        """The value of the first flag of these names, `--stack x` or `--stack=x`."""
        for index, word in enumerate(self.arguments):
            if word in names and index + 1 < len(self.arguments):
                return self.arguments[index + 1]
            for name in names:
                if word.startswith(f"{name}="):
                    return word.removeprefix(f"{name}=")
        return None


def arranged(command: Command, home: Home, pulumi: Path, environment: Mapping[str, str]) -> list[str]:
    """The arguments of the command with the stack made and its file replaced by a copy.

    A command that concerns no stack's configuration, or names a `--config-file` of its own, comes back as it is.

    Raises:
        StackError: the stack cannot be made, or its file holds secrets that only its own key opens.
    """
    project = _project_folder(command)
    removes = command.arguments[:2] == ("stack", "rm")
    if project is None or not (command.verb in _WITH_CONFIG or removes) or command.value("--config-file"):
        return list(command.arguments)
    stacks = _Stacks(project, home, pulumi, environment)
    if removes:
        return [*command.arguments, f"--cwd={stacks.scratch}"]
    stack = command.value("--stack", "-s") or stacks.selected()
    if stack is None:
        return list(command.arguments)
    copy = stacks.ready(stack.rpartition("/")[2])
    given = [] if command.value("--stack", "-s") else [f"--stack={stack}"]
    return [*command.arguments, *given, f"--config-file={copy}"]


@dataclass(frozen=True, slots=True)
class _Stacks:
    project: Path
    home: Home
    pulumi: Path
    environment: Mapping[str, str]

    @property
    def name(self) -> str:
        """The project's name."""
        return str(yaml.safe_load((self.project / "Pulumi.yaml").read_text())["name"])

    @property
    def folder(self) -> Path:
        """Where the copies of this project's stack files are."""
        return self.home.stack_files / self.name

    @property
    def scratch(self) -> Path:
        """A folder that looks like the project to commands that would write into it."""
        folder = self.folder / "scratch"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        shutil.copyfile(self.project / "Pulumi.yaml", folder / "Pulumi.yaml")
        return folder

    def selected(self) -> str | None:
        """The stack that `pulumi stack select` chose, if any."""
        done = self._run("stack", "--show-name", f"--cwd={self.project}")
        return done.stdout.strip() or None if done.returncode == 0 else None

    def ready(self, stack: str) -> Path:
        """A fresh copy of the stack's file; the stack itself is made when it does not exist."""
        salt = self.folder / f"{stack}.salt"
        if not salt.exists():
            self._create(stack, salt)
        committed = self.project / f"Pulumi.{stack}.yaml"
        text = committed.read_text() if committed.exists() else ""
        self._refuse_secrets(committed, text)
        copy = self.folder / committed.name
        copy.write_text(f"{_SALT.sub('', text).rstrip()}\n{salt.read_text()}\n".lstrip())
        return copy

    def _create(self, stack: str, salt: Path) -> None:
        done = self._run("stack", "init", stack, "--no-select", f"--cwd={self.scratch}", "--non-interactive")
        if done.returncode != 0 and "already exists" not in done.stderr:
            raise StackError(f"stack {stack} cannot be made: {done.stderr.strip()}")
        made = self.scratch / f"Pulumi.{stack}.yaml"
        found = _SALT.search(made.read_text()) if made.exists() else None
        if found is None:
            raise StackError(
                f"stack {stack} exists in {self.home.backend} but its key is gone: python -m simulator down --delete"
            )
        salt.write_text(found[0])

    def _refuse_secrets(self, committed: Path, text: str) -> None:
        try:
            document: object = yaml.safe_load(text)
        except yaml.YAMLError:
            return  # the engine reads the same file next and says what is wrong with it
        secret = next(_secure_paths(document), None)
        if secret is not None:
            raise StackError(
                f"{committed.name}: {secret} is encrypted with the stack's own key; the simulator does not have it.\n"
                f"  Keep encrypted values in a stack of their own, or give this stack a plain one for the simulator."
            )

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.pulumi), *arguments], env=dict(self.environment), capture_output=True, text=True, check=False
        )


def _project_folder(command: Command) -> Path | None:
    start = Path(command.value("-C", "--cwd") or ".").resolve()
    return next((folder for folder in (start, *start.parents) if (folder / "Pulumi.yaml").is_file()), None)


def _secure_paths(node: object, path: str = "") -> Iterator[str]:
    """Where `secure: <ciphertext>` stands in a stack file."""
    if isinstance(node, dict):
        mapping = cast("dict[Any, Any]", node)
        if set(mapping) == {"secure"}:
            yield path
        for key, value in mapping.items():
            yield from _secure_paths(value, f"{path}.{key}".lstrip("."))
    elif isinstance(node, list):
        for index, value in enumerate(cast("Sequence[Any]", node)):
            yield from _secure_paths(value, f"{path}[{index}]")
