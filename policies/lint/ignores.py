"""Findings that somebody accepts: by a rule and a path, or by a comment in the YAML.

`--ignore RULE[:GLOB]` and the key `ignore` of the settings file take a rule (`*` is every rule) and a path. In a path,
`*` stands for any characters, `/` among them; a folder is all that is in it. A comment `# tpu-lint: ignore=RULE reason`
is about its own line. Alone on a line, it is about the block below it: an object, a mapping or one key.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from itertools import product
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from components.model.findings import did_you_mean
from components.model.stack_file.yaml_nodes import YamlTextError
from policies.lint.files import text_of
from policies.lint.findings import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from policies.lint.files import File, Paths
    from policies.lint.linting import Shown

EVERY: Final = "*"
_OF_STACK_FILES: Final = ("stack-file", "stack-file-shape")
_KNOWN: Final = frozenset({EVERY, *RULES, *_OF_STACK_FILES})
_MARK: Final = "tpu-lint:"
_BETWEEN: Final = "---"
_COMMENT: Final = re.compile(rf"(?:^|(?<=\s))#\s*{_MARK}\s*(?P<what>.*)")
_IGNORE: Final = re.compile(r"ignore=(?P<rules>[^\s,]+(?:,[^\s,]+)*)(?:\s|$)")


class UnknownRuleError(Exception):
    """No rule has the name; the text says which one may be meant."""


class Ignore(Struct, frozen=True, kw_only=True):
    """A rule that somebody does not want to hear of, and where."""

    rule: str
    where: str
    """What states it: the flag, or file and line."""
    glob: str = ""
    """Of paths, relative to the folder; empty for all below it."""
    folder: Path | None = None
    """None where only `file` counts."""
    file: str = ""
    """The name of the one file that a comment is in."""
    lines: range | None = None
    """Of that file, from 0; None for all."""

    def covers(self, shown: Shown, paths: Paths) -> bool:
        """Whether a finding is accepted by it."""
        span = shown.sighting.span
        is_there = self.lines is None or (span is not None and span.line in self.lines)
        return self.rule in (EVERY, shown.finding.rule) and is_there and self.covers_file(shown.sighting.name, paths)

    def covers_file(self, name: str, paths: Paths) -> bool:
        """Whether it is about a file of this name."""
        if self.folder is None:
            return name == self.file
        path = paths[name]
        if not path.is_relative_to(self.folder):
            return False
        relative, glob = path.relative_to(self.folder).as_posix(), self.glob.removeprefix("./").rstrip("/")
        return not glob or fnmatchcase(relative, glob) or fnmatchcase(relative, f"{glob}/*")


class Ignores:
    """Ignores, and which of them were needed; a finding is compared with those of its file and those of its rule."""

    def __init__(self, every: Iterable[Ignore], paths: Paths) -> None:
        """Those that are stated, and the paths of the files."""
        self._every = tuple(dict.fromkeys(every))
        self._used: set[Ignore] = set()
        self._paths = paths
        self._of: dict[tuple[str, str], list[Ignore]] = {}
        for each in self._every:
            self._of.setdefault((each.rule, each.file), []).append(each)

    def cover(self, shown: Shown) -> bool:
        """Whether one of them accepts a finding; that one was needed."""
        keys = product((EVERY, shown.finding.rule), ("", shown.sighting.name))
        asked = (each for key in dict.fromkeys(keys) for each in self._of.get(key, ()))
        accepting = [each for each in asked if each.covers(shown, self._paths)]
        self._used.update(accepting)
        return bool(accepting)

    @property
    def unused(self) -> Iterator[Ignore]:
        """Those that accepted nothing yet."""
        return (each for each in self._every if each not in self._used)


def ignore_of(text: str, folder: Path, where: str) -> Ignore:
    """The ignore that `RULE[:GLOB]` states, with paths below a folder.

    Raises:
        UnknownRuleError: there is no such rule.
    """
    rule, _, glob = text.partition(":")
    refuse_unknown(rule)
    return Ignore(rule=rule, glob=glob, folder=folder, where=where)


def refuse_unknown(rule: str) -> None:
    """Refuses the name of a rule that does not exist.

    Raises:
        UnknownRuleError: there is no such rule.
    """
    if rule not in _KNOWN:
        raise UnknownRuleError(f"no rule is named {rule}. {did_you_mean(rule, _KNOWN)}docs/rules.md lists the rules.")


def comments_in(files: Iterable[File]) -> Iterator[Ignore | str]:
    """What the comments in files state; a text for a comment that cannot be understood."""
    for file in files:
        if _MARK.encode() not in file.content:
            continue
        try:
            lines = text_of(file.content).splitlines()
        except YamlTextError:
            continue  # lint says why the file cannot be read
        for index, line in enumerate(lines):
            comment = _COMMENT.search(line) if _MARK in line else None
            if comment is not None:
                yield from _stated(file.name, lines, index, comment)


def _stated(name: str, lines: Sequence[str], index: int, comment: re.Match[str]) -> Iterator[Ignore | str]:
    stated, where = _IGNORE.match(comment["what"]), f"{name}:{index + 1}"
    if stated is None:
        yield f"{where}: this comment has no effect. Write # {_MARK} ignore=RULE and a reason."
        return
    is_alone = not lines[index][: comment.start()].strip()
    covered = _block_below(lines, index) if is_alone else range(index, index + 1)
    for rule in stated["rules"].split(","):
        try:
            refuse_unknown(rule)
        except UnknownRuleError as error:
            yield f"{where}: {error}"
        else:
            yield Ignore(rule=rule, where=where, file=name, lines=covered)


def _block_below(lines: Sequence[str], index: int) -> range:
    """The lines of the next block: the whole document where nothing of it stands above the comment."""
    first = next((number for number in range(index + 1, len(lines)) if _has_content(lines[number])), None)
    if first is None:
        return range(0)
    is_document, indent = _begins_document(lines, first), _indent(lines[first])
    is_item = lines[first].lstrip().startswith("- ")
    for number in range(first + 1, len(lines)):
        line = lines[number]
        if line.startswith(_BETWEEN):
            return range(first, number)
        if is_document or not _has_content(line) or _indent(line) > indent:
            continue
        if _indent(line) < indent or is_item or not line.lstrip().startswith("- "):
            return range(first, number)
    return range(first, len(lines))


def _begins_document(lines: Sequence[str], first: int) -> bool:
    """Whether only comments stand between the line and the beginning of its document."""
    before = (lines[number] for number in range(first - 1, -1, -1))
    above = (line for line in before if line.strip() and not _is_comment(line))
    return next(above, _BETWEEN).startswith(_BETWEEN)


def _has_content(line: str) -> bool:
    return bool(line.strip()) and not _is_comment(line) and not line.startswith(_BETWEEN)


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
