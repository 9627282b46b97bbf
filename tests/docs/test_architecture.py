"""The layers that docs/architecture.md shows are those that `make lint` checks."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from tests.tracked import ROOT


def _shown() -> dict[str, list[set[str]]]:
    """The layers of the table, by what they are in."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = text.partition("| in | layers, the highest first |\n|---|---|\n")[2].partition("\n\n")[0]
    rows = [row.strip("| ").split(" | ") for row in table.splitlines()]
    return {
        where.strip("`"): [set(re.findall(r"`(\w+)`", layer)) for layer in layers.split(";")] for where, layers in rows
    }


def _checked() -> dict[str, list[set[str]]]:
    contracts: list[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
    return {
        each.get("containers", ["the repository"])[0]: [set(re.findall(r"\w+", layer)) for layer in each["layers"]]
        for each in contracts
        if each["type"] == "layers"
    }


def test_the_page_shows_the_contracts() -> None:
    assert _shown() == _checked()


def test_every_package_is_in_a_layer() -> None:
    importlinter = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    assert set().union(*_checked()["the repository"]) == set(importlinter["root_packages"])


def test_every_folder_of_the_program_and_of_the_policies_is_in_a_layer() -> None:
    for container in ("components", "components.model", "policies"):
        folder = ROOT.joinpath(*container.split("."))
        packages = {path.parent.name for path in folder.glob("*/__init__.py")}
        assert packages <= set().union(*_checked()[container]), container
