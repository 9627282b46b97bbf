"""The examples in docstrings."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import components.model

_MODULES = [module.name for module in pkgutil.walk_packages(components.model.__path__, "components.model.")]


@pytest.mark.parametrize("name", _MODULES)
def test_examples_are_true(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples() -> None:
    modules = [importlib.import_module(name) for name in _MODULES]
    assert sum(doctest.testmod(module).attempted for module in modules) > 5
