"""Pictures of the docs: sound files, readable at 800 px, with words for those who do not see them, and in use."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

import pytest

from tests.docs.markdown import Page
from tests.docs.test_links import PAGES
from tests.tracked import tracked

if TYPE_CHECKING:
    from pathlib import Path

_PICTURES: Final = tracked("docs/pictures/*.svg")
_SVG: Final = "{http://www.w3.org/2000/svg}"
_WIDTH: Final = 800
_SMALLEST: Final = 11
"""Pixels of text at that width."""


def test_there_are_pictures() -> None:
    assert len(_PICTURES) >= 2


@pytest.mark.parametrize("path", _PICTURES, ids=lambda path: path.name)
def test_it_can_be_read(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    root = ET.fromstring(text)  # noqa: S314  our own files
    assert str(root.get("viewBox")).split()[2] == str(_WIDTH)
    assert "prefers-color-scheme: dark" in text
    sizes = [float(size) for size in re.findall(r"(?:font:|font-size:) *([0-9.]+)px", text)]
    assert sizes
    assert min(sizes) >= _SMALLEST
    assert all(part.text for name in ("title", "desc") for part in root.findall(f"{_SVG}{name}"))
    labels = set(str(root.get("aria-labelledby")).split())
    assert labels == {part.get("id") for name in ("title", "desc") for part in root.findall(f"{_SVG}{name}")}


@pytest.mark.parametrize("path", _PICTURES, ids=lambda path: path.name)
def test_it_is_shown_by_a_page(path: Path) -> None:
    pages = [Page.read(each) for each in PAGES.values()]
    shown = {(page.path.parent / target).resolve() for page in pages for _, target in page.links()}
    assert path in shown
