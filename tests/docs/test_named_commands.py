"""Every module that a document or the Makefile runs with `python -m` is there, and says what it takes."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from typing import Final

import pytest

from tests.docs.test_links import PAGES
from tests.tracked import ROOT

_NAMED = re.compile(r"python -m ([a-z_]+(?:\.[a-z_]+)*)")
_OTHERS: Final = ("pip",)
_MAKERS: Final = "tests."
"""Modules below make committed files, or try changes of the code; what they take is their own affair."""


def _named() -> list[str]:
    texts = [path.read_text(encoding="utf-8") for path in (*PAGES.values(), ROOT / "Makefile")]
    return sorted({name for text in texts for name in _NAMED.findall(text)} - set(_OTHERS))


NAMED: Final = _named()


def test_some_are_named() -> None:
    assert {"payloads.fraud_detection", "simulator.toolchain.apis"} <= set(NAMED)


@pytest.mark.parametrize("name", NAMED)
def test_it_can_be_run(name: str) -> None:
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.submodule_search_locations is None or importlib.util.find_spec(f"{name}.__main__") is not None


@pytest.mark.parametrize("name", [name for name in NAMED if not name.startswith(_MAKERS)])
def test_it_says_what_it_takes(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", name, "--help"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: ")
