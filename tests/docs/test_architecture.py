"""docs/architecture.md draws the layers that `make lint` checks."""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final

from tests.docs.blocks import PICTURE, blocks, documents
from tests.tracked import ROOT

_WHOLE: Final = "the repository"


def _settings() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]


def _layers() -> dict[str, list[list[str]]]:
    """The layers of each contract, the highest first, by the package that they are in."""
    return {
        each.get("containers", [_WHOLE])[0]: [re.findall(r"\w+", layer) for layer in each["layers"]]
        for each in _settings()["contracts"]
        if each["type"] == "layers"
    }


def _picture() -> str:
    """The layers as a Mermaid flowchart: a box for each layer, an arrow to the next lower one."""
    lines = ["flowchart TB"]
    for number, (where, layers) in enumerate(_layers().items()):
        lines.append(f'  subgraph in{number} ["{where}"]')
        lines += [f'    in{number}_{row}["{" · ".join(layer)}"]' for row, layer in enumerate(layers)]
        lines.append("    " + " --> ".join(f"in{number}_{row}" for row in range(len(layers))))
        lines.append("  end")
    return "\n".join(lines)


def test_the_page_draws_the_contracts() -> None:
    drawn = {each.where: each.text.strip() for page in documents() for each in blocks(page) if each.language == PICTURE}
    assert list(drawn.values()) == [_picture()], f"the picture of the contracts is now:\n{_picture()}"
    assert next(iter(drawn)).startswith("docs/architecture.md")


def test_every_package_is_in_a_layer() -> None:
    assert {name for layer in _layers()[_WHOLE] for name in layer} == set(_settings()["root_packages"])


def test_every_folder_of_the_program_the_policies_and_the_commands_is_in_a_layer() -> None:
    for container in ("components", "components.model", "policies", "tpu"):
        folder = ROOT.joinpath(*container.split("."))
        packages = {path.parent.name for path in folder.glob("*/__init__.py")}
        assert packages <= {name for layer in _layers()[container] for name in layer}, container
