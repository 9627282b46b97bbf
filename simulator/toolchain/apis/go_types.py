"""The fields of Go types, by the names that they have in JSON.

The sources are read as text: they are gofmt's, a field or a constant a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.model.facts.apis.fields import Field, Life

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_STRUCT: Final = re.compile(r"^type (?P<name>\w+) struct \{\n(?P<body>.*?)^\}", re.MULTILINE | re.DOTALL)
_ALIAS: Final = re.compile(r"^type (?P<name>\w+) = (?P<target>\w+)$", re.MULTILINE)
_CONSTANT: Final = re.compile(r'^(?:const)?\s+\w+\s+(?P<type>\w+)\s+= "(?P<value>[^"]*)"', re.MULTILINE)
_FIELD: Final = re.compile(r'^\t(?:(?P<name>\w+)\s+)?(?P<type>[^\s`]+)\s+`[^`]*json:"(?P<json>[^"]*)"')
_DEPRECATED: Final = re.compile(r"^\t// (Deprecated:|\+deprecated$)", re.MULTILINE)
_LEAVES: Final = ("ObjectMeta",)
"""Types that are Kubernetes' own, with fields of no interest here."""


@dataclass(frozen=True, slots=True)
class _Source:
    """One package."""

    text: str

    def body(self, name: str) -> str | None:
        """The text in the braces of a struct; None if no struct has that name."""
        aliases = {match["name"]: match["target"] for match in _ALIAS.finditer(self.text)}
        wanted = aliases.get(name, name)
        return next((match["body"] for match in _STRUCT.finditer(self.text) if match["name"] == wanted), None)

    def values(self, name: str) -> dict[str, Life]:
        """The values of a string type's constants; none when there is no such type."""
        if f"\ntype {name} string\n" not in self.text:
            return {}
        return {match["value"]: Life() for match in _CONSTANT.finditer(self.text) if match["type"] == name}


class GoTypes:
    """Types of one package, and of others that it refers to."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Reads the files, or the files of the folders, in which the types are; the first is the package itself."""
        self._sources = [
            _Source("\n".join(each.read_text(encoding="utf-8") for each in _files(path))) for path in paths
        ]

    def fields(self, name: str) -> dict[str, Field]:
        """The fields of a struct; none when no struct has that name, or it has no JSON."""
        source = next((each for each in self._sources if each.body(name) is not None), None)
        body = None if source is None or name in _LEAVES else source.body(name)
        return dict(self._fields(body)) if body else {}

    def _fields(self, body: str) -> Iterator[tuple[str, Field]]:
        comment = ""
        for line in body.splitlines():
            match = _FIELD.match(line)
            if match is None:
                comment = f"{comment}\n{line}" if line.startswith("\t//") else ""
                continue
            key, _, options = match["json"].partition(",")
            type_ = re.sub(r"^[\[\]*]+", "", match["type"]).rpartition(".")[2]
            if options.startswith("inline"):
                yield from self.fields(type_).items()
            elif key not in ("", "-"):
                yield key, self._field(match["type"], type_, is_deprecated=bool(_DEPRECATED.search(comment)))
            comment = ""

    def _field(self, written: str, type_: str, *, is_deprecated: bool) -> Field:
        is_list, is_map = written.startswith("[]"), "map[" in written
        values = {value: life for each in self._sources for value, life in each.values(type_).items()}
        return Field(
            fields={} if is_map else self.fields(type_),
            values={} if is_list else values,
            deprecated="" if is_deprecated else None,
        )


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else [each for each in sorted(path.glob("*.go")) if "_test" not in each.name]
