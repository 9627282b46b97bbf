"""Files that hold what is expected; `UPDATE_GOLDEN=1 pytest ...` writes them anew, and the diff is the review."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

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


def assert_golden(file: Path, value: object) -> None:
    """Compare a value with the file that holds what is expected of it."""
    assert_golden_text(file, as_yaml(value))


def assert_golden_text(file: Path, text: str) -> None:
    """Compare a text with the file that holds what is expected of it."""
    if os.environ.get("UPDATE_GOLDEN"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")
