"""The modules of data that are written: one for each API, text that `components/model/facts/apis/fields.py` reads."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import yaml

from components.model.facts.apis import (
    fields,
    jobset,
    kubernetes,
    kueue,
    kueue_chart,
    kueue_configuration,
    kueue_gates,
    leader_worker_set,
    ray,
)
from components.model.facts.apis.fields import minor, parse_minor
from toolchain.apis.merging import merge
from toolchain.apis.modules import Sources
from toolchain.tools import CONTROLLER_APIS, JOBSET, KUBERNETES, KUEUE, LEADER_WORKER_SET, RAY_OPERATOR, find_tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from types import ModuleType

    from components.model.facts.apis.fields import Kinds

CORE: Final = "core"
_NOTE: Final = "Written by `python -m toolchain.apis`; the text is explained in `fields.py`."


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """One module of data."""

    module: ModuleType
    about: str
    """The first line of its docstring."""
    source: str
    """The module whose release it describes."""
    read: Callable[[Sources], Kinds]

    @property
    def name(self) -> str:
        """The name of its file, without its ending."""
        return self.module.__name__.rpartition(".")[2]

    def updated(self, sources: Sources) -> str:
        """Its source with the data of the pinned release."""
        release = _release(self.source)
        kinds = merge(fields.parse(self.module.TEXT), self.read(sources), minor(release))
        return data_module(self.about, self.module.OLDEST, release, fields.write(kinds))


DATA: Final = (
    Data(module=kueue, about="The fields of Kueue's API.", source=KUEUE, read=Sources.kueue),
    Data(
        module=kueue_configuration,
        about="The keys of Kueue's configuration file.",
        source=KUEUE,
        read=Sources.kueue_configuration,
    ),
    Data(module=kueue_gates, about="Kueue's feature gates.", source=KUEUE, read=Sources.kueue_gates),
    Data(module=jobset, about="The fields of JobSet's API.", source=JOBSET, read=Sources.jobset),
    Data(
        module=leader_worker_set,
        about="The fields of LeaderWorkerSet's API.",
        source=LEADER_WORKER_SET,
        read=Sources.leader_worker_set,
    ),
    Data(module=ray, about="The fields of KubeRay's API.", source=RAY_OPERATOR, read=Sources.ray),
    Data(
        module=kubernetes,
        about="The fields of Kubernetes' own API: kinds that rules check, and the types that they refer to.",
        source=KUBERNETES,
        read=Sources.kubernetes,
    ),
)


def modules(sources: Sources) -> Iterator[tuple[str, str]]:
    """Every module of data by its name, as it is with the pinned releases."""
    for each in DATA:
        yield each.name, each.updated(sources)
    configurations = updated_chart(kueue_chart.CONFIGURATIONS, sources.kueue_chart(), minor(_release(KUEUE)))
    yield "kueue_chart", chart_module(configurations)
    yield "groups", groups_module(sources.served())


def write_all(sources: Sources, folder: Path) -> None:
    """Write the modules into a folder."""
    for name, text in modules(sources):
        (folder / f"{name}.py").write_text(text, encoding="utf-8")


def data_module(about: str, oldest: str, release: str, text: str) -> str:
    """The source of a module of data."""
    return f'''"""{about}

{_NOTE}
"""

from typing import Final

OLDEST: Final = "{oldest}"
"""The oldest release that was read."""
RELEASE: Final = "{release}"
"""The newest."""
TEXT: Final = """\\
{text}"""
'''


def updated_chart(known: Mapping[str, str], stated: dict[str, Any], release: str) -> dict[str, str]:
    """The configurations of Kueue's chart with that of a release, by the first release that has each."""
    newest = max(known, key=parse_minor)
    text = yaml.safe_dump(stated, sort_keys=False)
    return dict(known) if known[newest] == text else {**known, release: text}


def chart_module(configurations: dict[str, str]) -> str:
    """The source of the module with the chart's configurations."""
    entries = "".join(f'    "{release}": """\\\n{text}""",\n' for release, text in configurations.items())
    return f'''"""The configuration that Kueue's chart states, without `integrations`.

Written by `python -m toolchain.apis`.
"""

from collections.abc import Mapping
from typing import Final

CONFIGURATIONS: Final[Mapping[str, str]] = {{
{entries}}}
"""By the first release that has it."""
'''


def groups_module(served: Mapping[str, Mapping[str, list[str]]]) -> str:
    """The source of the module with the groups of the APIs."""
    lines = [
        " ".join([group or CORE, kind, *sorted(served[group][kind], key=newest_first)])
        for group in sorted(served)
        for kind in sorted(served[group])
    ]
    text = "".join(f"{line}\n" for line in lines)
    return f'''"""Every kind that the pinned releases of Kubernetes and of the controllers serve.

Written by `python -m toolchain.apis`; each line has a group, a kind, and the versions, the best first.
"""

from typing import Final

CORE: Final = "{CORE}"
"""Stands for the group without a name."""
TEXT: Final = """\\
{text}"""
'''


def newest_first(version: str) -> tuple[int, int]:
    """The order in which people should choose versions: `v1` before `v1beta2`, `v1beta2` before `v1alpha1`."""
    stage = next((rank for rank, word in enumerate(("alpha", "beta"), 1) if word in version), 0)
    return -{0: 3, 1: 1, 2: 2}[stage], -int(re.split(r"[a-z]+", version)[-1])


def _release(module: str) -> str:
    return find_tool(CONTROLLER_APIS).pin.version_of(module).removeprefix("v")
