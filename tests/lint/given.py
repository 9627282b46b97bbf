"""Files as lint gets them, and a verdict in short."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from policies.lint.files import File
from policies.lint.linting import Linted, Options, lint

HERE: Final = Path(__file__).parent
POOLS: Final = (HERE / "sound-pools.json").read_text(encoding="utf-8")
CLUSTER: Final = (HERE / "sound-cluster.json").read_text(encoding="utf-8")
SHARES: Final = (HERE / "sound-shares.json").read_text(encoding="utf-8")
OBJECTS: Final = (HERE / "sound.yaml").read_text(encoding="utf-8")


def linted(*texts: str | bytes, options: Options | None = None) -> Linted:
    """The verdict over files `a`, `b` and so on."""
    files = [
        File(name, text.encode() if isinstance(text, str) else text)
        for name, text in zip("abcdef", texts, strict=False)
    ]
    return lint(files, Options() if options is None else options)


def told(verdict: Linted) -> list[str]:
    """Where each finding is, which rule has it, and at which path."""
    return [f"{each.sighting.where} {each.finding.rule} {each.sighting.path}".rstrip() for each in verdict.shown]


def edited(text: str, old: str, new: str) -> str:
    """The text with one passage replaced."""
    assert text.count(old) == 1, old
    return text.replace(old, new)
