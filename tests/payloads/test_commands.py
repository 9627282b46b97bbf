"""The commands as they are called, locally and in Jobs: each may be repeated."""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
from typing import TYPE_CHECKING, Final

import pytest

from payloads.fraud_detection.__main__ import main
from payloads.fraud_detection.report import CURVE, REPORT
from payloads.fraud_detection.share import FOLDERS
from tests.payloads.crew import PASSWORD
from tests.payloads.files import sound

if TYPE_CHECKING:
    from pathlib import Path

    from tests.payloads.crew import Redis

_KUBECTL: Final = """#!{python}
# Stands for kubectl and for the pod that it reaches: the command after `--` runs on this machine.
import json, os, sys
with open(os.environ["KUBECTL_LOG"], "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
if os.environ.get("KUBECTL_CUTS"):
    sys.stdin.buffer.read(10)
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
words = sys.argv[sys.argv.index("--") + 1:]
os.execvp(words[0], words)
"""


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


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log of what kubectl was called with; the pod's mount is a folder of this machine."""
    path = tmp_path / "bin" / "kubectl"
    path.parent.mkdir()
    path.write_text(_KUBECTL.format(python=sys.executable))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{path.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("KUBECTL_LOG", str(tmp_path / "kubectl.log"))
    return tmp_path / "kubectl.log"


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
    assert "2018-04-01.csv has other content: choose another name, or use --replace" in capsys.readouterr().err
    assert files(folder) == before
    assert main([*command, "--seed", "1", "--replace"]) == 0
    assert files(folder).keys() == before.keys()
    assert files(folder) != before


def test_a_transfer_leaves_what_is_there(folder: Path, share: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert main(["transfer", str(folder), "--share", str(share)]) == 0
        assert files(share / "datasets") == files(folder)
    assert capsys.readouterr().out.count(" is there already") == 3
    (share / "datasets" / "training" / "2018-04-01.csv").write_bytes(sound(1))
    assert main(["transfer", str(folder), "--share", str(share)]) == 1
    assert main(["transfer", str(folder), "--share", str(share), "--replace"]) == 0
    assert files(share / "datasets") == files(folder)


def test_a_folder_goes_to_the_share_through_a_pod(folder: Path, share: Path, kubectl: Path) -> None:
    command = ["send", str(folder), "--share", str(share), "--pod", "redis-leader-0", "--namespace", "team"]
    assert main(command) == 0
    assert files(share / "datasets") == files(folder)
    calls = [json.loads(line) for line in kubectl.read_text().splitlines()]
    assert len(calls) == 1 + 3
    assert all(call[:6] == ["exec", "-i", "-n", "team", "redis-leader-0", "--"] for call in calls)
    assert main([*command, "--container", "redis", "--context", "gke"]) == 0
    (again,) = (json.loads(line) for line in kubectl.read_text().splitlines()[len(calls) :])
    assert again[:8] == ["--context", "gke", "exec", "-i", "-n", "team", "redis-leader-0", "-c"]


def test_what_arrives_cut_is_not_kept(
    folder: Path, share: Path, kubectl: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    del kubectl
    monkeypatch.setenv("KUBECTL_CUTS", "yes")
    assert main(["send", str(folder), "--share", str(share)]) == 1
    assert "sending test/2018-04-03.csv failed: the file was damaged on its way" in capsys.readouterr().err
    assert files(share) == {}
    monkeypatch.delenv("KUBECTL_CUTS")
    (share / "datasets" / "test" / "2018-04-03.csv").write_bytes(sound(1))
    assert main(["send", str(folder), "--share", str(share)]) == 1
    assert "has other content" in capsys.readouterr().err
    assert main(["send", str(folder), "--share", str(share), "--replace"]) == 0
    assert files(share / "datasets") == files(folder)


def test_results_are_read_through_a_pod(share: Path, kubectl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["results", "--share", str(share), "--pod", "redis-leader-0", "-n", "team"]
    assert main(command) == 1
    assert f"listing {share}/output failed: " in capsys.readouterr().err
    (share / "output" / "chain").mkdir(parents=True)
    (share / "output" / "model_cpt_2018-04-01.json").write_text("{}")
    assert main(command) == 1
    assert "reading report.txt failed: " in capsys.readouterr().err
    (share / "output" / REPORT).write_text("Report\n")
    assert main(command) == 0
    assert capsys.readouterr().out == "model_cpt_2018-04-01.json\nreport.txt\n\nReport\n"
    assert json.loads(kubectl.read_text().splitlines()[-1])[:5] == ["exec", "-i", "-n", "team", "redis-leader-0"]


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


def test_the_share_may_be_named_by_a_variable(
    share: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SHARE_PATH", str(share))
    assert main(["curve"]) == 1
    assert f"{share}/output has no checkpoints yet" in capsys.readouterr().err


def test_without_kubectl_it_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["send", str(folder)]) == 1
    assert "kubectl is needed to reach a pod from here" in capsys.readouterr().err


def test_from_datasets_to_a_report(
    folder: Path, share: Path, redis: Redis, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REDIS_HOST", "127.0.0.1")
    monkeypatch.setenv("REDIS_PORT", str(redis.port))
    monkeypatch.setenv("REDIS_PASSWORD", PASSWORD)
    here = ["--share", str(share)]
    assert main(["transfer", str(folder), *here]) == 0
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
    assert main(["curve", "--share", str(share), "--to", str(share / "page.html")]) == 0
    assert (share / "page.html").read_bytes() == (output / CURVE).read_bytes()
    assert (share / "page.html").read_text().count("<circle") == 4


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (["work", "--share", "/nowhere"], "/nowhere is not a folder: mount the shared volume there"),
        (["transfer", "/nowhere", "--share", "."], "/nowhere has no CSV files"),
    ],
)
def test_what_cannot_be_done_is_told(
    command: list[str], text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(command) == 1
    assert text in capsys.readouterr().err


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
        ["curve", "--sha", "."],
    ],
    ids=" ".join,
)
def test_flags_out_of_their_bounds_or_cut_short_are_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
