"""The part of a report about those who queue."""

from __future__ import annotations

from typing import Any, Final

from policies.report.blocks import Page
from policies.report.page import as_html
from policies.report.rehearsed import Rehearsed, blocks, markdown_of

HOSTILE: Final = "<img src=x>|@all"


def found(teams: list[str]) -> dict[str, Any]:
    rows = [["team", "jobs"], *([team, "2"] for team in teams)]
    return {
        "heading": "2 jobs",
        "sentences": [f"{team} waits 2 h longer in the median." for team in teams],
        "tables": [{"title": "by team", "rows": rows}],
        "check": "Check against the record.",
        "remarks": ["a remark"],
        "from": "not of the report",
    }


def test_it_has_the_sentences_the_tables_the_check_and_the_remarks() -> None:
    assert markdown_of(found(["applied"])) == (
        "## Rehearsal\n\n### Those who queue\n\n2 jobs.\n\n- applied waits 2 h longer in the median.\n\n"
        "| team | jobs |\n|---|--:|\n| `applied` | 2 |\n\nCheck against the record.\n\n"
        "<details><summary>Remarks on the rehearsal</summary>\n\n- a remark\n\n</details>\n"
    )


def test_names_of_teams_are_no_markup() -> None:
    text = markdown_of(found([HOSTILE]))
    assert "| `<img src=x>\\|@all` | 2 |" in text
    assert "- &lt;img src=x&gt;\\|@<!-- -->all waits" in text
    page = as_html(Page("", tuple(blocks(Rehearsed.model_validate(found([HOSTILE]))))))
    assert "<img" not in page


def test_without_a_rehearsal_there_is_no_such_part() -> None:
    assert list(blocks(None)) == []
