"""The files of a call: those below a folder, without those that git ignores; their bytes, within limits, as text."""

from __future__ import annotations

import os
import re
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import yaml
from msgspec import Struct, field
from msgspec.structs import replace
from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.base import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from components.model.stack_file.text import StackText
from components.model.stack_file.yaml_nodes import YamlTextError
from components.model.stack_file.yaml_remedies import remedy_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FILE_LIMIT: Final = 16 * 1024 * 1024
"""Bytes of a file; a dump of a cluster with a thousand jobs has about five million."""
READ: Final = (".yaml", ".yml", ".json")
"""Ends of the names of files that are read."""
TEMPLATES: Final = (".tf", ".tfvars", ".tftpl", ".hcl", ".j2", ".jinja", ".jinja2", ".tmpl", ".gotmpl", ".tpl")
"""Ends of the names of files that are counted, but say nothing before another program has filled them in."""
_IGNORE: Final = ".gitignore"
_GIT: Final = ".git"
STANDARD_INPUT: Final = "-"
GIT_IGNORED: Final = "git ignored"
CHARTS: Final = ("Chart.yaml",)
KUSTOMIZATIONS: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_LEVELS: Final = 8
"""Folders above a named file in which a kustomization or a chart may say what the file is."""
_STACK_NAME = re.compile(r"Pulumi\.[^/]+\.ya?ml")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_ESCAPE = re.compile(r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|.)", re.DOTALL)


def absolute(name: str) -> str:
    """The path of a file that a user may name from where lint runs; a link keeps its own folder."""
    return os.path.abspath(name)  # noqa: PTH100  pathlib's own resolves links, or keeps `..`


class UnreadableError(Exception):
    """The system does not hand the file out, or it is not text."""

    def __init__(self, name: str, reason: str) -> None:
        self.reason = reason
        super().__init__(f"{name}: {reason}")


def unreadable(name: str, error: YamlTextError) -> UnreadableError:
    """The error that a file is not text, with its line and what to do."""
    return UnreadableError(f"{name}:{error.line + 1}", f"{error.problem}. {remedy_of(error.problem)}")


class File(Struct, frozen=True):
    """A file that was read, or why it was not."""

    name: str
    """As the user named it."""
    content: bytes
    """One byte more than the limit at most."""
    project: str = ""
    """Name of the Pulumi project beside it; empty where there is none."""
    is_walked: bool = False
    """Whether a walk found it, and nobody named it."""
    is_neighbour: bool = False
    """Whether it is not checked, but says what the others are: a kustomization or a chart around a named file."""
    left_out: str = ""
    """Why it is not read, in the words of `left_out.py`; empty for all others."""
    problem: str = ""
    """Why it cannot be read; empty for all others."""
    made_of: tuple[str, ...] = ()
    """The absolute paths of the files that a tool made it of."""


def read(name: str) -> File:
    """The file of that name, or standard input.

    Raises:
        UnreadableError: there is none, or it may not be read.
    """
    try:
        if name == STANDARD_INPUT:
            return File("stdin", _some(sys.stdin.buffer))
        with Path(name).open("rb") as stream:
            return File(name, _some(stream), _project_beside(Path(name)))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UnreadableError(name, reason) from error


def text_in(name: str) -> str:
    """The text of the file of that name, or of standard input.

    Raises:
        UnreadableError: there is none, it may not be read, or it is not text.
    """
    file = read(name)
    try:
        return text_of(file.content)
    except YamlTextError as error:
        raise unreadable(file.name, error) from error


def gather(names: Iterable[str]) -> Iterator[File]:
    """The files of those names, and those below the folders of those names, each once."""
    seen, around = set[str](), set[Path]()
    for name in names:
        is_folder = name != STANDARD_INPUT and Path(name).is_dir()
        for each in _below(name) if is_folder else (_read(name),):
            if each.name not in seen:
                seen.add(each.name)
                yield each
        if name != STANDARD_INPUT:
            around.update((Path(name) if is_folder else Path(name).parent).absolute().parents[:_LEVELS])
            around.add(Path(name).absolute().parent)
    yield from (each for each in _neighbours(around) if each.name not in seen)


def _neighbours(around: Iterable[Path]) -> Iterator[File]:
    """The kustomizations and charts in some folders, by paths from here; they need not be readable."""
    for folder in sorted(around):
        for name in (*CHARTS, *KUSTOMIZATIONS):
            if (folder / name).is_file():
                found = _read(os.path.relpath(folder / name))
                yield replace(found, is_neighbour=True, problem="")


def _below(folder: str) -> Iterator[File]:
    walked = walk(folder)
    for name in walked.names:
        if name.lower().endswith(READ):
            yield replace(_read(name), is_walked=True)
        else:
            yield File(name, b"", is_walked=True)
    for name in walked.ignored:
        yield File(name, b"", is_walked=True, left_out=GIT_IGNORED)
    for name, problem in walked.problems:
        yield File(name, b"", is_walked=True, problem=problem)


