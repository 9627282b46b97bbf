"""The data of what controllers serve are those of the pinned modules: no field more, no field less."""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path
from typing import Final

from components.model.facts import apis
from components.model.facts.apis.served import GKE_KINDS, MANIFEST_KINDS
from simulator.toolchain.apis.data import FIELDS, files, known
from simulator.toolchain.apis.modules import Sources
from simulator.toolchain.provision import locate
from simulator.toolchain.tools import API_KUEUE_DEFINITIONS, CONTROLLER_APIS

_DATA: Final = Path(apis.__path__[0])


def _sources() -> Sources:
    return Sources(locate([CONTROLLER_APIS]).artefact(CONTROLLER_APIS, API_KUEUE_DEFINITIONS).parent)


def test_the_data_are_what_the_pinned_modules_serve() -> None:
    for name, text in files(_sources()):
        text_of_data = (_DATA / f"{name}.json").read_text(encoding="utf-8").splitlines()
        changes = "\n".join(
            unified_diff(text_of_data, text.splitlines(), "the data", "the pinned modules", lineterm="")
        )
        assert changes == "", f"make them anew: python -m simulator.toolchain.apis\n{changes}"


def test_kinds_that_rules_judge_are_among_the_data() -> None:
    served = {kind for name in FIELDS for kind in known(name)}
    assert {kind.name for kind in MANIFEST_KINDS if kind not in GKE_KINDS} <= served
