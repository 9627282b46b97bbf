"""Bad datasets: each is told with its place, costs no memory, and does not hold up the others."""

from __future__ import annotations

import os
import tracemalloc
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest
from payloads.fraud_detection.errors import BadDataError
from payloads.fraud_detection.share import Share
from payloads.fraud_detection.table import LONGEST_LINE, Reading

from tests.payloads.files import HEADER, ROW, dataset, sound

if TYPE_CHECKING:
    from pathlib import Path

    from tests.payloads.crew import Crew

_GIB: Final = 1024**3
_BAD: Final = {
    "an empty file": (b"", "the file is empty"),
    "a header alone": (HEADER, "it has a header but no rows"),
    "a missing column": (HEADER.replace(b",amount,", b",") + ROW, "line 1: it lacks amount"),
    "a renamed column": (
        HEADER.replace(b"fraud", b"Fraud") + ROW,
        "line 1: it lacks fraud; it has 'Fraud', not in the schema",
    ),
    "a column twice": (HEADER.replace(b"fraud", b"fraud,fraud") + ROW, "line 1: it has fraud more than once"),
    "text for a number": (
        HEADER + 3 * ROW + ROW.replace(b"12.5", b"much"),
        "line 5: amount is 'much', which is not a number",
    ),
    "a label that is missing": (HEADER + ROW + ROW[:-2] + b"\n", "line 3: fraud has no value"),
    "a label that is NaN": (HEADER + ROW + ROW[:-2] + b"NaN\n", "line 3: fraud has no value"),
    **{
        f"{cell} seconds": (HEADER + ROW.replace(b"3600", cell.encode()), "line 2: seconds has no value")
        for cell in ("-nan", "+nan")
    },
    "a label of two": (HEADER + ROW[:-2] + b"2\n", "line 2: fraud is 2, above 1"),
    "half a label": (HEADER + ROW[:-2] + b"0.5\n", "line 2: fraud is 0.5, which is not a whole number"),
    "less than nothing": (HEADER + ROW.replace(b"12.5", b"-1"), "line 2: amount is -1, below 0"),
    "infinity": (HEADER + ROW.replace(b"12.5", b"inf"), "line 2: amount is inf, above 10000000"),
    "a short row": (HEADER + ROW + b"1,2,3\n", "line 3: it has 3 cells, the header has 11"),
    "a long row": (HEADER + ROW[:-1] + b",9\n" + ROW, "line 2: it has 12 cells, the header has 11"),
    "all rows long": (HEADER + 3 * (ROW[:-1] + b",9\n"), "line 2: it has 12 cells, the header has 11"),
    "a long row at the end": (HEADER + ROW + ROW[:-1] + b",9\n", "line 3: it has 12 cells, the header has 11"),
    "a blank line": (HEADER + ROW + b"\n" + ROW, "line 3: it is blank"),
    "a quote": (HEADER + ROW.replace(b"12.5", b'"12.5"'), "line 2: amount is '\"12.5\"', which is not a number"),
    "no UTF-8": (HEADER + ROW.replace(b"12.5", b"\xff"), "line 2: it is not UTF-8 text"),
    "no UTF-8 in the header": (b"\xff\n", "line 1: it is not UTF-8 text"),
    "no text": (HEADER + ROW.replace(b"12.5", b"\0"), "line 2: amount is '\\x00', which is not a number"),
    "a long line": (HEADER + ROW + b"1" * (LONGEST_LINE + 1), f"line 3 is longer than {LONGEST_LINE} bytes"),
    "a late fault in another chunk": (
        HEADER + 250 * ROW + ROW[:-2] + b"x\n",
        "line 252: fraud is 'x', which is not a number",
    ),
}


@pytest.mark.parametrize(("content", "text"), _BAD.values(), ids=_BAD)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, content: bytes, text: str) -> None:
    with pytest.raises(BadDataError) as caught:
        Reading(dataset(tmp_path, content), chunk_rows=100).checked()
    assert str(caught.value) == text


