"""The scenarios of stacks, one YAML file each: STACK.yaml. `simulator.commands.scenario` reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent


def scenario_of(stack: str) -> Path | None:
    """The file with the scenario of a stack; None where the stack has none."""
    path = _FOLDER / f"{stack}.yaml"
    return path if path.exists() else None


def stacks() -> list[str]:
    """The stacks that have a scenario."""
    return sorted(path.stem for path in _FOLDER.glob("*.yaml"))
