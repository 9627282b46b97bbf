"""The commands that write on GitHub, over real HTTP against a double of its API that `server.py` describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from policies.github.__main__ import main
from tests.policies.github.server import BOT, PULL_REQUEST, TOKEN, GitHub

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MARKER: Final = "<!-- tpu-platform preview-dev -->\n"
TEXT: Final = "## A report\n"
FOOTER: Final = "\n<sub>Commit 0123456 · [log of the run](https://github.example/octo/platform/actions/runs/42)</sub>\n"
LOG: Final = "\n<sub>[log of the run](https://github.example/octo/platform/actions/runs/42)</sub>\n"
DRIFT: Final = "<!-- tpu-platform drift-dev -->\n"


@pytest.fixture
def github(monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHub]:
    with GitHub() as made:
        for name, value in made.environment.items():
            monkeypatch.setenv(name, value)
        yield made


@pytest.fixture
def report(tmp_path: Path) -> Path:
    file = tmp_path / "dev.md"
    file.write_text(TEXT)
    return file


def post(report: Path, *words: str, about: str = "preview-dev", number: int = PULL_REQUEST) -> int:
    where = ("--pull-request", str(number), "--key", about, "--commit", "0123456789abcdef")
    return main(["comment", str(report), *where, *words])


def test_a_report_is_posted_once_and_edited_ever_after(github: GitHub, report: Path) -> None:
    assert post(report) == 0
    assert [each["body"] for each in github.comments] == [f"{MARKER}{TEXT}{FOOTER}"]
    report.write_text("## Another\n")
    assert post(report) == 0
    assert [each["body"] for each in github.comments] == [f"{MARKER}## Another\n{FOOTER}"]


def test_a_report_that_is_there_already_is_not_written_again(
    github: GitHub, report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    post(report)
    github.asked.clear()
    assert post(report) == 0
    assert [asked.split()[0] for asked in github.asked] == ["GET"]
    assert "says so already" in capsys.readouterr().out


def test_each_environment_has_a_comment_of_its_own(github: GitHub, report: Path) -> None:
    post(report)
    post(report, about="preview-dev-2")
    post(report, about="preview-dev")
    assert len(github.comments) == 2


def test_the_comment_is_found_on_the_third_page(github: GitHub, report: Path) -> None:
    for number in range(250):
        github.say(f"remark {number}")
    github.say(f"{MARKER}old", BOT)
    assert post(report) == 0
    assert len(github.comments) == 251
    assert github.comments[-1]["body"] == f"{MARKER}{TEXT}{FOOTER}"
    assert len([asked for asked in github.asked if asked.startswith("GET")]) == 3


def test_a_marker_that_somebody_else_wrote_is_left_alone(github: GitHub, report: Path) -> None:
    github.say(f"{MARKER}Passes, says I.")
    github.say(f"See this: {MARKER}", BOT)
    assert post(report) == 0
    assert [each["body"] for each in github.comments[:2]] == [f"{MARKER}Passes, says I.", f"See this: {MARKER}"]
    assert github.comments[2]["body"] == f"{MARKER}{TEXT}{FOOTER}"


def test_a_marker_of_an_account_that_is_gone_is_left_alone(github: GitHub, report: Path) -> None:
    github.say(f"{MARKER}Passes, says nobody.")["user"] = None
    assert post(report) == 0
    assert [each["body"] for each in github.comments] == [f"{MARKER}Passes, says nobody.", f"{MARKER}{TEXT}{FOOTER}"]


def test_an_author_other_than_the_workflow_s_can_be_named(github: GitHub, report: Path) -> None:
    github.say(f"{MARKER}old", "platform-bot")
    assert post(report, "--author", "platform-bot") == 0
    assert len(github.comments) == 1


def test_where_no_report_was_written_the_comment_says_that(github: GitHub, tmp_path: Path, report: Path) -> None:
    post(report)
    assert post(tmp_path / "none.md") == 0
    [only] = github.comments
    assert "preview-dev: there is no report" in only["body"]
    assert TEXT not in only["body"]


def test_a_body_of_the_longest_length_passes_and_a_longer_one_is_refused_here(
    github: GitHub, report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    room = 65_536 - len(MARKER) - len(FOOTER)
    report.write_text("x" * room)
    assert post(report) == 0
    assert len(github.comments[0]["body"]) == 65_536
    report.write_text("x" * (room + 1))
    assert post(report) == 2
    assert "65,537 characters, GitHub takes 65,536" in capsys.readouterr().err
    assert len(github.comments[0]["body"]) == 65_536


def test_a_token_that_may_not_write_is_told_what_it_lacks(
    github: GitHub, report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    github.may_write = False
    assert post(report) == 2
    said = capsys.readouterr().err
    assert (
        "refused with 403: Resource not accessible by integration. The job lacks a permission: `pull-requests" in said
    )


def test_a_pull_request_that_is_not_there(github: GitHub, report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert post(report, number=8) == 2
    assert f"{github.url}/repos/octo/platform/issues/8/comments" in (said := capsys.readouterr().err)
    assert "refused with 404: Not Found. It does not exist, or the token may not see it." in said


@pytest.mark.usefixtures("github")
def test_a_token_that_is_none(
    monkeypatch: pytest.MonkeyPatch, report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "other")
    assert post(report) == 2
    assert "refused with 401: Bad credentials" in capsys.readouterr().err


@pytest.mark.parametrize("host", ["http://127.0.0.1:1", "{api}.example", "{api}@127.0.0.1:1"])
def test_the_token_goes_nowhere_but_to_the_api(
    github: GitHub, report: Path, capsys: pytest.CaptureFixture[str], host: str
) -> None:
    github.next_host = host.format(api=github.url)
    for number in range(101):
        github.say(f"remark {number}")
    assert post(report) == 2
    assert f"the next page is not at {github.url}: the token is not sent to {github.next_host}/" in (
        capsys.readouterr().err
    )
    assert len(github.asked) == 1


def test_the_token_does_not_follow_a_redirect(github: GitHub, report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with GitHub() as other:
        github.moved_to = other.url
        assert post(report) == 2
    assert github.shown == [f"Bearer {TOKEN}"]
    assert other.shown == [None]
    assert "refused with 401: Bad credentials" in capsys.readouterr().err


def test_nobody_answers(
    monkeypatch: pytest.MonkeyPatch, github: GitHub, report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_API_URL", f"{github.url.rpartition(':')[0]}:1")
    assert post(report) == 2
    assert "got no answer" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["GITHUB_API_URL", "GITHUB_REPOSITORY", "GITHUB_TOKEN"])
@pytest.mark.usefixtures("github")
def test_a_variable_that_is_missing_is_named(
    name: str, monkeypatch: pytest.MonkeyPatch, report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(name)
    assert post(report) == 2
    assert f"{name} must be set" in capsys.readouterr().err


@pytest.mark.usefixtures("github")
def test_a_repository_that_is_no_owner_and_name_is_refused(
    monkeypatch: pytest.MonkeyPatch, report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_REPOSITORY", "octo/platform/../other")
    assert post(report) == 2
    told = "comment: GITHUB_REPOSITORY must be owner/name, not 'octo/platform/../other'\n"
    assert capsys.readouterr().err == told


@pytest.mark.parametrize("commit", ["", "main", "012345", "0123456789abcdefg", "0123456)](x)"])
def test_a_commit_that_is_no_hash_is_refused(
    commit: str, report: Path, github: GitHub, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        post(report, "--commit", commit)
    assert caught.value.code == 2
    assert f"{commit!r} must be the hash of a commit" in capsys.readouterr().err
    assert github.asked == []


@pytest.mark.parametrize("about", ["", "--> <b>", "Preview", "a b", "a--b"])
def test_a_key_that_could_end_the_marker_is_refused(
    about: str, report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        post(report, about=about)
    assert caught.value.code == 2
    assert f"{about!r} must be lower-case words joined by hyphens" in capsys.readouterr().err


def test_an_issue_is_opened_updated_and_closed(github: GitHub, report: Path) -> None:
    words = ["issue", "--key", "drift-dev", "--title", "Drift of dev", "--report", str(report)]
    assert main(words) == 0
    [opened] = github.issues
    assert (opened["title"], opened["state"], opened["user"]["login"]) == ("Drift of dev", "open", BOT)
    assert opened["body"] == f"{DRIFT}{TEXT}{LOG}"
    report.write_text("## Less\n")
    assert main(words) == 0
    assert [each["body"] for each in github.issues] == [f"{DRIFT}## Less\n{LOG}"]
    assert main(["issue", "--key", "drift-dev", "--close"]) == 0
    assert (opened["state"], opened["state_reason"]) == ("closed", "completed")


def test_the_issue_is_found_on_the_second_page(github: GitHub, report: Path) -> None:
    for number in range(100):
        github.report(f"Problem {number}", "")
    mine = github.report("Drift", f"{DRIFT}old", BOT)
    assert main(["issue", "--key", "drift-dev", "--report", str(report)]) == 0
    assert len(github.issues) == 101
    assert mine["body"] == f"{DRIFT}{TEXT}{LOG}"


def test_a_refusal_that_says_nothing_is_told_all_the_same(
    github: GitHub, report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    github.is_down = True
    assert post(report) == 2
    assert capsys.readouterr().err.endswith("comments?per_page=100 was refused with 502: no reason.\n")


def test_drift_that_comes_back_gets_an_issue_of_its_own(github: GitHub, report: Path) -> None:
    words = ["issue", "--key", "drift-dev", "--report", str(report)]
    main(words)
    main(["issue", "--key", "drift-dev", "--close"])
    main(words)
    assert [each["state"] for each in github.issues] == ["closed", "open"]


def test_nothing_is_opened_or_closed_where_nothing_is_open(github: GitHub, capsys: pytest.CaptureFixture[str]) -> None:
    github.report("Mine", f"{DRIFT}mine")
    assert main(["issue", "--key", "drift-dev", "--close"]) == 0
    assert "no issue of drift-dev is open" in capsys.readouterr().out
    assert [each["state"] for each in github.issues] == ["open"]
    assert all(asked.startswith("GET") for asked in github.asked)