def test_a_line_of_a_gibibyte_needs_no_memory(tmp_path: Path) -> None:
    sparse = dataset(tmp_path, HEADER)
    os.truncate(sparse.path, _GIB)
    tracemalloc.start()
    try:
        with pytest.raises(BadDataError, match="line 2 is longer than 65536 bytes"):
            Reading(sparse).checked()
        assert tracemalloc.get_traced_memory()[1] < 1024 * 1024
    finally:
        tracemalloc.stop()


def test_columns_may_stand_in_any_order_and_lines_end_as_on_windows(tmp_path: Path) -> None:
    turned = "".join(",".join(reversed(line.split(","))) + "\r\n" for line in sound(50).decode().splitlines())
    readings = [Reading(dataset(tmp_path, data, f"{i}.csv")) for i, data in enumerate((sound(50), turned.encode()))]
    expected, found = (np.concatenate(list(reading.chunks())) for reading in readings)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ("datasets/training/gone.csv", "the file is gone"),
        ("/etc/passwd", "it leads to /etc/passwd, outside of the share's folder datasets"),
        ("datasets/../../x.csv", "outside of the share's folder datasets"),
        ("output/report.txt", "outside of the share's folder datasets"),
        ("datasets/training/out.csv", "outside of the share's folder datasets"),
        ("datasets/training/folder.csv", "it is not a regular file"),
        ("datasets/training/pipe.csv", "it is not a regular file"),
        ("datasets/training/x.pkl", "only .csv files are read"),
        ("datasets/a\nReport generated on: now", "its name is not one printable line of at most 1024 characters"),
        ("", "its name is not one printable line of at most 1024 characters"),
    ],
)
def test_what_is_no_dataset_of_the_share_is_refused(tmp_path: Path, entry: str, text: str) -> None:
    root = tmp_path / "share"
    dataset(root, sound(10), "x.pkl.csv").path.with_name("x.pkl").write_bytes(b"")
    folder = root / "datasets" / "training"
    (tmp_path / "secret.csv").write_bytes(sound(10))
    (folder / "out.csv").symlink_to(tmp_path / "secret.csv")
    (folder / "folder.csv").mkdir()
    os.mkfifo(folder / "pipe.csv")
    with pytest.raises(BadDataError) as caught:
        Reading(Share(root).dataset(entry)).checked()
    assert str(caught.value).endswith(text)


def test_a_file_has_one_name_however_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "mount").symlink_to(tmp_path / "share")
    expected = dataset(tmp_path / "share", sound(10))
    (expected.path.parent / "link.csv").symlink_to("x.csv")
    share = Share(tmp_path / "mount")
    for entry in (
        "datasets/training/x.csv",
        "datasets/./training/link.csv",
        f"{tmp_path}/mount/datasets/training/x.csv",
    ):
        assert share.dataset(entry) == expected


def test_bad_datasets_go_to_the_dead_list_with_a_reason_and_the_others_go_on(crew: Crew) -> None:
    folder = crew.share / "datasets" / "training"
    names = crew.datasets(2)
    for index, (content, _) in enumerate(_BAD.values()):
        (folder / f"bad-{index}.csv").write_bytes(content)
    with (folder / "sparse.csv").open("wb") as file:
        file.write(HEADER)
        file.truncate(_GIB)
    bad = {f"datasets/training/bad-{index}.csv": text for index, (_, text) in enumerate(_BAD.values())}
    bad |= {"datasets/training/sparse.csv": f"line 2 is longer than {LONGEST_LINE} bytes", "gone.csv": None}
    crew.redis.say("LPUSH", "datasets", *bad)
    crew.redis.say("RPUSH", "datasets", names[0])
    worker = crew.work(lease=60.0)
    assert worker.wait() == 0, worker.log.read_text()
    dead = {each["dataset"]: each for each in crew.redis.queue().state().dead}
    assert dead.keys() == bad.keys()
    assert all(text is None or dead[name]["reason"] == text for name, text in bad.items())
    assert {each["attempts"] for each in dead.values()} == {1}
    assert worker.says(f"Dataset datasets/training/bad-0.csv given up: {bad['datasets/training/bad-0.csv']}")
    assert crew.start("retry", "--all").wait() == 0
    assert len(crew.redis.queue().state().waiting) == len(bad)
    crew.redis.say("DEL", "datasets")
    crew.assert_trained_once(names)
