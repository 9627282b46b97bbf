"""Lint of twice as many files is twice the work: counted in calls of functions, which no machine makes slower."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import pytest

from policies.lint.accepted import ignore_of
from policies.lint.files import File
from policies.lint.linting import Options, lint
from policies.lint.report_options import ReportOptions
from tests.lint.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import FrameType

_COUNT: Final = 40
_MOST: Final = 2.15
"""How many times the work of the first doubling the second one may be; the square of the number would make it 4."""
_COHORT: Final = "cohortName: all"
_JOBSET: Final = (
    "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: run-NUMBER}\nspec: {suspend: true}\n"
)
_BLANK: Final = (
    "apiVersion: batch/v1\nkind: Job\nmetadata: {name: run-NUMBER}\nspec: {parallelism: ${SIZE}, completions: <SIZE>}\n"
)
MIXES: Final = {
    **{f"{name} alone": (text,) for name, text in KINDS.items()},
    "all of them": tuple(KINDS.values()),
    "cohorts of their own": (KINDS["queues"].replace(_COHORT, "cohortName: team-NUMBER"),),
    "runs of installed controllers": (_JOBSET, KINDS["servers"], KINDS["queues"]),
    "blanks in many places": (_BLANK,),
}
"""Texts that take turns; NUMBER stands for the number of the file."""


def _calls(action: Callable[[], object]) -> int:
    """How many functions an action calls, those written in C among them."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(before)
    return count


def _files(texts: tuple[str, ...], count: int) -> list[File]:
    numbered = (texts[number % len(texts)].replace("NUMBER", str(number)) for number in range(count))
    return [File(f"all/{number}.yaml", text.encode(), is_walked=True) for number, text in enumerate(numbered)]


def _growth(files: Callable[[int], list[File]], report: ReportOptions) -> float:
    """How much more the step from 2 to 4 times the files adds than the step from 1 to 2; 2 where work is linear."""

    def run(count: int) -> None:
        made = files(count)
        report.applied(lint(made, Options()), made)

    run(_COUNT)  # what is read once for all is read now
    one, two, four = (_calls(lambda times=times: run(times * _COUNT)) for times in (1, 2, 4))
    return (four - two) / (two - one)


@pytest.mark.parametrize("mix", MIXES)
def test_the_work_grows_as_the_files_do(mix: str) -> None:
    assert _growth(lambda count: _files(MIXES[mix], count), ReportOptions()) < _MOST


def _overlays(count: int) -> list[File]:
    """A base with as many files as there are overlays."""
    names = [f"{number}.yaml" for number in range(count)]
    texts = {
        "base/kustomization.yaml": f"resources: [{', '.join(names)}]\n",
        **{f"base/{number}.yaml": KINDS["servers"].replace("NUMBER", str(number)) for number in range(count)},
        **{f"overlays/{number}/kustomization.yaml": "resources: [../../base]\n" for number in range(count)},
    }
    return [File(name, text.encode(), is_walked=True) for name, text in texts.items()]


def test_the_work_grows_as_a_base_and_its_overlays_do() -> None:
    assert _growth(_overlays, ReportOptions()) < _MOST


def _folders(count: int) -> list[File]:
    """Folders with queues and a workload whose LocalQueue none of them has."""
    text = f"{KINDS['runs'].replace('team-2', 'nowhere')}---\n{KINDS['queues']}"
    numbered = (text.replace("NUMBER", str(number)) for number in range(count))
    return [File(f"all/{number}/a.yaml", each.encode(), is_walked=True) for number, each in enumerate(numbered)]


def test_the_work_grows_as_the_folders_do() -> None:
    rules = [each.finding.rule for each in lint(_folders(3), Options()).shown]
    assert rules.count("workload-queue-exists") == 3
    assert _growth(lambda count: _folders(count // 2), ReportOptions()) < _MOST


def test_the_work_grows_as_the_findings_do_where_many_are_accepted(tmp_path: Path) -> None:
    ignores = tuple(ignore_of(f"image-is-pinned:{number}.yaml", tmp_path, "--ignore") for number in range(20))
    report = ReportOptions(ignores=ignores, folders=(tmp_path,))
    assert _growth(lambda count: _files((KINDS["accepted findings"],), count), report) < _MOST


@pytest.mark.parametrize(("power", "is_seen"), [(1, False), (2, True)])
def test_work_that_grows_faster_is_seen(power: int, *, is_seen: bool) -> None:
    def work(count: int) -> None:
        for _ in range(count**power):
            len("")

    one, two, four = (_calls(lambda times=times: work(times * _COUNT)) for times in (1, 2, 4))
    assert ((four - two) / (two - one) > _MOST) is is_seen