class Walked(Struct):
    """The result of a walk, in the order of names."""

    names: list[str] = field(default_factory=list[str])
    ignored: list[str] = field(default_factory=list[str])
    """Files, and whole folders, that git ignores; folders end in `/`."""
    problems: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Folders that cannot be listed, and why."""


def walk(folder: str) -> Walked:
    """The files below `folder`; links to folders are not followed."""
    walked, start = Walked(), Path(folder).absolute()
    root = next((each for each in (start, *start.parents) if (each / _GIT).exists()), start)
    above = [each for each in reversed(start.parents) if each.is_relative_to(root)]
    left = [(Path(folder), [(each, spec) for each in above if (spec := _ignores_of(each)) is not None])]
    while left:
        left.extend(reversed(_look_into(*left.pop(), walked)))
    return walked


_Ignores = list[tuple[Path, GitIgnoreSpec]]
"""The patterns of `.gitignore` files, each with its folder, from the outermost."""


def _ignores_of(folder: Path) -> GitIgnoreSpec | None:
    """The patterns of the `.gitignore` of a folder, without those that mean nothing to git either."""
    try:
        lines = (folder / _IGNORE).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    patterns: list[GitIgnoreSpecPattern] = []
    for line in lines:
        with suppress(GitIgnorePatternError, re.error):
            patterns.append(GitIgnoreSpecPattern(line))
    return GitIgnoreSpec(patterns)


def _is_ignored(path: Path, known: _Ignores, *, is_folder: bool) -> bool:
    """Whether git leaves out an absolute path; the innermost file with a pattern for it decides."""
    for folder, spec in reversed(known):
        verdict = spec.check_file(f"{path.relative_to(folder).as_posix()}{'/' * is_folder}").include
        if verdict is not None:
            return verdict
    return False


def _look_into(folder: Path, outer: _Ignores, walked: Walked) -> list[tuple[Path, _Ignores]]:
    """Note what is in a folder; its folders are returned."""
    try:
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda each: each.name)
    except OSError as error:
        walked.problems.append((str(folder), error.strerror or str(error)))
        return []
    here, own = folder.absolute(), _ignores_of(folder)
    known = outer if own is None else [*outer, (here, own)]
    folders: list[tuple[Path, _Ignores]] = []
    for each in entries:
        is_folder = each.is_dir(follow_symlinks=False)
        if each.name == _GIT or not (is_folder or _is_wanted(each)):
            continue
        if _is_ignored(here / each.name, known, is_folder=is_folder):
            walked.ignored.append(f"{folder / each.name}{'/' * is_folder}")
        elif is_folder:
            folders.append((folder / each.name, known))
        else:
            walked.names.append(str(folder / each.name))
    return folders


def _is_wanted(entry: os.DirEntry[str]) -> bool:
    """Whether the name says that it may contain objects; pipes and devices would never end."""
    if not entry.name.lower().endswith((*READ, *TEMPLATES)):
        return False
    try:
        return stat.S_ISREG(entry.stat().st_mode)
    except OSError:
        return True  # whoever reads it says why it cannot be read


def _read(name: str) -> File:
    """As `read`, but a file that cannot be read says why."""
    try:
        return read(name)
    except UnreadableError as error:
        return File(name, b"", problem=error.reason)


def _project_beside(path: Path) -> str:
    """The project that a stack file at `path` belongs to; empty for all other files."""
    project = path.with_name("Pulumi.yaml")
    if not is_stack_name(path.name) or not project.is_file():
        return ""
    with project.open("rb") as stream:
        return project_in(_some(stream))


def is_stack_name(name: str) -> bool:
    """Whether Pulumi takes a file of this name for the configuration of a stack."""
    return _STACK_NAME.fullmatch(name) is not None


def project_in(content: bytes) -> str:
    """The name of the project whose `Pulumi.yaml` has this content; empty where it says none."""
    try:
        node = StackText.parse("Pulumi.yaml", text_of(content)).node(("name",))
    except YamlTextError:
        return ""
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""


def _some(stream: BinaryIO) -> bytes:
    return stream.read(FILE_LIMIT + 1)


def text_of(content: bytes) -> str:
    r"""The text, without a byte order mark; a JSON escape of two halves (`\ud83d\ude00`) is the character it means.

    Raises:
        YamlTextError: it is too large, or not UTF-8.
    """
    if len(content) > FILE_LIMIT:
        raise YamlTextError(f"it has more than {FILE_LIMIT} bytes", 0, 0)
    text = decoded(content)
    return _ESCAPE.sub(_joined, text) if text.lstrip()[:1] in ("{", "[") and "\\u" in text else text


def decoded(content: bytes) -> str:
    """The text, of any size and without a byte order mark.

    Raises:
        YamlTextError: it is not UTF-8.
    """
    if content.startswith(_UTF16):
        raise YamlTextError("it is UTF-16, and must be UTF-8", 0, 0)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig").split("\n")
        raise YamlTextError(
            f"byte 0x{content[error.start]:02x} is not UTF-8", len(before) - 1, len(before[-1])
        ) from error


def _joined(escape: re.Match[str]) -> str:
    high, low = escape.groups()
    if high is None:
        return escape.group()
    return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
