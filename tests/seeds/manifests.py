"""Finds the manifests in a document, however they are laid out, and names each field by its path.

A tutorial may print a manifest on one line, or without indentation. So indentation is never looked at: a field belongs
to the innermost open mapping that knows it and does not have it yet, and `-` opens the next item of a list.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tests.seeds.element import DocumentError, Element, scalar
from tests.seeds.shapes import KNOWN, Fields, Items, Labels, Script, Shape, shape_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.seeds.element import Piece

_KEY: Final = re.compile(r"(?P<dash>- +)?(?<![\w\"'/.-])(?P<key>[A-Za-z][\w./-]*):(?=\s|$)")
_FIRST_KEY: Final = re.compile(r"\s*(?:- +)?(?P<key>[A-Za-z][\w./-]*):(?=\s|$)")
_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
_NEXT_WORD: Final = re.compile(r"(?:^|\s)- ")
_START: Final = "apiVersion"
_FRAGMENT: Final = "spec"
"""A manifest that is shown in part begins here."""
_FRAGMENT_OF: Final = "Pod"
_SEPARATOR: Final = re.compile(r"(?:^|\s)---(?=\s|$)")


@dataclass(slots=True)
class _Level:
    """An open mapping or list."""

    path: str
    shape: Fields | Labels | Items
    seen: set[str] = field(default_factory=set[str])
    count: int = 0
    """Items of a list that were opened."""


@dataclass(slots=True)
class _Manifest:
    """A manifest that is being read."""

    kind: str = _FRAGMENT_OF
    levels: list[_Level] = field(default_factory=lambda: [_Level("", shape_of(_FRAGMENT_OF))])
    found: list[Element] = field(default_factory=list[Element])
    script: str = ""
    """Path of the list of words that is open, if one is."""
    words: int = 0
    lines: int | None = None
    """Lines of the script that were read; None outside of one."""

    def named(self) -> Iterator[Element]:
        """Its fields with the kind before the path."""
        for each in self.found:
            yield Element(each.line, f"{self.kind}.{each.name}", each.value)

    def key(self, line: int, name: str, *, is_item: bool, value: str) -> None:
        """Take one field with the text behind it."""
        self.script, self.lines = "", None
        if name == "kind":
            self.kind = value.strip()
            self.levels = [_Level("", shape_of(self.kind), {_START})]
        level = self._level_for(line, name, is_item=is_item)
        level.seen.add(name)
        path = f"{level.path}[{name}]" if isinstance(level.shape, Labels) else f"{level.path}.{name}".removeprefix(".")
        self._open(line, path, None if isinstance(level.shape, Labels) else _member(level.shape, name), value)

    def _level_for(self, line: int, name: str, *, is_item: bool) -> _Level:
        while self.levels:
            level = self.levels[-1]
            if isinstance(level.shape, Items):
                if is_item and level.shape.item.admits(name):
                    item = _Level(f"{level.path}[{level.count}]", level.shape.item)
                    level.count += 1
                    self.levels.append(item)
                    return item
            elif not is_item and level.shape.admits(name) and name not in level.seen:
                return level
            self.levels.pop()
        raise DocumentError(f"line {line}: no open mapping of {self.kind} takes {name}")

    def _open(self, line: int, path: str, shape: Shape | None, text: str) -> None:
        value = _COMMENT.sub("", text).strip()
        match shape:
            case Fields() | Labels() | Items():
                self.levels.append(_Level(path, shape))
                if value not in ("", "-"):
                    raise DocumentError(f"line {line}: {path} is no single value")
            case Script():
                self.script, self.words = path, 0
                for word in _NEXT_WORD.split(text)[1:]:
                    self.word(line, word)
            case _:
                self.found.append(Element(line, path, scalar(value)))

    def word(self, line: int, text: str) -> None:
        """Take one item of the open list of words."""
        path = f"{self.script}[{self.words}]"
        self.words += 1
        if text.startswith("|"):
            self.lines = 0
            if text[1:].strip():
                self.script_line(line)
        else:
            self.found.append(Element(line, path, scalar(_COMMENT.sub("", text).strip())))

    def script_line(self, line: int) -> None:
        """Take one line of the script, whose text is code and not kept."""
        assert self.lines is not None
        self.lines += 1
        self.found.append(Element(line, f"{self.script}[{self.words - 1}] line {self.lines}"))


def _is_known(key: str) -> bool:
    return key in KNOWN or "/" in key


def _member(shape: Fields | Items | Labels, name: str) -> Shape:
    assert isinstance(shape, Fields)
    return shape.of[name]


class ManifestReader:
    """Reads pieces one after the other and keeps the manifests among them."""

    def __init__(self) -> None:
        self._open: _Manifest | None = None
        self.found: list[Element] = []

    def take(self, piece: Piece) -> bool:
        """Read a piece; whether it is part of a manifest.

        Raises:
            DocumentError: a line of a manifest has a field that is not known, or in a place where it cannot be.
        """
        if piece.is_after_words:
            self.end()
        taken = False
        for index, text in enumerate(_SEPARATOR.split(piece.text)):
            if index:
                self.end()
            taken = self._part(piece.line, text) or taken
        if piece.is_broken_off:
            self.end()
        return taken

    def end(self) -> None:
        """The manifest that is open ends here."""
        if self._open is not None:
            self.found.extend(self._open.named())
            self._open = None

    def _part(self, line: int, text: str) -> bool:
        keys = [each for each in _KEY.finditer(text) if _is_known(each["key"])]
        if self._open is None:
            keys = self._begin(keys, text)
            if not keys:
                return False
            self._open = _Manifest()
        first = _FIRST_KEY.match(text)
        is_in_script = self._open.lines is not None and not (first and _is_known(first["key"]))
        if is_in_script or not keys:
            return self._without_key(line, text, self._open)
        for each, following in zip(keys, [*keys[1:], None], strict=True):
            value = text[each.end() : following.start() if following else len(text)]
            is_item = each["dash"] is not None and each["key"] != _START
            self._open.key(line, each["key"], is_item=is_item, value=value)
        return True

    @staticmethod
    def _begin(keys: list[re.Match[str]], text: str) -> list[re.Match[str]]:
        """The keys from the first field of a manifest on; none where there is no such field."""
        starts = [index for index, each in enumerate(keys) if each["key"] == _START]
        if starts:
            return keys[starts[0] :]
        return keys if text.strip() == f"{_FRAGMENT}:" else []

    def _without_key(self, line: int, text: str, manifest: _Manifest) -> bool:
        if text.strip() in ("", "..."):
            return True
        if (unknown := _FIRST_KEY.match(text)) and manifest.lines is None:
            raise DocumentError(f"line {line}: {unknown['key']} is no known field")
        if manifest.script and manifest.lines is not None and not text.strip().startswith("```"):
            manifest.script_line(line)
        elif manifest.script and text.strip().startswith("- "):
            manifest.word(line, text.strip()[2:])
        else:
            self.end()
            return False
        return True
