"""Stack files inside the simulator: the engine works on copies, the committed files stay as they are.

The engine writes into the stack file that it works on: an encryption salt on `stack init`, its own idea of the layout
on an update; and it moves or deletes the file with its stack. So stacks are made, renamed and removed in a scratch
folder, and every command that reads the stack's configuration gets `--config-file` with a copy. The copy names the
simulator's own secrets provider: the one in the committed file may be in a cloud. So it has made-up values in the place
of encrypted ones of Secrets.
"""

from __future__ import annotations

import fcntl
import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import yaml

from components.model.stack_file.absent import FILES, absent
from components.model.stack_file.text import StackText
from components.model.stack_file.yaml_nodes import YamlTextError, entries
from components.model.stack_file.yaml_remedies import remedy_of
from simulator.files import private, read_json, write_whole
from simulator.home import PROJECT_FILE, Home, NoProjectError, project_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_WITH_CONFIG: Final = frozenset({"preview", "up", "refresh", "destroy", "import", "watch"})
"""Commands that read the stack file and may rewrite it; all take --config-file."""
_IN_SCRATCH: Final = frozenset({"change-secrets-provider", "init", "rename", "rm"})
"""Commands below `stack` that write, move or delete the stack file."""
_ALIASES: Final = {"pre": "preview", "down": "destroy", "dn": "destroy", "update": "up"}
_WITH_VALUE: Final = frozenset(
    {"-C", "--cwd", "--color", "-s", "--stack", "-v", "--verbose", "--tracing", "--profiling", "--config-file"}
)
"""Flags whose value may precede the command's words."""
_SALT = re.compile(r"^encryptionsalt: v1:.*=$", re.MULTILINE)
_OF_SECRET = re.compile(r"^config\.(?:[^.]+:)?platform\.secrets\[\d+\]\.data\.")
"""Paths of values that the program puts into Secrets."""
_SECRETS_PROVIDER = re.compile(r"^(?:encryptionsalt|encryptedkey|secretsprovider): .*\n?", re.MULTILINE)


class StackError(Exception):
    """The stack cannot be used inside the simulator; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Command:
    """A pulumi command line, as far as the simulator must understand it."""

    arguments: tuple[str, ...]
    """Everything after `pulumi`."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words that are not flags: the command by its full name, then its own command or arguments."""
        found: list[str] = []
        left = iter(self.arguments)
        for word in left:
            if word in _WITH_VALUE:
                next(left, None)
            elif not word.startswith("-"):
                found.append(word if found else _ALIASES.get(word, word))
        return tuple(found)

    @property
    def reads_configuration(self) -> bool:
        """Whether it reads the stack file, and may rewrite it."""
        return not _WITH_CONFIG.isdisjoint(self.words[:1])

    @property
    def moves_stack_file(self) -> bool:
        """Whether it makes, moves or deletes the stack file."""
        return self.words[:1] == ("stack",) and not _IN_SCRATCH.isdisjoint(self.words[1:2])

    def value(self, *names: str) -> str | None:
        """The value of the first flag of these names, `--stack x` or `--stack=x`."""
        for index, word in enumerate(self.arguments):
            if word in names and index + 1 < len(self.arguments):
                return self.arguments[index + 1]
            for name in names:
                if word.startswith(f"{name}="):
                    return word.removeprefix(f"{name}=")
        return None


@private()
def arranged(command: Command, home: Home, pulumi: Path, environment: Mapping[str, str]) -> list[str]:
    """The arguments of the command with the stack made and its file replaced by a copy.

    A command without a stack's configuration, or with a `--config-file` of its own, is returned unchanged.

    Raises:
        StackError: the stack cannot be made, or its file holds secrets that only its own key opens.
    """
    project = _project_folder(command)
    if project is None or command.value("--config-file"):
        return list(command.arguments)
    stacks = _Stacks(project, home, pulumi, environment)
    if command.moves_stack_file:
        return [*command.arguments, f"--cwd={stacks.scratch}"]
    if not command.reads_configuration:
        return list(command.arguments)
    stack = command.value("--stack", "-s") or stacks.selected()
    if stack is None:
        return list(command.arguments)
    copy = stacks.ready(stack.rpartition("/")[2])
    given = [] if command.value("--stack", "-s") else [f"--stack={stack}"]
    return [*command.arguments, *given, f"--config-file={copy}"]


def runs_yaml(command: Command) -> bool:
    """Whether the project that the command is about is written in Pulumi YAML.

    Raises:
        StackError: its Pulumi.yaml cannot be read.
    """
    project = _project_folder(command)
    runtime = None if project is None else _project_file(project).get("runtime")
    return runtime in ("yaml", {"name": "yaml"})


