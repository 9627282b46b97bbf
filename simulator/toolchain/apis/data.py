"""The files of data that are written: JSON, one file for each API, as `components/model/facts/apis/` reads them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from components.model.facts.apis.fields import Kinds, minor, parse_minor
from components.model.facts.apis.served import RELEASES, read
from simulator.toolchain.apis.merging import merge
from simulator.toolchain.apis.modules import Sources
from simulator.toolchain.tools import (
    CONTROLLER_APIS,
    JOBSET,
    KUBERNETES,
    KUEUE,
    LEADER_WORKER_SET,
    RAY_OPERATOR,
    find_tool,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

_WIDTH: Final = 110
"""Columns of the longest value that is written on one line."""
_MODULES: Final = {
    "kueue": KUEUE,
    "kubernetes": KUBERNETES,
    "ray": RAY_OPERATOR,
    "jobset": JOBSET,
    "leader_worker_set": LEADER_WORKER_SET,
}
"""The pinned module of each API."""
FIELDS: Final[Mapping[str, tuple[str, Callable[[Sources], Kinds]]]] = {
    "kueue": ("kueue", Sources.kueue),
    "kueue_configuration": ("kueue", Sources.kueue_configuration),
    "kueue_gates": ("kueue", Sources.kueue_gates),
    "jobset": ("jobset", Sources.jobset),
    "leader_worker_set": ("leader_worker_set", Sources.leader_worker_set),
    "ray": ("ray", Sources.ray),
    "kubernetes": ("kubernetes", Sources.kubernetes),
}
"""The files with fields of kinds: the API whose releases they follow, and what reads the pinned one."""


def known(name: str) -> Kinds:
    """The kinds in a file of data."""
    return msgspec.json.decode(read(name), type=Kinds)


def files(sources: Sources) -> Iterator[tuple[str, str]]:
    """Every file of data by its name, as it is with the pinned releases."""
    newest = {
        api: find_tool(CONTROLLER_APIS).pin.version_of(module).removeprefix("v") for api, module in _MODULES.items()
    }
    yield "releases", written({api: {"oldest": RELEASES[api].oldest, "newest": newest[api]} for api in _MODULES})
    for name, (api, pinned) in FIELDS.items():
        yield name, written(msgspec.to_builtins(merge(known(name), pinned(sources), minor(newest[api]))))
    charts = msgspec.json.decode(read("kueue_chart"))
    yield "kueue_chart", written(updated_chart(charts, sources.kueue_chart(), minor(newest["kueue"])))
    yield "groups", written(sorted_groups(sources.served()))


def write_all(sources: Sources, folder: Path) -> None:
    """Write the files into a folder."""
    for name, text in files(sources):
        (folder / f"{name}.json").write_text(text, encoding="utf-8")


def written(value: object) -> str:
    """A JSON document in which every value that fits on a line has one.

    >>> print(written({"a": {"b": [1, 2]}}), end="")
    {"a": {"b": [1, 2]}}
    """
    return f"{_written(value, 0)}\n"


def _written(value: object, depth: int) -> str:
    flat = json.dumps(value)
    if depth + len(flat) <= _WIDTH or not isinstance(value, dict):
        return flat
    items = cast("dict[str, object]", value)
    inner = ",\n".join(
        f"{' ' * (depth + 1)}{json.dumps(key)}: {_written(each, depth + 1)}" for key, each in items.items()
    )
    return f"{{\n{inner}\n{' ' * depth}}}"


def updated_chart(
    stated: Mapping[str, Mapping[str, Any]], pinned: Mapping[str, Any], release: str
) -> dict[str, Mapping[str, Any]]:
    """The configurations of Kueue's chart with that of a release, by the first release that has each."""
    newest = max(stated, key=parse_minor)
    return dict(stated) if stated[newest] == pinned else {**stated, release: pinned}


def sorted_groups(served: Mapping[str, Mapping[str, list[str]]]) -> dict[str, dict[str, list[str]]]:
    """The versions of every kind, the best first; groups and kinds by their names."""
    return {
        group: {kind: sorted(versions, key=newest_first) for kind, versions in sorted(kinds.items())}
        for group, kinds in sorted(served.items())
    }


def newest_first(version: str) -> tuple[int, int]:
    """The order in which people should choose versions: `v1` before `v1beta2`, `v1beta2` before `v1alpha1`."""
    stage = next((rank for rank, word in enumerate(("alpha", "beta"), 1) if word in version), 0)
    return -{0: 3, 1: 1, 2: 2}[stage], -int(re.split(r"[a-z]+", version)[-1])
