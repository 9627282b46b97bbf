"""How the report is written: harmless whatever it is called, within its limit, the same every time."""

from __future__ import annotations

import io
import json
import random
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any, Final

import pytest

from policies.report.__main__ import main
from policies.report.blocks import Bullets, Group, Page, Paragraph, Span, Table, Tone, Verbatim, plain
from policies.report.events import UnreadableError, read_events, read_state
from policies.report.markdown import CHARACTERS, TooLongError, as_markdown, markdown_within
from policies.report.page import as_html
from tests.policies.report.large import change
from tests.policies.report.stream import (
    WHOLE,
    error,
    html_of,
    markdown_of,
    report,
    resources,
    state,
    steps,
    stream,
    told,
    violation,
)
from tests.stacks import GCP_PROJECT, PLATFORM_KEY, a_platform

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

EVIL: Final = '<script>alert(1)</script> | `x` ``y`` @octocat #1 https://evil.example [a](b) **b** "q" \n# h'
_VOID: Final = frozenset({"meta"})


class _Outline(HTMLParser):
    """The elements of a page, and whether each is closed in its turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.open += [] if tag in _VOID else [tag]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def outline(html: str) -> _Outline:
    parser = _Outline()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return parser


def evil_page() -> Page:
    row = (plain(EVIL), plain("", EVIL), (Span(EVIL, Tone.BAD),))
    parts = (Paragraph(plain(EVIL)), Bullets((plain("", EVIL),)), Table((EVIL, "b", "c"), (row,)))
    return Page(EVIL, (*parts, Verbatim(f"{EVIL}\n```\nnot out of it", "diff")))


def test_no_name_becomes_markup_in_html() -> None:
    found = outline(as_html(evil_page()))
    assert found.seen & {"script", "a", "img", "link", "iframe"} == set()
    assert found.attributes <= {"lang", "charset", "name", "content", "http-equiv", "class"}


def test_no_name_becomes_markup_in_markdown() -> None:
    text = as_markdown(evil_page())
    outside = re.sub(r"(`+)[^`].*?(?<!`)\1(?!`)", "", text.split("````diff")[0])
    assert "<script" not in outside
    assert not re.search(r"[@#]\w|\w://|(?<!\\)\*\*b|(?<!\\)\[a", outside)
    assert text.split("````diff\n")[1].rstrip().endswith("not out of it\n````")
    rows = [line for line in text.split("\n") if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {4}


@pytest.mark.parametrize("opening", ["- x", "+ x", "# x", "1. x", "12) x", "=== x"])
def test_no_line_begins_a_list_or_a_heading(opening: str) -> None:
    assert "\\" in as_markdown(Page("t", (Paragraph(plain(opening)),))).split("\n")[2]


def test_figures_are_left_as_they_are() -> None:
    assert as_markdown(Page("t", (Paragraph(plain("22.91 USD")),))).split("\n")[2] == "22.91 USD"


def test_a_page_needs_nothing_from_elsewhere() -> None:
    there = resources(a_platform())
    html = html_of(report(stream(steps({}, there))))
    assert not re.search(r"(?:src|href)=|url\(|@import", html)
    assert "prefers-color-scheme: dark" in html
    outline(html)


def test_three_thousand_resources_fit_and_nothing_is_cut() -> None:
    made = report(change(3000))
    text = markdown_of(made)
    assert len(text) <= CHARACTERS
    assert text.count("<details>") == text.count("</details>") > 0
    assert len(re.findall(r"^```", text, re.MULTILINE)) % 2 == 0
    assert "**Chips:** `v5e on-demand` " in text
    assert text.endswith(f"\nThis page is shortened. {WHOLE}\n")
    html = html_of(made)
    outline(html)
    assert len(re.findall(r"<tr><td>(?:create|update|replace|delete)</td>", html)) == 3000


def test_what_is_left_out_is_counted() -> None:
    text = told(change(3000))
    rows = len(re.findall(r"^\| (?:create|update|replace|delete) \|", text, re.MULTILINE))
    [more] = re.findall(r"^\| and ([\d,]+) more \|", text.split("### What changes")[1], re.MULTILINE)
    assert rows + int(more.replace(",", "")) == 3000


def test_messages_of_any_length_fit() -> None:
    long = [violation(f"policy-{number}", "word " * 20_000) for number in range(300)]
    text = told(stream([], *long, error("line\n\n" * 20_000 + "x" * 500_000), result="failed"))
    assert len(text) <= CHARACTERS
    assert re.search(r"\.\.\. \(100,007 characters\)$", text, re.MULTILINE)
    assert re.search(r"^- and \d+ more$", text, re.MULTILINE)


def needed(most: int) -> Page:
    lines = tuple(plain(f"slice {number} ends") for number in range(most))
    rest = tuple((plain(f"row {number}"), ()) for number in range(2000))
    return Page("t", (Group("What ends", (Bullets(lines),), is_needed=True), Group("Rest", (Table(("a", "b"), rest),))))


def test_what_every_report_must_have_stays_whole_as_long_as_anything_else_can_be_shortened() -> None:
    text = markdown_within(needed(300), WHOLE, 8000)
    assert text.count("\n- slice ") == 300
    assert "| row 59 |  |\n| and 1,940 more |  |" in text
    shorter = markdown_within(needed(3000), WHOLE, 8000)
    assert "- slice 199 ends\n- and 2,800 more\n" in shorter
    with pytest.raises(TooLongError):
        markdown_within(needed(1), WHOLE, limit=100)


def test_the_order_of_events_makes_no_difference() -> None:
    events = [json.loads(line) for line in change(300)]
    mixed = random.Random(0).sample(events, len(events))  # noqa: S311  any order will do
    assert told(json.dumps(each) for each in mixed) == told(json.dumps(each) for each in events)


@pytest.mark.parametrize(
    "event",
    [
        {"resourcePreEvent": {"metadata": {"op": "vanish", "urn": "u", "type": "t", "old": None, "new": None}}},
        {"resourcePreEvent": {}},
        {"summaryEvent": []},
    ],
)
def test_what_the_engine_never_says_is_refused(event: dict[str, Any]) -> None:
    with pytest.raises(UnreadableError, match="line 2 is not an event of the engine"):
        read_events(["noise", json.dumps(event)])


def test_an_event_without_end_is_refused() -> None:
    with pytest.raises(UnreadableError, match="line 1 is not an event of the engine"):
        read_events(['{"a":' * 100_000])


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2, "deployment": {}}', '{"version": 3}', "[" * 100_000])
def test_what_is_no_state_is_refused(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_state(text)


def test_the_command_writes_both_and_says_whether_it_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = resources(a_platform())
    events, page, text = tmp_path / "events", tmp_path / "report.html", tmp_path / "report.md"
    events.write_text("\n".join(stream(steps({}, there))))
    assert main([str(events), "--html", str(page), "--markdown", str(text), "--stack", "mine"]) == 0
    assert text.read_text().startswith("## Preview of mine\n")
    assert page.read_text().startswith("<!doctype html>")
    assert str(text) in capsys.readouterr().out
    events.write_text("\n".join(stream([], violation("p", "t"), result="failed")))
    assert main([str(events)]) == 1
    assert "Does not pass" in capsys.readouterr().out
    events.write_text("\n".join(change(3000)))
    for flags, whole in (
        (["--page", "https://example.com/run#artifacts"], WHOLE),
        (["--html", str(page)], "`report.html` has all rows."),
        ([], "`tpu report --html` writes all rows."),
    ):
        assert main([str(events), *flags]) == 1
        assert capsys.readouterr().out.endswith(f"\nThis page is shortened. {whole}\n")
    events.write_text("{")
    assert main([str(events)]) == 2
    assert capsys.readouterr().err.startswith("report: line 1 is not an event of the engine")
    assert main([str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.startswith("report: [Errno 2] No such file or directory: ")


def test_the_command_tells_of_a_refused_preview_by_state_stack_file_and_prices(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events, exported, stack_file, prices = (tmp_path / name for name in ("events", "state", "Pulumi.x.yaml", "prices"))
    events.write_text("\n".join(stream([], error("refused"), result="failed")))
    exported.write_text(json.dumps(state(resources(a_platform()))))
    broken = a_platform().set("queues", 0, "flavors", 0, chips=4).platform
    stack_file.write_text(json.dumps({"config": {"gcp:project": GCP_PROJECT, PLATFORM_KEY: broken}}))
    prices.write_text("read: 2030-01-02\ncurrency: EUR\nsource: ours\ncluster: 0.5\n")
    given = ["--state", str(exported), "--stack-file", str(stack_file), "--prices", str(prices)]
    assert main([str(events), *given]) == 1
    text = capsys.readouterr().out
    assert "what follows is what the stack file says" in text
    assert "- **Quota:** `research v5e-2x4` 16 → ▼ **4**." in text
    assert "- **Cost:** at least 0.50 EUR an hour, at least 365.00 EUR a month, as before; " in text
    for flag in given[::2]:
        assert main([str(events), flag, str(tmp_path / "gone")]) == 2
        assert f"{tmp_path / 'gone'}" in capsys.readouterr().err


@pytest.mark.parametrize("flag", ["", "--state", "--stack-file", "--prices"])
@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("a".encode("utf-16"), "1: it is UTF-16, and must be UTF-8. Save the file as UTF-8."),
        (b"{}\nn: caf\xe9\n", "2: byte 0xe9 is not UTF-8. Save the file as UTF-8."),
    ],
    ids=["UTF-16", "Latin-1"],
)
def test_what_is_not_utf_8_is_named_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flag: str, content: bytes, says: str
) -> None:
    events, file = tmp_path / "events", tmp_path / "file"
    events.write_text("\n".join(stream([], error("refused"), result="failed")))
    file.write_bytes(content)
    assert main([str(events), flag, str(file)] if flag else [str(file)]) == 2
    assert capsys.readouterr().err == f"report: {file}:{says}\n"


def test_standard_input_is_read_as_utf_8(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfea\0"), encoding="latin-1"))
    assert main(["-"]) == 2
    assert capsys.readouterr().err.startswith("report: -:1: it is UTF-16")


def test_levels_that_exhaust_the_stack_are_refused() -> None:
    """Whoever reaches them first: the reader of JSON, or who walks through the values that it read."""
    event = {"op": "create", "urn": "u", "type": "t", "old": None, "new": {"inputs": "DEEP"}}
    texts = (
        json.dumps({"resourcePreEvent": {"metadata": event}}),
        json.dumps({"version": 3, "deployment": {"resources": [{"urn": "u", "type": "t", "inputs": "DEEP"}]}}),
    )
    readers: tuple[Callable[[str], object], ...] = (lambda text: read_events([text]), read_state)
    for text, read in zip(texts, readers, strict=True):
        opening, refused = '{"a":', list[int]()
        for levels in range(100, 2000, 100):
            try:
                read(text.replace('"DEEP"', opening * levels + "1" + "}" * levels))
            except UnreadableError:
                refused.append(levels)
        assert 100 not in refused
        assert 1900 in refused