@dataclass(frozen=True, slots=True)
class _Stacks:
    project: Path
    home: Home
    pulumi: Path
    environment: Mapping[str, str]

    @property
    def name(self) -> str:
        """The project's name."""
        document = _project_file(self.project)
        if "name" not in document:
            raise StackError("Pulumi.yaml names no project")
        return str(document["name"])

    @property
    def folder(self) -> Path:
        """Where the copies of this project's stack files are."""
        return self.home.stack_files / self.name

    @property
    def scratch(self) -> Path:
        """A folder that looks like the project to commands that would write into it."""
        folder = self.folder / "scratch"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.project / PROJECT_FILE, folder / PROJECT_FILE)
        return folder

    def selected(self) -> str | None:
        """The stack that `pulumi stack select` chose, if any."""
        done = self._run("stack", "--show-name", f"--cwd={self.project}")
        return done.stdout.strip() or None if done.returncode == 0 else None

    def ready(self, stack: str) -> Path:
        """A fresh copy of the stack's file; the stack itself is made when it does not exist.

        Raises:
            BrokenFileError: the stack's recorded state is not whole.
            StackError: the stack does not exist, and of the project's stack files none is its own.
        """
        committed = self.project / f"Pulumi.{stack}.yaml"
        text = _text(committed) if committed.exists() else ""
        text = _with_stand_ins(committed.name, text)
        state = self.home.backend / ".pulumi" / "stacks" / self.name / f"{stack}.json"
        salt = self.folder / f"{stack}.salt"
        beside = [each.name for each in self.project.glob(FILES)]
        if beside and committed.name not in beside and not state.exists():
            raise StackError(". ".join(absent(committed.name, beside)))
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.folder / "lock").open("a") as lock:  # another command may be making the same stack
            fcntl.flock(lock, fcntl.LOCK_EX)
            if state.exists():
                read_json(state, f"`tpu simulator recover --stack {stack}` puts the last whole one in its place.")
            if _salt_in(salt) is None or not state.exists():
                self._create(stack, salt)
        copy = self.folder / committed.name
        write_whole(copy, f"{_SECRETS_PROVIDER.sub('', text).rstrip()}\n{salt.read_text()}\n".lstrip("\n"))
        return copy

    def _create(self, stack: str, salt: Path) -> None:
        done = self._run("stack", "init", stack, "--no-select", f"--cwd={self.scratch}", "--non-interactive")
        if done.returncode != 0 and "already exists" not in done.stderr:
            raise StackError(f"stack {stack} cannot be made: {done.stderr.strip()}")
        made = self.scratch / f"Pulumi.{stack}.yaml"
        found = _salt_in(made)
        if found is None:
            raise StackError(
                f"stack {stack} exists in {self.home.backend} but its key is gone: tpu simulator down --delete"
            )
        write_whole(salt, found)

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.pulumi), *arguments], env=dict(self.environment), capture_output=True, text=True, check=False
        )


def _salt_in(path: Path) -> str | None:
    """The line with a stack's salt in a file, None when there is no such file or no whole line."""
    found = _SALT.search(path.read_text(errors="replace")) if path.exists() else None
    return None if found is None else found[0]


def _project_folder(command: Command) -> Path | None:
    try:
        return project_folder(command.value("-C", "--cwd") or ".")
    except NoProjectError:
        return None  # the engine says so too, for the commands that need a project


def _project_file(project: Path) -> dict[str, object]:
    file = project / PROJECT_FILE
    try:
        document = StackText.parse(file.name, _text(file)).whole
    except YamlTextError as error:
        place = f"{file.name}:{error.line + 1}:{error.column + 1}"
        raise StackError(f"{place}: {error.problem}.\n  {remedy_of(error.problem)}") from error
    return cast("dict[str, object]", document) if isinstance(document, dict) else {}


def _text(file: Path) -> str:
    """The text of a file.

    Raises:
        StackError: it is not UTF-8.
    """
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise StackError(f"{file.name}: byte {error.start} is not UTF-8.\n  Save the file as UTF-8.") from error


def _with_stand_ins(name: str, text: str) -> str:
    """The text of a stack file with made-up values for those of Secrets, which only the stack's own key opens.

    Raises:
        StackError: another value is encrypted; nobody can say what would do in its place.
    """
    if "secure" not in text:
        return text  # reading a large file takes longer than all else
    try:
        stack = StackText.parse(name, text)
    except YamlTextError:
        return text  # the engine reads the same file next and says what is wrong with it
    found = list(_secure_values(stack))
    other = next((path for path, _ in found if _OF_SECRET.search(path) is None), None)
    if other is not None:
        raise StackError(
            f"{name}: {other} is encrypted with the stack's own key; the simulator does not have it.\n"
            f"  Keep encrypted values in a stack of their own, or give this stack a plain one for the simulator."
        )
    for path, node in sorted(found, key=lambda each: -_index(each[1].start_mark)):
        (cipher,) = [value for _, value in entries(node)]
        end = _index((node if node.flow_style else cipher).end_mark)
        made_up = json.dumps(json.dumps({"made up for": path.rpartition(".")[2]}))  # a Secret for images is JSON
        text = f"{text[: _index(node.start_mark)]}{made_up}{text[end:]}"
    return text


def _index(mark: yaml.Mark) -> int:
    return mark.index


def _secure_values(stack: StackText) -> Iterator[tuple[str, yaml.MappingNode]]:
    """Each `secure: <ciphertext>` in a stack file with its path; what aliases share is looked at once."""
    waiting, seen = [("", stack.root)], set[int]()
    while waiting:
        path, node = waiting.pop(0)
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            inner = [(str(key.value), value) for key, value in entries(node)]
            if [key for key, _ in inner] == ["secure"]:
                yield path, node
            waiting += [(f"{path}.{key}".lstrip("."), value) for key, value in inner]
        elif isinstance(node, yaml.SequenceNode):
            items = cast("list[yaml.Node]", node.value)
            waiting += [(f"{path}[{index}]", value) for index, value in enumerate(items)]
