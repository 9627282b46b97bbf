"""Findings that somebody accepts: by a rule and a path, by a comment in the YAML, or by a baseline.

`--ignore RULE[:GLOB]` and the key `ignore` of the settings file take a rule (`*` is every rule) and a path. In a path,
`*` stands for any characters, `/` among them; a folder is all that is in it. A comment `# tpu-lint: ignore=RULE reason`
is about its own line. Alone on a line, it is about the block below it: an object, a mapping or one key.

A baseline has the findings that were there when a repository began to use lint: only new ones are shown.
A finding is known again by its file, rule, path in the object and text, so that it may move to another line. Files are
named relative to the folder of the baseline. Equal findings are counted: one more than before is new.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from msgspec import Struct

from components.model.findings import counted, did_you_mean
from components.model.stack_file.yaml_nodes import YamlTextError
from policies.lint.files import File, UnreadableError, absolute, read, text_of
from policies.lint.findings import RULES
from policies.lint.settings import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from policies.lint.linting import Shown

EVERY: Final = "*"
_OF_STACK_FILES: Final = ("stack-file", "stack-file-shape")
_KNOWN: Final = frozenset({EVERY, *RULES, *_OF_STACK_FILES})
_BASELINE_VERSION: Final = 1
_MARK: Final = "tpu-lint:"
_BETWEEN: Final = "---"
_COMMENT: Final = re.compile(rf"(?:^|(?<=\s))#\s*{_MARK}\s*(?P<what>.*)")
_IGNORE: Final = re.compile(r"ignore=(?P<rules>[^\s,]+(?:,[^\s,]+)*)(?:\s|$)")


class UnknownRuleError(Exception):
    """No rule has the name; the text says which one may be meant."""


class Ignore(Struct, frozen=True, kw_only=True):
    """A rule whose findings are accepted, and where."""

    rule: str
    where: str
    """The flag that states it, or file and line."""
    glob: str = ""
    """A pattern of paths, relative to the folder; empty for all below it."""
    folder: Path | None = None
    """None where only `file` counts."""
    file: str = ""
    """The name of the one file that a comment is in."""
    lines: range | None = None
    """Lines of that file, from 0; None for all."""

    def covers(self, shown: Shown) -> bool:
        """Whether a finding is accepted by it."""
        span = shown.sighting.span
        is_there = self.lines is None or (span is not None and span.line in self.lines)
        return self.rule in (EVERY, shown.finding.rule) and is_there and self.covers_file(shown.sighting.name)

    def covers_file(self, name: str) -> bool:
        """Whether it is about a file of this name."""
        if self.folder is None:
            return name == self.file
        path = Path(absolute(name))
        if not path.is_relative_to(self.folder):
            return False
        relative, glob = path.relative_to(self.folder).as_posix(), self.glob.removeprefix("./").rstrip("/")
        return not glob or fnmatchcase(relative, glob) or fnmatchcase(relative, f"{glob}/*")


class Ignores:
    """Ignores, and which of them were needed; a finding is compared with those of its file and those of its rule."""

    def __init__(self, every: Iterable[Ignore]) -> None:
        self._every = tuple(dict.fromkeys(every))
        self._used: set[Ignore] = set()
        self._of: dict[tuple[str, str], list[Ignore]] = {}
        for each in self._every:
            self._of.setdefault((each.rule, each.file), []).append(each)

    def cover(self, shown: Shown) -> bool:
        """Whether one of them accepts a finding; that one was needed."""
        keys = product((EVERY, shown.finding.rule), ("", shown.sighting.name))
        asked = (each for key in dict.fromkeys(keys) for each in self._of.get(key, ()))
        accepting = [each for each in asked if each.covers(shown)]
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
    """The ignores of the comments in files; a text for a comment that cannot be understood."""
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


class Known(NamedTuple):
    """A finding without its line."""

    file: str
    rule: str
    path: str
    says: str


def write_baseline(name: str, shown: Iterable[Shown]) -> None:
    """Keep the findings in a file.

    Raises:
        UnreadableError: the file cannot be written.
    """
    folder = Path(absolute(name)).parent
    times = Counter(_known(each, folder) for each in shown)
    listed = [{**each._asdict(), "count": times[each]} for each in sorted(times)]
    text = json.dumps({"version": _BASELINE_VERSION, "findings": listed}, indent=1, ensure_ascii=False)
    try:
        Path(name).write_text(f"{text}\n", encoding="utf-8", errors="backslashreplace")
    except (OSError, ValueError) as error:
        raise UnreadableError(name, getattr(error, "strerror", None) or str(error)) from error


def known_in_baseline(name: str) -> Counter[Known]:
    """The number of findings of each kind in a baseline.

    Raises:
        UnreadableError: the file cannot be read.
        SettingsError: it is not a baseline.
    """
    try:
        document: Any = json.loads(text_of(read(name).content))
        if document["version"] != _BASELINE_VERSION:
            raise SettingsError(f"{name}: a baseline of version {document['version']}; write it again")
        return Counter({_known_from(each): int(each["count"]) for each in document["findings"]})
    except (YamlTextError, json.JSONDecodeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise SettingsError(f"{name} is not a baseline; --write-baseline {name} writes one") from error


def _known_from(each: dict[str, Any]) -> Known:
    return Known(*(cast("str", each[field]) for field in Known._fields))


def not_in_baseline(shown: Iterable[Shown], known: Counter[Known], name: str) -> list[Shown]:
    """The findings that are not in the baseline of that name; those that are in it are taken from `known`."""
    folder = Path(absolute(name)).parent
    found: list[Shown] = []
    for each in shown:
        key = _known(each, folder)
        if known[key] > 0:
            known[key] -= 1
        else:
            found.append(each)
    return found


def gone_from_baseline(known: Counter[Known], files: Iterable[str], name: str) -> str:
    """A note on findings of the baseline that these files do not have any more; empty for none."""
    folder = Path(absolute(name)).parent
    there = {_relative(each, folder) for each in files}
    count = sum(number for each, number in known.items() if each.file in there and number > 0)
    is_one = "is" if count == 1 else "are"
    return f"{counted(count, 'finding')} of {name} {is_one} gone; --write-baseline {name} removes them" if count else ""


def _known(shown: Shown, folder: Path) -> Known:
    finding, sighting = shown.finding, shown.sighting
    return Known(_relative(sighting.name, folder), finding.rule, sighting.path, finding.says)


def _relative(name: str, folder: Path) -> str:
    return Path(os.path.relpath(absolute(name), folder)).as_posix()
