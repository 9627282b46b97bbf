"""All broken and sound stacks of the catalogue: one module per module of rules, or per part of one."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from tests.tracked import tracked

if TYPE_CHECKING:
    from tests.stacks import Stack, Told

MODULES: Final = [import_module(f"tests.model.catalogue.{path.stem}") for path in tracked("tests/model/catalogue/*.py")]
BROKEN: Final[dict[str, tuple[Stack, list[Told]]]] = {
    case: stack for module in MODULES for case, stack in module.BROKEN.items()
}
SOUND: Final[dict[str, Stack]] = {case: stack for module in MODULES for case, stack in module.SOUND.items()}
