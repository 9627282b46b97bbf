"""The findings that were there when a repository began to use lint, in a file: only new ones are shown.

A finding is known again by its file, rule, path in the object and text, so that it may move to another line. Files are
named relative to the folder of the baseline. Equal findings are counted: one more than before is new.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from components.model.findings import counted
from components.model.stack_file.yaml_nodes import YamlTextError
from policies.lint.files import UnreadableError, read, text_of
from policies.lint.settings import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from policies.lint.files import Paths
    from policies.lint.linting import Shown

_VERSION: Final = 1


class Known(NamedTuple):
    """A finding without its line."""

    file: str
    rule: str
    path: str
    says: str


def write(name: str, shown: Iterable[Shown], paths: Paths) -> None:
    """Keep the findings in a file.

    Raises:
        UnreadableError: the file cannot be written.
    """
    folder = paths[name].parent
    times = Counter(_known(each, folder, paths) for each in shown)
    listed = [{**each._asdict(), "count": times[each]} for each in sorted(times)]
    text = json.dumps({"version": _VERSION, "findings": listed}, indent=1, ensure_ascii=False)
    try:
        Path(name).write_text(f"{text}\n", encoding="utf-8", errors="backslashreplace")
    except (OSError, ValueError) as error:
        raise UnreadableError(name, getattr(error, "strerror", None) or str(error)) from error


def known_in(name: str) -> Counter[Known]:
    """How many findings of each kind a baseline has.

    Raises:
        UnreadableError: the file cannot be read.
        SettingsError: it is not a baseline.
    """
    try:
        document: Any = json.loads(text_of(read(name).content))
        if document["version"] != _VERSION:
            raise SettingsError(f"{name}: a baseline of version {document['version']}; write it again")
        return Counter({_read(each): int(each["count"]) for each in document["findings"]})
    except (YamlTextError, json.JSONDecodeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise SettingsError(f"{name} is not a baseline; --write-baseline {name} writes one") from error


def _read(each: dict[str, Any]) -> Known:
    return Known(*(cast("str", each[field]) for field in Known._fields))


def new(shown: Iterable[Shown], known: Counter[Known], folder: Path, paths: Paths) -> list[Shown]:
    """The findings that are not in the baseline of that folder; those that are in it are taken from `known`."""
    found: list[Shown] = []
    for each in shown:
        key = _known(each, folder, paths)
        if known[key] > 0:
            known[key] -= 1
        else:
            found.append(each)
    return found


def gone(known: Counter[Known], files: Iterable[str], name: str, paths: Paths) -> str:
    """A note on findings of the baseline that these files do not have any more; empty for none."""
    there = {_relative(paths[each], paths[name].parent) for each in files}
    count = sum(number for each, number in known.items() if each.file in there and number > 0)
    is_one = "is" if count == 1 else "are"
    return f"{counted(count, 'finding')} of {name} {is_one} gone; --write-baseline {name} removes them" if count else ""


def _known(shown: Shown, folder: Path, paths: Paths) -> Known:
    finding, sighting = shown.finding, shown.sighting
    return Known(_relative(paths[sighting.name], folder), finding.rule, sighting.path, finding.says)


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path, folder)).as_posix()
