"""The examples in docstrings hold."""

from __future__ import annotations

import doctest
import importlib
from typing import Final

import pytest

from tests.tracked import ROOT, tracked

_PACKAGES: Final = ("components/kubeapi", "simulator", "tpu")
_MODULES: Final = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in tracked(*(f"{package}/**/*.py" for package in _PACKAGES))
    if ">>> " in path.read_text()
)


@pytest.mark.parametrize("name", _MODULES)
def test_the_examples_of_a_module_hold(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0
    assert results.failed == 0


def test_each_package_has_examples() -> None:
    assert all(any(name.startswith(each.replace("/", ".")) for name in _MODULES) for each in _PACKAGES)
