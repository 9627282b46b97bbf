"""The commands as they are called, locally and in Jobs: each may be repeated."""

from __future__ import annotations

import errno
import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest
from payloads.fraud_detection.__main__ import main
from payloads.fraud_detection.report import CURVE, REPORT
from payloads.fraud_detection.share import FOLDERS

from tests.payloads.crew import PASSWORD, Redis

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two training sets and a test set on the user's machine."""
    made = tmp_path / "mine"
    assert main(["generate", "--to", str(made), "--days", "2", "--rows", "300"]) == 0
    return made


@pytest.fixture
def share(tmp_path: Path) -> Path:
    """An empty share."""
    path = tmp_path / "share"
    path.mkdir()
    return path


def files(root: Path) -> dict[str, bytes]:
    """What is in a folder, hidden files too."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_generating_again_changes_nothing_and_refuses_to_replace(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files(folder)
    assert sorted(before) == ["test/2018-04-03.csv", "training/2018-04-01.csv", "training/2018-04-02.csv"]
    command = ["generate", "--to", str(folder), "--days", "2", "--rows", "300"]
    assert main(command) == 0
    assert main([*command, "--seed", "1"]) == 1
    assert "2018-04-01.csv has other content: name another folder, or use --replace" in capsys.readouterr().err
    assert files(folder) == before
    assert main([*command, "--seed", "1", "--replace"]) == 0
    assert files(folder).keys() == before.keys()
    assert files(folder) != before


def test_the_share_is_prepared_for_its_user_again_and_again(share: Path, capsys: pytest.CaptureFixture[str]) -> None:
    owner = f"{os.getuid()}:{os.getgid()}"
    for _ in range(2):
        assert main(["prepare", "--share", str(share), "--owner", owner]) == 0
        assert capsys.readouterr().out.count(f" belongs to {owner} already") == len(FOLDERS)
    assert {str(path.relative_to(share)) for path in share.rglob("*")} == set(FOLDERS)


def test_folders_are_given_to_the_images_user(
    share: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: list[tuple[str, int, int]] = []

    def chown(path: Path, user: int, group: int, *, follow_symlinks: bool) -> None:
        """Doubles what only root may do."""
        assert not follow_symlinks
        given.append((str(path.relative_to(share)), user, group))

    monkeypatch.setattr(os, "chown", chown)
    assert main(["prepare", "--share", str(share)]) == 0
    assert given == [(folder, 10001, 10001) for folder in FOLDERS]
    assert capsys.readouterr().out.count(" given to 10001:10001") == len(FOLDERS)


def test_who_is_not_root_is_told(
    share: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def chown(*_words: object, **_flags: object) -> None:
        """Doubles the kernel's answer to others than root."""
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "chown", chown)
    assert main(["prepare", "--share", str(share)]) == 1
    told = f"{share}/datasets cannot be given to 10001:10001 (root can do it): Operation not permitted"
    assert told in capsys.readouterr().err


def test_the_share_may_be_named_by_a_variable(share: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARE_PATH", str(share))
    assert main(["results"]) == 0
    assert (share / "output").is_dir()


def test_from_datasets_to_a_report(
    folder: Path, share: Path, redis: Redis, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REDIS_HOST", "127.0.0.1")
    monkeypatch.setenv("REDIS_PORT", str(redis.port))
    monkeypatch.setenv("REDIS_PASSWORD", PASSWORD)
    here = ["--share", str(share)]
    shutil.copytree(folder, share / "datasets")
    (share / "datasets" / "training" / "out.csv").symlink_to("/etc/hostname")
    for _ in range(2):
        assert main(["queue", *here]) == 0
    names = [f"datasets/training/{name}.csv" for name in ("2018-04-01", "2018-04-02", "out")]
    assert redis.say("LRANGE", "datasets", 0, -1) == names
    capsys.readouterr()
    assert main(["work", *here]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("Worker with sessionID: ")
    assert said[1] == "Initial queue state: empty=False"
    assert [line for line in said if line.startswith("Processing")] == [f"Processing dataset: {name}" for name in names]
    assert said[-1] == "Queue empty, exiting"
    assert main(["queue", *here]) == 0
    assert main(["work", *here, "--json"]) == 0
    assert main(["status", *here, "--json"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith("{")]
    assert [each["event"] for each in told] == [
        "session",
        "queue",
        "dead",
        "empty",
        "waiting",
        "processing",
        "trained",
        "dead",
    ]
    assert told[-2]["datasets"] == names[:2]
    assert told[-1]["datasets"][0]["dataset"] == names[2]
    _assert_results(share, capsys)
    assert main(["retry", names[2]]) == 0
    assert main(["retry", names[2]]) == 1
    assert main(["retry"]) == 1


def _assert_results(share: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = share / "output"
    assert main(["results", "--share", str(share)]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{CURVE}\nmodel_cpt_2018-04-01.json\nmodel_cpt_2018-04-02.json\n{REPORT}\n")
    assert (output / REPORT).read_text().rstrip() in said
    assert said.count("Average precision on testing data: 0.") == 2
    assert (output / CURVE).read_text().count("<circle") == 4


def test_a_share_that_is_not_mounted_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["work", "--share", "/nowhere"]) == 1
    assert "/nowhere is not a folder: mount the shared volume there" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["work", "--lease", "0"],
        ["work", "--lease", "nan"],
        ["work", "--tries", "0"],
        ["work", "--chunk-rows", "-1"],
        ["work", "--redis-port", "x"],
        ["generate", "--to", ".", "--fraud", "1.1"],
        *(["prepare", f"--owner={owner}"] for owner in ("root", "10001", "1:-1", "1:2:3", "")),
        ["results", "--sha", "."],
    ],
    ids=" ".join,
)
def test_flags_out_of_their_bounds_or_cut_short_are_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
