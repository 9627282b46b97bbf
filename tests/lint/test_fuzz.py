"""Whatever stands in a file, lint ends in a verdict that every format can write; and in the same one every time."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, cast

import pytest
import yaml
from hypothesis import given, strategies as st

from policies.lint.files import File
from policies.lint.formats import FORMATS
from policies.lint.linting import Options, lint
from tests.fuzz import JUNK, TEXTS, changed
from tests.policies.cases import cases

pytestmark = pytest.mark.fuzz

_HERE: Final = Path(__file__).parent
_ROOT: Final = _HERE.parent.parent
_MANIFESTS: Final = [
    *yaml.safe_load_all((_HERE / "sound.yaml").read_text(encoding="utf-8")),
    *(each["manifest"] for case in cases() for each in case.resources if "manifest" in each),
]
_MESSAGES: Final = [
    json.loads((_HERE / name).read_text(encoding="utf-8"))
    for name in ("sound-pools.json", "sound-cluster.json", "sound-shares.json")
]
_OTHERS: Final = [File(name, (_HERE / name).read_bytes()) for name in ("sound.yaml", "sound-pools.json")]


def _lint(content: bytes, others: list[File]) -> None:
    """Judge one file among others, and write the verdict in every format."""
    linted = lint([*others, File("fuzz", content)], Options())
    written = {name: write(linted) for name, write in FORMATS.items()}
    for name in ("json", "sarif"):
        json.loads(written[name])
    assert len(written["github"].splitlines()) == len(linted.shown) + len(linted.doubts) + len(linted.notes)
    for each in linted.shown:
        assert each.finding.rule
        assert each.sighting.name, each


@given(st.lists(changed(_MANIFESTS), min_size=1, max_size=4))
def test_manifests_with_any_values(documents: list[Any]) -> None:
    _lint(yaml.safe_dump_all(documents, allow_unicode=True).encode(), _OTHERS)


@given(changed(_MESSAGES))
def test_what_gcloud_prints_with_any_values(message: object) -> None:
    _lint(json.dumps(message).encode(), _OTHERS)


@given(JUNK)
def test_values_of_any_shape(value: object) -> None:
    _lint(yaml.safe_dump(value).encode(), [])


@given(TEXTS)
def test_text_that_is_hardly_yaml(text: str) -> None:
    _lint(text.encode(), [])


@given(st.binary(max_size=60))
def test_bytes(content: bytes) -> None:
    _lint(content, [])


def test_the_same_files_give_the_same_output_under_every_hash_seed(tmp_path: Path) -> None:
    chance = random.Random(20)  # noqa: S311  the same in every run is what is wanted
    files: list[str] = []
    for number in range(40):
        documents = [_shaken(chance, chance.choice(_MANIFESTS)) for _ in range(3)]
        files.append(str(tmp_path / f"{number}.yaml"))
        Path(files[-1]).write_text(yaml.safe_dump_all(documents), encoding="utf-8")
    files.append(str(_HERE / "sound-pools.json"))
    seen = {form: {_output(seed, form, files) for seed in ("0", "77")} for form in ("text", "sarif")}
    assert {form: len(outputs) for form, outputs in seen.items()} == {"text": 1, "sarif": 1}


def _shaken(chance: random.Random, value: object) -> object:
    """The value with some of what is in it replaced."""
    if isinstance(value, dict):
        return {key: _shaken(chance, inner) for key, inner in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [_shaken(chance, inner) for inner in cast("list[object]", value)]
    return value if chance.random() > 0.05 else chance.choice(["x", -3, None, 1000, True, ["x"], {"x": 1}])


def _output(seed: str, form: str, files: list[str]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "policies.lint", "--format", form, *files],
        cwd=_ROOT,
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    return done.stdout
