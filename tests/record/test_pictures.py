"""The pictures: sound files that need nothing else, light and dark; and what a browser makes of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

import pytest

from tests import browser
from tests.watch.records import START, Story, stamp
from tpu.pictures.areas import COLORS, OTHERS, areas
from tpu.pictures.axis import LEFT, RIGHT, Axis
from tpu.pictures.gantt import PARTS, Bar, Row, gantt
from tpu.pictures.page import Section, page
from tpu.pictures.sketch import Sketch
from tpu.trace.lines import HOUR
from tpu.watch.picture import timeline_page

if TYPE_CHECKING:
    from pathlib import Path

_SVG: Final = "{http://www.w3.org/2000/svg}"
_AXIS: Final = Axis(0, 4 * HOUR, is_relative=True)
_NASTY: Final = '<script>alert("a")</script>\x07'


def a_template(*, chips: int) -> dict[str, object]:
    """The template of a pod."""
    return {"spec": {"containers": [{"resources": {"limits": {"google.com/tpu": str(chips)}}}]}}


def _parts(picture: str, name: str) -> list[ET.Element]:
    return list(ET.fromstring(picture).iter(f"{_SVG}{name}"))  # noqa: S314  our own text


def _bars(picture: str) -> dict[str, tuple[str, float, float]]:
    """The bars with a title: class, left edge and width, by title."""
    rects = [each for each in _parts(picture, "rect") if each.find(f"{_SVG}title") is not None]
    return {
        str(each.findtext(f"{_SVG}title")): (
            str(each.get("class")),
            float(str(each.get("x"))),
            float(str(each.get("width"))),
        )
        for each in rects
    }


def test_a_bar_is_where_its_time_is() -> None:
    row = Row("train", [Bar(0, HOUR, "waiting", 8), Bar(HOUR, 3 * HOUR, "used", 8)])
    quarter = (RIGHT - LEFT) / 4
    assert _bars(gantt([row], _AXIS, "chips")) == {
        "train waits with 8 chips for 3600 s": ("waiting", LEFT, quarter),
        "train runs with 8 chips for 7200 s": ("used", LEFT + quarter, 2 * quarter),
    }


def test_ticks_are_round_and_few() -> None:
    assert [label for _, label in _AXIS.ticks()] == [
        "+0 s",
        "+30 min",
        "+1 h",
        "+90 min",
        "+2 h",
        "+150 min",
        "+3 h",
        "+210 min",
        "+4 h",
    ]
    for hours in (1, 5, 30, 200, 9000):
        assert 2 <= len(Axis(HOUR // 7, HOUR // 7 + hours * HOUR).ticks()) <= 9


def test_areas_are_stacked_to_their_sum() -> None:
    teams = {"a": Counter({0: 8, 2 * HOUR: -8}), "b": Counter({HOUR: 8})}
    picture = areas(teams, Counter({0: 16}), _AXIS, "chips")
    shapes = {str(each.findtext(f"{_SVG}title")): str(each.get("d")) for each in _parts(picture, "path") if len(each)}
    assert list(shapes) == ["b", "a"]
    middle, top = 12 + 220 / 2, 12.0
    heights = {float(value) for value in re.findall(r"V([0-9.]+)", shapes["a"])}
    assert top in heights
    assert middle in heights


def test_small_teams_share_the_last_color() -> None:
    teams = {f"team-{index:02}": Counter({0: 20 - index, HOUR: index - 20}) for index in range(12)}
    picture = areas(teams, Counter(), _AXIS, "chips")
    titles = [each.findtext(f"{_SVG}title") for each in _parts(picture, "path") if len(each)]
    assert titles == [*(f"team-{index:02}" for index in range(COLORS - 1)), OTHERS]


def test_the_jobs_with_most_chip_time_are_shown_and_the_others_are_counted() -> None:
    sketch = Sketch()
    for index in range(70):
        sketch.add(f"job-{index}", "a", Bar(0, HOUR * (index + 1), "used", 1))
        sketch.add(f"job-{index}", "a", Bar(HOUR * (index + 1), HOUR * (index + 2), "used", 1))
    jobs, _ = sketch.sections(Axis(0, 72 * HOUR))
    assert len(_bars(jobs.picture)) == 60, "bars that touch are one"
    assert jobs.remarks == ["10 more jobs took fewer chip-hours than these 60."]


def test_a_page_needs_nothing_else_and_obeys_no_name() -> None:
    row = Row(_NASTY, [Bar(0, HOUR, "lost", 8)])
    text = page(_NASTY, [Section("a", gantt([row], _AXIS, "chips"), [["team"], [_NASTY]], [_NASTY])])
    assert "<script" not in text
    assert "\x07" not in text
    assert re.findall(r'(?:src|href)=|url\(|https?://(?!www\.w3\.org/2000/svg")', text) == []
    assert "prefers-color-scheme: dark" in text
    used = {name for each in re.findall(r'class="([^"]+)"', text) for name in each.split()}
    assert [name for name in (*used, *PARTS) if f".{name}" not in text] == []


def test_the_timeline_is_drawn_from_the_entries_of_its_text() -> None:
    story = Story()
    story.queued(0, "low", 16)
    story.admitted(1, "low")
    story.placed(5, "low-slice-0-0-aaaaa", "np1-1")
    story.queued(60, "high", 16)
    story.preempted(70, "low", "high")
    story.admitted(71, "high")
    story.finished(100, "high")
    story.admitted(101, "low")
    story.finished(120, "low")
    text = timeline_page(story.record(), START.timestamp() + 500)
    picture = text[text.index("<svg") : text.index("</svg>") + 6]
    assert {title: found[0] for title, found in _bars(picture).items()} == {
        "low waits for 1 s": "waiting",
        "low has quota, its pods do not run yet with 16 chips for 4 s": "reserved",
        "low ran, and was evicted with 16 chips for 65 s": "lost",
        "low waits for 31 s": "waiting",
        "low has quota, its pods do not run yet with 16 chips for 19 s": "reserved",
        "high waits for 11 s": "waiting",
        "high has quota, its pods do not run yet with 16 chips for 29 s": "reserved",
    }


@pytest.mark.parametrize(
    ("reason", "message"),
    [("Preempted", "Preempted by pod Pod-high on node np1-1"), ("TaintManagerEviction", "Marking for deletion")],
)
def test_what_the_scheduler_preempts_is_lost_though_its_quota_is_not(reason: str, message: str) -> None:
    story = Story()
    story.queued(0, "low", 8)
    story.admitted(1, "low")
    story.placed(5, "low-slice-0-0-aaaaa", "np1-1")
    story.event(65, "Pod", "low-slice-0-0-aaaaa", reason, message)
    story.placed(80, "low-slice-0-0-bbbbb", "np2-1")
    story.finished(120, "low")
    text = timeline_page(story.record(), START.timestamp() + 500)
    assert {title: found[0] for title, found in _bars(text[text.index("<svg") : text.index("</svg>") + 6]).items()} == {
        "low waits for 1 s": "waiting",
        "low has quota, its pods do not run yet with 8 chips for 4 s": "reserved",
        "low ran, and was evicted with 8 chips for 60 s": "lost",
        "low has quota, its pods do not run yet with 8 chips for 15 s": "reserved",
        "low runs with 8 chips for 40 s": "used",
    }


def test_a_job_without_a_queue_waits_after_it_was_preempted() -> None:
    story = Story()
    spec = {"parallelism": 2, "template": a_template(chips=4)}
    metadata = {"name": "low", "uid": "low", "creationTimestamp": stamp(0), "resourceVersion": "1"}
    story.placed(5, "low-0-aaaaa", "np1-1")
    story.event(65, "Pod", "low-0-aaaaa", "Preempted", "Preempted by pod Pod-high on node np1-1")
    story.placed(80, "low-0-bbbbb", "np2-1")
    record = story.record(jobs=[{"kind": "Job", "metadata": metadata, "spec": spec}])
    text = timeline_page(record, START.timestamp() + 100)
    assert {title: found[0] for title, found in _bars(text[text.index("<svg") : text.index("</svg>") + 6]).items()} == {
        "low waits for 5 s": "waiting",
        "low ran, and was evicted with 8 chips for 60 s": "lost",
        "low waits for 15 s": "waiting",
        "low runs with 8 chips for 20 s": "used",
    }


def test_a_job_whose_pods_have_all_succeeded_does_not_wait_for_its_end() -> None:
    story = Story()
    story.queued(0, "train", 8)
    story.admitted(1, "train")
    story.finished(50, "train")
    done = {"completionTime": stamp(40)}
    owner = {"kind": "JobSet", "name": "train"}
    child = {
        "metadata": {"name": "train-0", "namespace": "default", "resourceVersion": "7", "ownerReferences": [owner]},
        "spec": {"parallelism": 2, "template": a_template(chips=4)},
        "status": done,
    }
    text = timeline_page(story.record(child_jobs=[child]), START.timestamp() + 500)
    titles = _bars(text[text.index("<svg") : text.index("</svg>") + 6])
    assert list(titles) == ["train waits for 1 s", "train has quota, its pods do not run yet with 8 chips for 39 s"]


_ASK: Final = """
const box = each => {
  const {left, right, width} = each.getBoundingClientRect();
  return [left, right, width].map(Math.round);
};
const bars = [...document.querySelectorAll("svg rect, svg path")].filter(each => each.querySelector("title"));
JSON.stringify({
  paper: getComputedStyle(document.body).backgroundColor,
  colors: Object.fromEntries(bars.map(each => [each.getAttribute("class"), getComputedStyle(each).fill])),
  boxes: Object.fromEntries(bars.map(each => [each.getAttribute("class"), box(each)])),
  texts: [...document.querySelectorAll("svg text")].filter(each => each.getBoundingClientRect().width > 0).length,
  scrolls: document.documentElement.scrollWidth > window.innerWidth,
  loaded: performance.getEntriesByType("resource").length,
})
"""
_COLORS: Final = {
    "light": ("#ffffff", {"waiting": "#d1d9e0", "used": "#1a7f37", "c0": "#0969da"}),
    "dark": ("#0d1117", {"waiting": "#3d444d", "used": "#3fb950", "c0": "#4493f8"}),
}


def _rgb(color: str) -> str:
    return f"rgb({', '.join(str(int(color[at : at + 2], 16)) for at in (1, 3, 5))})"


@pytest.mark.skipif(not browser.is_installed(), reason="needs libraries of a desktop, such as libnss3")
@pytest.mark.parametrize("width", [1000, 400], ids=["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_draws_both_pictures_in_the_colors_of_its_scheme(tmp_path: Path, scheme: str, width: int) -> None:
    row = Row("train", [Bar(0, 2 * HOUR, "waiting", 8), Bar(2 * HOUR, 4 * HOUR, "used", 8)])
    team = {"research": Counter({0: 8, 4 * HOUR: -8})}
    pictures = gantt([row], _AXIS, "chips"), areas(team, Counter({0: 16}), _AXIS, "chips")
    file = tmp_path / "page.html"
    file.write_text(page("a", [Section("a", each) for each in pictures]))
    found = json.loads(browser.seen(file, _ASK, scheme=scheme, width=width))
    paper, colors = _COLORS[scheme]
    assert (found["paper"], found["colors"]) == (_rgb(paper), {name: _rgb(each) for name, each in colors.items()})
    (left, middle, one), (between, right, other), (first, last, _) = found["boxes"].values()
    assert 0 < left < middle == between < right < width
    assert (one, first, last) == (other, left, right)
    assert (found["texts"] > 4, found["scrolls"], found["loaded"]) == (True, False, 0)
