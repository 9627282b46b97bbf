"""Records in a bucket: written, gone on with, read, and never overwritten by somebody else."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

import pytest
import urllib3

from tests.commands import exit_code
from tests.record.kueue import FakeKueue, live
from tests.record.storage import BUCKET, Storage
from tpu.trace.__main__ import main as record
from tpu.trace.bucket import BucketObject, BusyError, growing
from tpu.trace.reading import Remarks, TraceError, read
from tpu.trace.recorder import Recorder, Settings
from tpu.trace.writing import TraceFile
from tpu.usage import main as usage

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

_NAME: Final = "weeks/47.jsonl"
_URL: Final = f"gs://{BUCKET}/{_NAME}"
_WEEK: Final = ("--generate", "--start", "2026-11-16T00:00:00Z", "--workloads", "5")


@pytest.fixture(autouse=True)
def storage(monkeypatch: pytest.MonkeyPatch) -> Generator[Storage]:
    with Storage() as made:
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", made.address)
        yield made


def _make(monkeypatch: pytest.MonkeyPatch, where: str) -> int:
    return exit_code(monkeypatch, record, "record", where, *_WEEK)


def test_a_record_in_a_bucket_is_that_in_a_file(
    tmp_path: Path, storage: Storage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "week.jsonl"
    assert _make(monkeypatch, str(file)) == _make(monkeypatch, _URL) == 0
    assert storage.objects[_NAME][1] == file.read_bytes()
    capsys.readouterr()
    assert usage(["--record", str(file), "--since", "7d"]) == usage(["--record", _URL, "--since", "7d"]) == 0
    out = capsys.readouterr().out
    assert out[: len(out) // 2] == out[len(out) // 2 :]
    assert _make(monkeypatch, _URL) == 1
    assert capsys.readouterr().err == f"record: {_URL}: it has lines already. Name a new file.\n"


def test_a_recorder_goes_on_where_the_object_ends(tmp_path: Path, storage: Storage) -> None:
    kueue = FakeKueue()
    changes = live(kueue, random.Random(5), 40)  # noqa: S311  not for secrets
    for changed in (15, 25):
        with growing(_URL) as (path, keep), TraceFile(path) as file:
            recorder = Recorder(kueue, file, Settings(), print, keep)  # pyright: ignore[reportArgumentType]  a double
            for _ in range(changed):
                next(changes)
            recorder.run(0.01)
            keep()
    (tmp_path / "kept").write_bytes(storage.objects[_NAME][1])
    with TraceFile(tmp_path / "whole") as file:
        Recorder(kueue, file, Settings(), print).run(0.01)  # pyright: ignore[reportArgumentType]  a double
    kept, whole = (
        {line.uid for line in read(tmp_path / name, Remarks()) if line.what == "asked"} for name in ("kept", "whole")
    )
    assert kept >= whole > set()


def test_what_another_recorder_wrote_is_not_overwritten(tmp_path: Path, storage: Storage) -> None:
    (tmp_path / "mine").write_text("mine\n")
    first, second = BucketObject(_URL), BucketObject(_URL)
    first.put(tmp_path / "mine")
    (tmp_path / "other").write_text("other\n")
    with pytest.raises(TraceError, match=r"another `tpu record` writes to it\. Name another object\.$"):
        second.put(tmp_path / "other")
    assert storage.objects[_NAME] == (1, b"mine\n")


def test_a_lost_answer_is_not_taken_for_another_recorder(tmp_path: Path, storage: Storage) -> None:
    (tmp_path / "mine").write_text("mine\n")
    storage.lost, kept = 1, BucketObject(_URL)
    kept.put(tmp_path / "mine")
    (tmp_path / "mine").write_text("mine\nmore\n")
    kept.put(tmp_path / "mine")
    assert storage.objects[_NAME] == (2, b"mine\nmore\n")


def test_recording_goes_on_while_the_bucket_does_not_answer(
    tmp_path: Path, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tpu.trace.bucket._AGAIN", urllib3.Retry(0, status_forcelist=(503,), allowed_methods=None))
    storage.down, kept, told = True, BucketObject(_URL), list[str]()
    with TraceFile(tmp_path / "week.jsonl") as file:
        keep = lambda: kept.put(file.path)  # noqa: E731
        Recorder(FakeKueue(), file, Settings(), told.append, keep).run(0.01)  # pyright: ignore[reportArgumentType]  a double
        assert len(told) == 1
        assert told[0].startswith(f"{_URL}: Cloud Storage does not answer: ")
        with pytest.raises(BusyError):
            keep()
        storage.down = False
        keep()
        assert storage.objects[_NAME] == (1, file.path.read_bytes())


@pytest.mark.parametrize(
    ("url", "told"),
    [
        (_URL, f"usage: {_URL}: there is no such object. `tpu record {_URL}` makes it.\n"),
        ("gs://none/a", "usage: gs://none/a: Cloud Storage answers 404: The specified bucket does not exist.\n"),
        ("gs://none", "usage: gs://none: name a bucket and an object, such as gs://BUCKET/week.jsonl\n"),
    ],
)
def test_what_is_not_there_is_named(url: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert usage(["--record", url]) == 1
    assert capsys.readouterr() == ("", told)
