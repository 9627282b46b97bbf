"""The data of what controllers serve are those of the pinned modules: no field more, no field less."""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path
from typing import Final

from components.model.facts import apis
from components.model.facts.apis import fields
from components.model.facts.apis.served import GKE_KINDS, MANIFEST_KINDS
from toolchain.apis.data import DATA, modules
from toolchain.apis.modules import Sources
from toolchain.provision import locate
from toolchain.tools import API_KUEUE_DEFINITIONS, CONTROLLER_APIS

_DATA: Final = Path(apis.__path__[0])


def _sources() -> Sources:
    return Sources(locate([CONTROLLER_APIS]).artefact(CONTROLLER_APIS, API_KUEUE_DEFINITIONS).parent)


def test_the_data_are_what_the_pinned_modules_serve() -> None:
    for name, text in modules(_sources()):
        known = (_DATA / f"{name}.py").read_text(encoding="utf-8").splitlines()
        changes = "\n".join(unified_diff(known, text.splitlines(), "the data", "the pinned modules", lineterm=""))
        assert changes == "", f"make them anew: python -m toolchain.apis\n{changes}"


def test_kinds_that_rules_judge_are_among_the_data() -> None:
    served = {kind for each in DATA for kind in fields.parse(each.module.TEXT)}
    assert {kind.name for kind in MANIFEST_KINDS if kind not in GKE_KINDS} <= served
