"""Every link inside the repository leads somewhere: a file, a heading, a picture; and paths in the docs are there."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

from tests.docs.blocks import documents
from tests.docs.markdown import Page, anchor
from tests.tracked import ROOT, top_folders

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGES = {name: ROOT / name for name in documents()}


@cache
def _page(path: Path) -> Page:
    return Page.read(path)


def _anchors(file: Path, page: Page) -> frozenset[str]:
    return page.anchors if file == page.path else _page(file).anchors


def _broken(page: Page) -> Iterator[str]:
    """Links that lead nowhere, with their lines."""
    for number, target in page.links():
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        file = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
        if (parts.path and not file.exists()) or not file.is_relative_to(ROOT):
            yield f"{page.path.name}:{number}: {target}: there is no such file"
        elif parts.fragment and file.suffix == ".md" and parts.fragment not in _anchors(file, page):
            yield f"{page.path.name}:{number}: {target}: there is no such heading"


def _absent(page: Page) -> Iterator[str]:
    """Paths in backticks that look like some of this repository, and are not there."""
    for number, code in page.code():
        top, separator, _ = code.partition("/")
        is_path = separator and all(mark not in code for mark in " <>*{}$()=:,")
        if is_path and top in top_folders() and not (ROOT / code).exists():
            yield f"{page.path.name}:{number}: {code}: there is no such path"


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_somewhere(name: str) -> None:
    assert list(_broken(_page(PAGES[name]))) == []


@pytest.mark.parametrize("name", PAGES)
def test_every_path_of_the_repository_is_there(name: str) -> None:
    assert list(_absent(_page(PAGES[name]))) == []


def test_the_readme_leads_to_every_page_of_the_docs() -> None:
    found = {name for name in PAGES if name.startswith("docs/")}
    reached, waiting = {"README.md"}, [PAGES["README.md"]]
    while waiting:
        page = _page(waiting.pop())
        for _, target in page.links():
            parts = urlsplit(target)
            file = (page.path.parent / parts.path).resolve()
            name = str(file.relative_to(ROOT)) if not parts.scheme and file.is_relative_to(ROOT) else ""
            if name in PAGES and name not in reached:
                reached.add(name)
                waiting.append(file)
    assert found - reached == set()


# --- the reading of Markdown


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("On Google Cloud", "on-google-cloud"),
        ("Would a test notice?", "would-a-test-notice"),
        ("`make up` and then", "make-up-and-then"),
        ("A, b & c", "a-b--c"),
        ("See [the rules](rules.md)", "see-the-rules"),
        ("snake_case stays", "snake_case-stays"),
    ],
)
def test_anchors_are_as_github_makes_them(heading: str, expected: str) -> None:
    assert anchor(heading) == expected


def test_a_page_is_read_as_markdown(tmp_path: Path) -> None:
    text = (
        "# One\n## Twice\n## Twice\n[a](x.md#b) `[no](y.md)` ![p](z.svg)\n```sh\n[no](n.md)\n# no\n```\n"
        '[![i](i.svg)](l.md) <img src="s.svg">\n[r]: ref.md\n'
    )
    page = Page(tmp_path / "page.md", text)
    assert page.anchors == {"one", "twice", "twice-1"}
    targets = ["x.md#b", "z.svg", "l.md", "i.svg", "s.svg", "ref.md"]
    assert [target for _, target in page.links()] == targets
    assert list(page.code()) == [(4, "[no](y.md)")]


def test_a_link_that_leads_nowhere_is_found() -> None:
    page = Page(ROOT / "docs" / "new.md", "# Here\n[a](#here) [b](#there)\n[c](gone.md) [d](../README.md#try-it)\n")
    told = ["new.md:2: #there: there is no such heading", "new.md:3: gone.md: there is no such file"]
    assert list(_broken(page)) == told


def test_a_path_that_is_not_there_is_found() -> None:
    page = Page(ROOT / "docs" / "new.md", "`components/model/gone.py` `components/model/` `batch/v1` `tests/*.py`\n")
    assert list(_absent(page)) == ["new.md:1: components/model/gone.py: there is no such path"]
