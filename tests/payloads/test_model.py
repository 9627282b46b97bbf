"""Reading, learning and judging: the same for everybody, in pieces or whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from payloads.fraud_detection.chain import Links
from payloads.fraud_detection.errors import BadDataError, StoreError
from payloads.fraud_detection.generate import csv_blocks, days
from payloads.fraud_detection.model import FraudModel, Tally, features, is_fraud, is_held_out
from payloads.fraud_detection.share import Share
from payloads.fraud_detection.table import COLUMNS, Reading, Rows
from payloads.fraud_detection.training import train
from sklearn.metrics import average_precision_score  # pyright: ignore[reportUnknownVariableType]  it has no types

from tests.payloads.files import DAY, HEADER, ROW, dataset, sound


def rows_of(root: Path, content: bytes, chunk_rows: int = 10_000) -> Rows:
    """All rows of a dataset."""
    return np.concatenate(list(Reading(dataset(root, content), chunk_rows=chunk_rows).chunks()))


def test_chunks_make_up_the_file_whatever_their_size(tmp_path: Path) -> None:
    whole = rows_of(tmp_path, sound(1000))
    pieces = list(Reading(dataset(tmp_path, sound(1000)), chunk_rows=64).chunks())
    assert {len(piece) for piece in pieces[:-1]} == {64}
    assert np.array_equal(np.concatenate(pieces), whole)
    assert np.array_equal(np.concatenate([is_held_out(piece) for piece in pieces]), is_held_out(whole))


def test_a_tenth_of_the_rows_is_held_out_by_what_is_in_them(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, sound(20_000))
    held_out = is_held_out(rows)
    assert 0.09 < held_out.mean() < 0.11
    order = np.random.default_rng(0).permutation(len(rows))
    assert np.array_equal(is_held_out(rows[order]), held_out[order])
    assert abs(is_fraud(rows[held_out]).mean() - is_fraud(rows).mean()) < 0.02


def test_the_same_seed_makes_the_same_transactions(tmp_path: Path) -> None:
    assert sound(300) == sound(300)
    assert sound(300) != sound(300, days(DAY, 2)[1])
    rows = rows_of(tmp_path, sound(20_000))
    assert len(np.unique(rows[:, 0])) == len(rows)
    assert abs(is_fraud(rows).mean() - 0.05) < 0.01


def test_a_model_goes_on_from_its_numbers_as_if_it_had_never_stopped(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, sound(3000))
    through, stopped = FraudModel(), FraudModel()
    for piece in np.array_split(rows, 6):
        through.learn(features(piece), is_fraud(piece))
        stopped = FraudModel.restored(json.loads(json.dumps(stopped.document())))
        stopped.learn(features(piece), is_fraud(piece))
    assert stopped.document() == through.document()
    assert np.array_equal(stopped.log_odds(features(rows)), through.log_odds(features(rows)))


def test_a_model_learns_what_fraud_looks_like(tmp_path: Path) -> None:
    learned, test = rows_of(tmp_path, sound(8000)), rows_of(tmp_path, sound(4000, days(DAY, 2)[1]))
    model, before, after = FraudModel(), Tally(), Tally()
    before.add(model, test)
    model.learn(features(learned), is_fraud(learned))
    after.add(model, test)
    assert before.figures()["average_precision"] == pytest.approx(is_fraud(test).mean())
    assert (after.figures()["average_precision"] or 0) > 0.6
    assert (after.figures()["accuracy"] or 0) > 0.96


def test_datasets_without_one_fraud_or_with_nothing_else_are_learned_too() -> None:
    rng = np.random.default_rng(0)
    values = np.abs(rng.normal(size=(50, len(features(np.zeros((1, 11)))[0]))))
    model = FraudModel()
    for label in (False, True):
        model.learn(values, np.full(50, label))
        model = FraudModel.restored(model.document())
    assert np.all(np.isfinite(model.log_odds(values)))
    empty = values[:0]
    model.learn(empty, np.zeros(0, dtype=bool))
    assert model.log_odds(empty).shape == (0,)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"features": ["x"]}, "is of a model with other features"),
        ({"mean": [0.0]}, r"cannot be used: Expected `array` of length >= 11 - at `\$\.mean`"),
        ({"seen": None}, r"cannot be used: Expected `array`, got `null` - at `\$\.seen`"),
        ({"coefficients": "x"}, r"cannot be used: Expected `array`, got `str` - at `\$\.coefficients`"),
    ],
)
def test_a_model_of_another_form_is_refused(tmp_path: Path, change: dict[str, object], text: str) -> None:
    rows, model = rows_of(tmp_path, sound(200)), FraudModel()
    model.learn(features(rows), is_fraud(rows))
    with pytest.raises(StoreError, match=text):
        FraudModel.restored({**model.document(), **change})
    with pytest.raises(StoreError, match="missing required field"):
        FraudModel.restored({"features": model.document()["features"]})


def test_figures_in_bins_are_those_of_sorting_all_scores() -> None:
    rng = np.random.default_rng(0)
    fraud = rng.random(20_000) < 0.03
    scores = rng.normal(size=20_000) + 2 * fraud
    tally = Tally()
    for part in np.array_split(np.arange(20_000), 7):
        tally.add_scores(scores[part], fraud[part])
    expected = float(cast("float", average_precision_score(fraud, scores)))
    assert tally.figures() == {
        "rows": 20_000,
        "accuracy": pytest.approx(float(((scores > 0) == fraud).mean())),
        "average_precision": pytest.approx(expected, abs=1e-3),
    }


def test_figures_of_nothing_are_none() -> None:
    tally = Tally()
    assert tally.figures() == {"rows": 0, "accuracy": None, "average_precision": None}
    tally.add_scores(np.array([-1.0, 1.0]), np.array([False, False]))
    assert tally.figures() == {"rows": 2, "accuracy": 0.5, "average_precision": None}


def test_a_dataset_that_changes_between_reading_and_training_is_refused(tmp_path: Path) -> None:
    name = dataset(tmp_path, sound(100))
    before = Reading(name).checked()
    name.path.write_bytes(sound(101))
    with pytest.raises(BadDataError, match="it was changed while it was read"):
        train(name, Links((), 1), Share(tmp_path), Reading, expected=before, worker="w")


def test_a_test_set_that_cannot_be_used_is_no_datasets_fault(tmp_path: Path) -> None:
    name = dataset(tmp_path, sound(100))
    (tmp_path / "datasets" / "test").mkdir()
    (tmp_path / "datasets" / "test" / "t.csv").write_bytes(HEADER + ROW + b"1\n")
    before = Reading(name).checked()
    with pytest.raises(StoreError, match=r"the test set datasets/test/t\.csv cannot be used: line 3: it has 1 cells"):
        train(name, Links((), 1), Share(tmp_path), Reading, expected=before, worker="w")


@pytest.mark.parametrize("seed", [0, 1])
def test_the_last_checkpoint_is_better_than_the_first(tmp_path: Path, seed: int) -> None:
    *training, test = (rows_of(tmp_path, b"".join(csv_blocks(day, 8_000, seed=seed)), 50_000) for day in days(DAY, 5))
    model, found = FraudModel(), list[float]()
    for rows in training:
        model.learn(features(rows), is_fraud(rows))
        tally = Tally()
        tally.add(model, test)
        found.append(tally.figures()["average_precision"] or 0)
    assert found[-1] > found[0] > 0.3


def test_blocks_of_a_dataset_are_lines() -> None:
    assert all(block.endswith(b"\n") for block in csv_blocks(DAY, 10, seed=0))


def test_the_document_has_the_columns_of_the_schema() -> None:
    text = (Path(__file__).parent.parent.parent / "docs" / "batch-ml.md").read_text()
    for column in COLUMNS:
        whole = " (whole)" if column.is_whole else ""
        assert f"| `{column.name}` | {column.meaning}{whole} | {column.highest:,.0f} |" in text
