"""Files that hold what is expected; `UPDATE_GOLDEN=1 pytest ...` writes them anew, and the diff is the review."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

import yaml

if TYPE_CHECKING:
    from pathlib import Path


class _Dumper(yaml.SafeDumper):
    """Writes shared values again instead of as aliases, and text of several lines as a block."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002  PyYAML's own
        """Whether to write a value that occurs again in full: always."""
        return True


def _text(_dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return yaml.ScalarNode("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


_Dumper.add_representer(str, _text)


def as_yaml(value: object) -> str:
    """A value as the golden files write it, with sorted keys."""
    return yaml.dump(value, Dumper=_Dumper, width=120, allow_unicode=True)


def changes(base: object, value: object, path: str = "") -> dict[str, object]:
    """What of a document differs from another one, by path; None for what it lacks, so a null in either is an error."""
    old, new = _parts(base), _parts(value)
    if old is None or new is None or type(base) is not type(value):
        return {} if base == value and type(base) is type(value) else {path: value}
    assert None not in (*old.values(), *new.values()), path
    found: dict[str, object] = {}
    for key in sorted(old.keys() | new.keys()):
        at = path + key if isinstance(base, list) else f"{path}.{key}".removeprefix(".")
        found |= changes(old[key], new[key], at) if key in old and key in new else {at: new.get(key)}
    return found


def _parts(value: object) -> dict[str, object] | None:
    """The parts of a mapping, or of a list of mappings, by their step in a path; None for any other value."""
    if isinstance(value, dict):
        return cast("dict[str, object]", value)
    items = cast("list[object]", value) if isinstance(value, list) else []
    is_of_mappings = items and all(isinstance(each, dict) for each in items)
    return {f"[{index}]": each for index, each in enumerate(items)} if is_of_mappings else None


def assert_golden(file: Path, value: object) -> None:
    """Compare a value with the file that holds what is expected of it."""
    assert_golden_text(file, as_yaml(value))


def assert_golden_text(file: Path, text: str) -> None:
    """Compare a text with the file that holds what is expected of it."""
    if os.environ.get("UPDATE_GOLDEN"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")
