"""Reads docs/seeds.yaml, which says where each flag and field of a tutorial is in our stacks, and docs/seed_lines.yaml.

The format is explained at the top of docs/seeds.yaml; here it is held strictly: an unknown key is an error.
"""

from __future__ import annotations

import builtins
import functools
import re
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from tests.tracked import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAPPING: Final = ROOT / "docs" / "seeds.yaml"
LINES: Final = ROOT / "docs" / "seed_lines.yaml"
_COUNT: Final = re.compile(r" \(\d+\)$")

Names = Annotated[list[str], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]
"""One name or a list of them."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Correction(_Strict):
    """What a tutorial has wrong, or does in a way that we do not follow."""

    there: str
    here: str
    because: str


class Home(_Strict):
    """Where something of a tutorial is in our stacks."""

    stacks: Names = Field(default_factory=list[str])
    """Those of the part, where empty."""
    resource: str | None = None
    """Type and name of a registered resource; that of the part, where None."""
    property: str | None = None
    """Path in the inputs of the resource."""
    setting: str | None = None
    """Path in the stack file."""
    output: str | None = None
    """Path in the outputs of the stack."""
    streamed: str | None = None
    """Path in the Job that `tpu stream` submits for its first team."""
    expected: Any = None
    holds: str | None = None
    """A part of the text that is expected."""
    absent: bool = False
    """That the property is not there is what is expected."""

    command: Names = Field(default_factory=list[str])
    test: Names = Field(default_factory=list[str])
    """Tests as `module::function`."""
    pending: str | None = None
    """What has to be made before there is a home."""
    because: str | None = None
    """Name of a correction."""

    @builtins.property
    def place(self) -> str | None:
        """The path of the value that is compared, wherever it is."""
        return self.property or self.setting or self.output or self.streamed

    @builtins.property
    def wanted(self) -> object:
        """The value that is expected."""
        return self.expected


class Row(Home):
    """One flag or field on one line."""

    line: int
    element: str
    says: Any = None
    tells: str | None = None
    """In our words what the tutorial has there, where that is no short value."""
    dropped: bool = False
    """There is no home, and the correction says why."""
    form: bool = False
    """What is expected is the same in another notation."""

    @builtins.property
    def wanted(self) -> object:
        """The value that is expected: that of the tutorial where no other is given."""
        return self.says if "expected" not in self.model_fields_set else self.expected

    def differs(self, placeholders: list[str]) -> bool:
        """Whether we do otherwise than the tutorial says, so that a reason is owed."""
        if self.dropped or self.absent:
            return True
        told = self.says is None or self.form or self.says in placeholders
        return self.place is not None and not told and self.holds is None and plain(self.wanted) != plain(self.says)


class Claim(Home):
    """What a tutorial promises or asks for in its text."""

    lines: list[int]
    tells: str


class Part(_Strict):
    """A command or manifest of a tutorial; what its rows have in common."""

    title: str
    stacks: Names
    resource: str | None = None
    rows: list[Row]


class Seed(_Strict):
    """One tutorial."""

    title: str
    about: str
    stacks: dict[str, str]
    """The stacks that it became, and what each is."""
    run: list[str]
    notes: list[str] = Field(default_factory=list[str])
    placeholders: list[str] = Field(default_factory=list[str])
    """Values that the tutorial leaves to its reader."""
    corrections: dict[str, Correction]
    parts: list[Part]
    claims: list[Claim] = Field(default_factory=list[Claim])

    def rows(self) -> Iterator[tuple[Part, Row]]:
        """Every row with its part."""
        return ((part, row) for part in self.parts for row in part.rows)

    def homes(self) -> Iterator[Home]:
        """Every row and claim."""
        yield from (row for _, row in self.rows())
        yield from self.claims


class _Mapping(_Strict):
    seeds: dict[str, Seed]


def plain(value: object) -> object:
    """A value without the difference of a number and its text."""
    match value:
        case list():
            return [plain(each) for each in cast("list[object]", value)]
        case int() | float() if not isinstance(value, bool):
            return str(value)
        case _:
            return value


def _property_of(row: Row) -> str | None:
    """The path of the row's property: of a field of a manifest the same path, where the row has no other home."""
    if row.place or row.command or row.test or row.pending or row.dropped:
        return row.property
    return _COUNT.sub("", row.element).partition(".")[2]


@functools.cache
def seeds(file: Path = MAPPING) -> dict[str, Seed]:
    """The tutorials by their number, every row with its property.

    Raises:
        pydantic.ValidationError: the file breaks its format.
    """
    read = _Mapping.model_validate(yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)).seeds
    return {
        name: seed.model_copy(update={"parts": [_with_properties(part) for part in seed.parts]})
        for name, seed in read.items()
    }


def _with_properties(part: Part) -> Part:
    rows = [row.model_copy(update={"property": _property_of(row)}) for row in part.rows]
    return part.model_copy(update={"rows": rows})


class Document(_Strict):
    """What a tutorial holds, without its text."""

    sha256: str
    lines: dict[int, list[str]]


@functools.cache
def documents() -> dict[str, Document]:
    """The index of the tutorials by their number."""
    read = cast("dict[str, object]", yaml.load(LINES.read_text(encoding="utf-8"), yaml.CSafeLoader))
    return {name: Document.model_validate(each) for name, each in read.items()}
