"""All broken and sound stacks of the catalogue: one module per module of rules, or per part of one."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from tests.tracked import tracked

if TYPE_CHECKING:
    from tests.stacks import Stack

MODULES: Final = [import_module(f"tests.model.catalogue.{path.stem}") for path in tracked("tests/model/catalogue/*.py")]
BROKEN: Final[dict[str, tuple[Stack, str]]] = {
    case: (stack, rules)
    for module in MODULES
    for rules, stacks in module.BROKEN.items()
    for case, stack in stacks.items()
}
"""By case: the stack, and the ids of the rules that find something in it, with a comma between two."""
SOUND: Final[dict[str, Stack]] = {case: stack for module in MODULES for case, stack in module.SOUND.items()}
