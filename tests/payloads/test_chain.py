"""The chain of checkpoints: what is published, what is skipped, and who may publish no more."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
from pathlib import Path
from typing import Final

import pytest
from payloads.fraud_detection import report
from payloads.fraud_detection.chain import Chain, Checkpoint, Figures, Links, Parent, TornError, decoded
from payloads.fraud_detection.errors import LostError, StoreError
from payloads.fraud_detection.process import Log
from payloads.fraud_detection.share import Share

_FIGURES: Final[Figures] = {"rows": 9, "accuracy": 0.5, "average_precision": None}


class Keeper:
    """A chain on a share, and its log."""

    def __init__(self, root: Path) -> None:
        self.said = io.StringIO()
        self.chain = Chain(Share(root), Log(to=self.said))

    def made(self, name: str, links: Links | None = None) -> Checkpoint:
        """The checkpoint after one more dataset; the model is its name."""
        links = self.chain.read() if links is None else links
        newest = links.newest
        return Checkpoint(
            position=links.next_position,
            parent=None if newest is None else Parent(newest.position, newest.digest),
            trained=(*links.trained, name),
            data_sha256="",
            created="2018-04-01T00:00:00+00:00",
            seconds=0.25,
            worker="w",
            metrics={"training": _FIGURES, "held_out": _FIGURES},
            model={"numbers": [0.1, 1e-300, 1.0, 1], "name": name},
        )

    def fresh(self) -> Links:
        """The chain as a newcomer reads it."""
        return Chain(Share(self.chain.output.parent), Log(to=self.said)).read()


@pytest.fixture
def keeper(tmp_path: Path) -> Keeper:
    """A chain of three."""
    made = Keeper(tmp_path)
    for name in ("a.csv", "b.csv", "c.csv"):
        made.chain.publish(made.made(name))
    return made


def test_what_is_published_is_read_back_exactly(keeper: Keeper) -> None:
    links = keeper.fresh()
    assert links == keeper.chain.read()
    assert links.trained == ("a.csv", "b.csv", "c.csv")
    assert [each.parent and each.parent.digest for each in links.sound] == [
        None,
        *(each.digest for each in links.sound[:-1]),
    ]
    assert links.sound[0].model == {"numbers": [0.1, 1e-300, 1.0, 1], "name": "a.csv"}
    assert keeper.said.getvalue() == ""


def test_checkpoints_keep_the_form_of_earlier_releases(tmp_path: Path) -> None:
    made = Keeper(tmp_path).made("a.csv")
    assert made.digest == "8e6b839a7f7bbd32acad2e61f3bec4e0fb1aaf1347ee7acef295c92d42d81f47"
    assert decoded(made.encoded()) == made


_TORN: Final = {
    "cut": ("cut", "it is not JSON, or cut short"),
    "altered": ("altered", "its digest is of other content"),
    "empty": (b"", "it is not JSON, or cut short"),
    "a list": (b"[]", "its content is not that of a checkpoint: Expected `object`, got `array`"),
    "another format": (b'{"format": "x"}', "its content is not that of a checkpoint: Invalid enum value 'x'"),
    "deep": (
        b'{"format": "fraud-detection-checkpoint/1", "digest": "", "checkpoint": ' + b"[" * 100_000,
        "it is not JSON, or cut short",
    ),
    "a pickle": (b"\x80\x04\x95", "it is not JSON, or cut short"),
}


def _damaged(data: bytes, damage: bytes | str) -> bytes:
    """Half of a file, the file with one number changed, or something else."""
    if isinstance(damage, bytes):
        return damage
    return data[: len(data) // 2] if damage == "cut" else data.replace(b"1e-300", b"2e-300")


@pytest.mark.parametrize("position", [1, 2, 3])
@pytest.mark.parametrize(("damage", "why"), _TORN.values(), ids=_TORN)
def test_a_torn_link_is_skipped_with_a_message(keeper: Keeper, position: int, damage: bytes | str, why: str) -> None:
    path = keeper.chain.path(position)
    path.write_bytes(_damaged(path.read_bytes(), damage))
    links = keeper.fresh()
    assert f"Checkpoint 00000{position}.json skipped: {why}" in keeper.said.getvalue()
    assert links.next_position == 4
    assert links.trained == (("a.csv", "b.csv") if position == 3 else ("a.csv", "b.csv", "c.csv"))
    assert [each.position for each in links.sound] == [each for each in (1, 2, 3) if each != position]
    keeper.chain.publish(keeper.made("d.csv", links))
    assert keeper.fresh().trained == (*links.trained, "d.csv")


@pytest.mark.parametrize("change", [{"trained": ()}, {"seconds": None}, {"metrics": {}}, {"model": "x"}])
def test_a_sound_digest_over_other_content_is_not_a_checkpoint(keeper: Keeper, change: dict[str, object]) -> None:
    document = json.loads(keeper.chain.path(1).read_bytes())
    body = json.dumps(document["checkpoint"] | change)
    data = f'{{"format": "{document["format"]}", "digest": "{hashlib.sha256(body.encode()).hexdigest()}", "checkpoint":'
    with pytest.raises(TornError, match="its content is not that of a checkpoint"):
        decoded(f"{data} {body}}}".encode())


def test_a_link_that_leads_out_of_the_share_is_not_followed(
    keeper: Keeper, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "x.json"
    shutil.move(keeper.chain.path(3), outside)
    keeper.chain.path(3).symlink_to(outside)
    assert keeper.fresh().trained == ("a.csv", "b.csv")
    assert "000003.json skipped: it cannot be opened as a plain file of the share" in keeper.said.getvalue()


def test_an_output_folder_that_leads_out_of_the_share_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "share").mkdir()
    (tmp_path / "share" / "output").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="outside of the share"):
        Chain(Share(tmp_path / "share"), Log())


def test_a_link_of_another_chain_is_skipped(keeper: Keeper, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Keeper(tmp_path / "other")
    for name in ("x.csv", "b.csv", "c.csv", "d.csv"):
        other.chain.publish(other.made(name))
    shutil.copy(other.chain.path(4), keeper.chain.path(4))
    shutil.copy(keeper.chain.path(1), keeper.chain.path(5))
    for name in ("notes.txt", "0000007.json"):
        keeper.chain.path(1).with_name(name).write_text("x")
    links = keeper.fresh()
    assert (links.trained, links.next_position) == (("a.csv", "b.csv", "c.csv"), 6)
    said = keeper.said.getvalue()
    assert "000004.json skipped: its parent is not the checkpoint before it" in said
    assert "000005.json skipped: it is a copy of position 1" in said
    assert "notes.txt in the chain is not a file of the trainer" in said
    assert "0000007.json in the chain is not a file of the trainer" in said


def test_a_position_is_taken_once(keeper: Keeper) -> None:
    late = keeper.made("late.csv")
    keeper.chain.publish(keeper.made("d.csv"))
    with pytest.raises(LostError, match="position 4 of the chain is taken"):
        keeper.chain.publish(late)
    assert keeper.fresh().trained[-1] == "d.csv"


def test_a_worker_whose_file_another_removed_publishes_nothing(keeper: Keeper, monkeypatch: pytest.MonkeyPatch) -> None:
    link = Path.hardlink_to

    def paused(path: Path, target: Path) -> None:
        """Paused before the link, until another worker has the lock."""
        keeper.chain.tidy()
        link(path, target)

    monkeypatch.setattr(Path, "hardlink_to", paused)
    with pytest.raises(LostError, match="another worker took the chain over"):
        keeper.chain.publish(keeper.made("d.csv"))
    assert sorted(path.name for path in keeper.chain.path(1).parent.iterdir()) == [f"00000{i}.json" for i in (1, 2, 3)]


def test_tidying_changes_the_folder_so_that_a_client_of_nfs_reads_it_anew(keeper: Keeper) -> None:
    folder = keeper.chain.path(1).parent
    os.utime(folder, ns=(0, 0))
    keeper.chain.tidy()
    assert folder.stat().st_mtime_ns > 0
    assert sorted(path.name for path in folder.iterdir()) == [f"00000{i}.json" for i in (1, 2, 3)]


def test_the_report_and_the_names_are_made_whole_from_the_chain(keeper: Keeper) -> None:
    output = keeper.chain.output
    for name in ("other/a.csv", "<script>.csv"):
        keeper.chain.publish(keeper.made(name))
    links = keeper.chain.read()
    (output / "model_cpt_b.json").write_text("something else")
    (output / report.REPORT).write_text("half an ent")
    report.complete(keeper.chain, links)
    before = (output / report.REPORT).stat()
    report.complete(keeper.chain, links)
    assert (output / report.REPORT).stat() == before, "what is complete is not written again"
    models = [f"model_cpt_{x}.json" for x in ("<script>", "a-4", "a", "b", "c")]
    expected = sorted([report.CURVE, *models, report.REPORT])
    assert sorted(path.name for path in output.iterdir() if path.is_file()) == expected
    assert decoded((output / "model_cpt_b.json").read_bytes()) == links.sound[1]
    entries = (output / report.REPORT).read_text().split("\n\n")
    assert len(entries) == 5
    assert entries[0].splitlines() == [
        "Report generated on: 2018-04-01 00:00:00",
        "Training dataset: a.csv",
        "Model checkpoint: model_cpt_a.json",
        "---",
        "Accuracy on training data: 0.5",
        "Average precision on training data: none (no such rows)",
        "Accuracy on held-out data: 0.5",
        "Average precision on held-out data: none (no such rows)",
        "Rows trained on: 9",
        "Training time: 0.250 s",
    ]
    page = (output / report.CURVE).read_text()
    assert page.count("<circle") == 5, "accuracy alone: the other figure is missing everywhere"
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
