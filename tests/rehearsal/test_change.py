"""What a change of the stack file does to those who queue, decided by Kueue's scheduler."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from components.model.stack_file.reading import read
from policies.report.__main__ import main as report
from policies.report.rehearsed import rehearsed_in
from tests.rehearsal.recorded import CHANGED, START, asked, at, busy, dev, evicted, finished, record_of, reserved, whole
from tests.stacks import PLATFORM_KEY, committed_plan, given_file, stack_file
from tpu.rehearsal.change.comparing import Comparison, compared, fidelity_of
from tpu.rehearsal.change.settings import setting_of
from tpu.rehearsal.change.sides import lines_of
from tpu.rehearsal.change.stack_files import StackFileError, former, proposed
from tpu.rehearsal.change.week import week_of
from tpu.rehearsal.change.words import check, data, sentences
from tpu.rehearsal.running import rehearse
from tpu.rehearse import main
from tpu.trace.generating import Numbers, generated
from tpu.trace.lines import Gone, Line, Paused
from tpu.trace.reading import Remarks, TraceError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a record, the stack file and the one before."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "week.jsonl").write_text(record_of(busy()))
    (tmp_path / "before.yaml").write_text(dev())
    (tmp_path / "Pulumi.dev.yaml").write_text(dev(CHANGED))
    return tmp_path


def _compared(folder: Path, command: Path) -> Comparison:
    file = folder / "Pulumi.dev.yaml"
    return compared(folder / "week.jsonl", former(file, str(folder / "before.yaml")), proposed(file), command)


def test_who_loses_quota_waits_longer_and_by_how_much(folder: Path, command: Path) -> None:
    found = _compared(folder, command)
    before, after = found.before.teams["applied"], found.after.teams["applied"]
    assert (before.jobs, before.median, before.most, before.evictions) == (2, 0, 0, 0)
    assert (after.jobs, after.median, after.most, after.evictions) == (2, 2911, 2921, 0)
    assert (found.before.teams["research"].evictions, found.after.teams["research"].evictions) == (2, 0)
    assert sentences(found) == [
        (
            "applied waits 48 min 31 s longer in the median (0 s before, 48 min 31 s after); waits 48 min 41 s "
            "longer at the 95th percentile (0 s before, 48 min 41 s after)."
        ),
        "research has 2 fewer evictions (2 before, 0 after).",
    ]


def test_the_rehearsal_of_the_stack_before_repeats_the_record(folder: Path, command: Path) -> None:
    found = _compared(folder, command).fidelity
    assert (found.jobs, found.admitted, found.same_flavors, found.same_evictions) == (6, 6, 6, 6)
    assert (found.only_recorded, found.only_rehearsed, found.median, found.most) == (0, 0, 0, 0)


def test_chip_hours_of_each_side_add_up_to_the_quota(folder: Path, command: Path) -> None:
    found = data(_compared(folder, command))
    assert [each["name"] for each in found["flavors"]] == ["v5e", "v6e-flex"]
    for each in found["flavors"]:
        for side in ("before", "after"):
            assert sum(each[side].values()) == pytest.approx(16 * 4600 / 3600)
    v5e = found["flavors"][0]
    assert v5e["before"]["used"] == pytest.approx(8 * (3000 + 600 + 3000) / 3600)
    assert v5e["before"]["lost"] == pytest.approx(8 * 80 / 3600)
    assert v5e["after"]["lost"] == 0


def test_another_record_shows_how_far_the_rehearsal_is_from_it(folder: Path, command: Path) -> None:
    lines = [
        *(asked("a", "applied", 100), asked("b", "applied", 200)),
        *reserved("a", 160, flavor="v6e-flex"),
        *(finished("a", 400), asked("c", "applied", 500), *reserved("c", 500), *evicted("c", 600)),
    ]
    (folder / "week.jsonl").write_text(record_of(whole(lines, 1000)))
    found = _compared(folder, command).fidelity
    assert (found.jobs, found.admitted, found.same_flavors, found.same_evictions) == (3, 2, 1, 2)
    assert (found.only_recorded, found.only_rehearsed, found.median, found.most) == (0, 1, 0, 60)
    assert check(found) == (
        "Check against the record, with the stack before: of 3 jobs, the record and the rehearsal both admit 2, 1 of "
        "them in the same flavor. 2 are evicted equally often. The times of admission differ by 0 s in the median and "
        "by 1 min at the 95th percentile. Only the record admits 0, only the rehearsal 1."
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_a_rehearsal_decided_is_repeated_from_its_record(seed: int, command: Path) -> None:
    plan = committed_plan("dev")
    teams = (("research", "research"), ("applied", "applied"))
    made = generated(Numbers(start=START, days=3, workloads=60, chips=32, hours=2, teams=teams, seed=seed))
    first = week_of(list(made), Remarks())
    setting = setting_of(first, plan)
    outcome = rehearse(setting.rehearsal, command)
    assert any(each.event == "evicted" for each in outcome.decisions)
    again = week_of(list(lines_of(first, setting, outcome)), Remarks())
    other = setting_of(again, plan)
    found = fidelity_of(again, other, rehearse(other.rehearsal, command))
    assert found.jobs == found.same_evictions == len(again.jobs) - len(other.held)
    assert found.admitted == found.same_flavors > 20
    assert (found.only_recorded, found.only_rehearsed, found.most) == (0, 0, 0)


def _work(*lines: Line, until: int = 10_000) -> tuple[int | None, int | None]:
    week = week_of(whole([asked("a", "applied", 10), *lines], until), Remarks())
    return week.work(next(iter(week.jobs.values())))


def test_run_times_of_jobs_that_were_evicted_and_ran_again() -> None:
    assert _work(*reserved("a", 10), finished("a", 70)) == (60, None)
    assert _work(*reserved("a", 10), *evicted("a", 50), *reserved("a", 100), finished("a", 200)) == (100, None)
    assert _work(*reserved("a", 10), *evicted("a", 150), *reserved("a", 200), finished("a", 230)) == (170, 1)
    assert _work(*reserved("a", 10), *evicted("a", 150), *reserved("a", 200)) == (None, None)
    assert _work(*reserved("a", 10), *evicted("a", 150), Gone(at=at(300), uid="uid-a")) == (140, None)
    assert _work(*reserved("a", 10), Paused(at=at(80), uid="uid-a"), *evicted("a", 80)) == (70, None)
    assert _work(*reserved("a", 10)) == (None, None)


def test_the_time_until_pods_start_is_that_of_the_flavor(command: Path) -> None:
    lines: list[Line] = []
    for index, delay in enumerate((20, 30, 100)):
        name = f"j{index}"
        *quota, ready = reserved(name, 1000 * index)
        lines += [
            asked(name, "applied", 1000 * index),
            *quota,
            ready.model_copy(update={"at": ready.at + delay * 1000}),
        ]
        lines.append(finished(name, 1000 * index + 400))
    week = week_of(whole(lines, 5000), Remarks())
    assert week.delays == {"v5e": 30}
    assert [week.work(job) for job in week.jobs.values()] == [(370, None)] * 3
    setting = setting_of(week, committed_plan("dev"))
    ended = [each.at for each in rehearse(setting.rehearsal, command).decisions if each.event == "finished"]
    assert ended == [400, 1400, 2400]


def test_what_has_quota_at_the_start_keeps_it(command: Path) -> None:
    lines = [
        *(asked("a", "applied", -500), *reserved("a", -400), finished("a", 300)),
        *(asked("b", "applied", -9000), *reserved("b", -8000), finished("b", -7000)),
        *(asked("c", "research", 10, chips=16), *reserved("c", 300, chips=16, queue="research"), finished("c", 400)),
    ]
    week = week_of(whole(lines, 1000), Remarks())
    setting = setting_of(week, committed_plan("dev"))
    assert (list(week.jobs), setting.held) == (["applied/a", "research/c"], {"applied/a"})
    outcome = rehearse(setting.rehearsal, command)
    assert [(each.at, each.event) for each in outcome.of("applied/a")][-1] == (300, "finished")
    lacking = json.loads(dev())
    for queue in lacking["config"][PLATFORM_KEY]["queues"]:
        del queue["flavors"][0]
    other = setting_of(week, read(given_file(json.dumps(lacking))).declared or committed_plan("dev"))
    assert (other.held, other.remarks) == (
        frozenset(),
        ("1 job: the stack lacks the quota that it has at the start; it queues again",),
    )
    assert [each.at for each in rehearse(other.rehearsal, command).of("applied/a")][-1] > 300
    changed = committed_plan("multislice")
    with pytest.raises(
        TraceError, match="it has no LocalQueue of the record, which has applied/applied and research/r"
    ):
        setting_of(week, changed)


def test_workloads_that_left_before_they_had_quota_and_names_that_come_again() -> None:
    remarks = Remarks()
    again = asked("a", "applied", 500).model_copy(update={"uid": "other"})
    gone: list[Line] = [asked("gone", "applied", 20), Gone(at=at(30), uid="uid-gone")]
    off: list[Line] = [asked("off", "applied", 20), Paused(at=at(30), uid="uid-off")]
    week = week_of(whole([asked("a", "applied", 10), *gone, *off, again], 1000), remarks)
    assert list(week.jobs) == ["applied/a", "applied/a-2"]
    assert remarks.texts() == ["2 Workloads: it ended, or somebody took it back, before it had quota; left out"]


def test_a_queue_of_one_side_and_of_none(folder: Path, command: Path) -> None:
    lines = [*busy(), asked("x", "others", 50), asked("y", "others", 60)]
    (folder / "week.jsonl").write_text(record_of([lines[0], *sorted(lines[1:], key=lambda line: line.at)]))
    text = json.loads(dev(CHANGED))
    (folder / "Pulumi.dev.yaml").write_text(
        json.dumps(text)
        .replace('"name": "applied", "namespace"', '"name": "other", "namespace"')
        .replace('"queue": "applied"', '"queue": "other"')
    )
    found = _compared(folder, command)
    assert "others" not in found.before.teams
    assert (found.after.teams["applied"].never, found.after.teams["applied"].median) == (2, None)
    assert found.remarks[0] == "2 jobs: no such LocalQueue in the stack; left out"
    assert "2 jobs: no such LocalQueue in the stack after; it never starts there" in found.remarks
    assert sentences(found)[0] == (
        "applied starts fewer than half of its jobs (before, half of them within 0 s); has 2 more jobs without a "
        "start (0 before, 2 after)."
    )


def test_the_command_prints_text_json_markdown_and_a_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--trace", "week.jsonl", "--base", "before.yaml"]
    assert main([*options, "--html", "page.html"]) == 0
    text = capsys.readouterr().out
    assert "applied waits 48 min 31 s longer in the median" in text
    assert "  applied      2  0 s → 48 min 31 s (+48 min 31 s)" in text
    assert "Check against the record" in text
    page = (folder / "page.html").read_text()
    assert [
        page.count(f"<h2>{side}: chips by {what}</h2>") for side in ("before", "after") for what in ("job", "team")
    ] == [1] * 4
    assert main([*options, "--format", "json"]) == 0
    (folder / "found.json").write_text(capsys.readouterr().out)
    found = json.loads((folder / "found.json").read_text())
    assert found["teams"][0]["after"]["median"] == 2911
    assert rehearsed_in(folder / "found.json").sentences == found["sentences"]
    assert main([*options, "--format", "markdown"]) == 0
    markdown = capsys.readouterr().out
    assert "| applied | 2 | 0 s → 48 min 31 s" in markdown.replace("`", "")


def test_the_stack_file_before_is_that_of_a_revision(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed = (folder / "Pulumi.dev.yaml").read_text()
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run([*git, "init", "--quiet"], check=True)
    assert main(["--trace", "week.jsonl"]) == 1
    assert "there is no file HEAD, and Git has no HEAD:./Pulumi.dev.yaml: " in capsys.readouterr().err
    (folder / "Pulumi.dev.yaml").write_text(dev())
    subprocess.run([*git, "add", "Pulumi.dev.yaml"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "before"], check=True)
    (folder / "Pulumi.dev.yaml").write_text(changed)
    assert main(["--trace", "week.jsonl"]) == 0
    assert "before is HEAD:Pulumi.dev.yaml, after is Pulumi.dev.yaml" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("week.jsonl", "", "week.jsonl: it is empty. `tpu record` writes such a file."),
        (
            "week.jsonl",
            '{"what": "trace", "version": 1, "at": "2026-11-16T08:00:00Z"}\n',
            "it has no Workload to rehearse",
        ),
        ("week.jsonl", '{"what": "trace", "version": 1, "at": "1960-01-01T00:00:00Z"}\n', "is before 1970"),
        ("Pulumi.dev.yaml", "config: [", "Pulumi.dev.yaml:2:1"),
        ("before.yaml", "config: {}", "before.yaml"),
    ],
)
def test_what_cannot_be_read_is_one_error(
    name: str, text: str, told: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / name).write_text(text)
    assert main(["--trace", "week.jsonl", "--base", "before.yaml"]) == 1
    out, err = capsys.readouterr()
    assert (out, told in err) == ("", True), err


def test_a_last_line_that_is_cut_is_left_out_with_a_remark(folder: Path, command: Path) -> None:
    with (folder / "week.jsonl").open("ab") as record:
        record.write(b'{"what": "seen", "at": "2026-')
    assert _compared(folder, command).remarks[0] == "1 line: the last one is cut short, and is left out"


def test_a_stack_that_cannot_be_rehearsed_is_a_sentence_of_the_report(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "Pulumi.training.yaml").write_text(stack_file("training"))
    local = committed_plan("training").queues[0].local_queues[0]
    job = asked("a", local.name, 10, namespace=local.namespace)
    (folder / "week.jsonl").write_text(record_of(whole([job], 1000)))
    options = ["--stack", "training", "--trace", "week.jsonl", "--base", "Pulumi.training.yaml"]
    assert main([*options, "--format", "json"]) == 1
    out, err = capsys.readouterr()
    assert "Pulumi.training.yaml cannot be rehearsed: " in err
    assert "a rehearsal does not model concurrentAdmissionPolicy" in err
    (folder / "refused.json").write_text(out)
    (folder / "events").write_text("")
    report(["events", "--rehearsal", "refused.json", "--markdown", "report.md"])
    text = (folder / "report.md").read_text()
    assert "### Those who queue\n\nNo rehearsal: `Pulumi.training.yaml cannot be rehearsed: " in text
    assert "concurrentAdmissionPolicy" in text


def test_a_rehearsal_that_was_interrupted_or_is_another_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "empty").write_text("")
    assert rehearsed_in(folder / "empty").refused.startswith("the command ended without a result")
    (folder / "events").write_text("")
    assert report(["events", "--rehearsal", "week.jsonl"]) == 2
    assert "it is not the output of tpu rehearse --format json" in capsys.readouterr().err


def test_a_stack_file_that_breaks_a_rule_can_be_the_one_before(folder: Path) -> None:
    broken = json.loads(dev())
    broken["config"][PLATFORM_KEY]["queues"][0]["flavors"][0]["chips"] = 9
    (folder / "broken.yaml").write_text(json.dumps(broken))
    assert former(folder / "Pulumi.dev.yaml", str(folder / "broken.yaml")).plan.queues
    with pytest.raises(StackFileError, match=r"broken\.yaml"):
        proposed(folder / "broken.yaml")
