"""The modules of data that are written: one for each API, text that `components/model/facts/apis/fields.py` reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import yaml

from components.model.facts.apis import fields, jobset, kubernetes, kueue, kueue_chart, kueue_configuration, kueue_gates
from components.model.facts.apis.fields import minor, parse_minor
from toolchain.apis.merging import merge
from toolchain.apis.modules import Sources
from toolchain.tools import find_tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from types import ModuleType

    from components.model.facts.apis.fields import Kinds

_NOTE: Final = "Written by `python -m toolchain.apis`; the text is explained in `fields.py`."


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """One module of data."""

    module: ModuleType
    about: str
    """The first line of its docstring."""
    tool: str
    """The tool whose release it describes."""
    read: Callable[[Sources], Kinds]

    @property
    def name(self) -> str:
        """The name of its file, without its ending."""
        return self.module.__name__.rpartition(".")[2]

    def updated(self, sources: Sources) -> str:
        """Its source with the data of the pinned release."""
        release = _release(self.tool)
        kinds = merge(fields.parse(self.module.TEXT), self.read(sources), minor(release))
        return data_module(self.about, self.module.OLDEST, release, fields.write(kinds))


DATA: Final = (
    Data(module=kueue, about="The fields of Kueue's API.", tool="kueue", read=Sources.kueue),
    Data(
        module=kueue_configuration,
        about="The keys of Kueue's configuration file.",
        tool="kueue",
        read=Sources.kueue_configuration,
    ),
    Data(module=kueue_gates, about="Kueue's feature gates.", tool="kueue", read=Sources.kueue_gates),
    Data(module=jobset, about="The fields of JobSet's API.", tool="jobset", read=Sources.jobset),
    Data(
        module=kubernetes,
        about="The fields of Kubernetes' own API, for kinds that are used with Kueue's.",
        tool="kube-apiserver",
        read=Sources.kubernetes,
    ),
)


def modules(sources: Sources) -> Iterator[tuple[str, str]]:
    """Every module of data by its name, as it is with the pinned releases."""
    for each in DATA:
        yield each.name, each.updated(sources)
    configurations = updated_chart(kueue_chart.CONFIGURATIONS, sources.kueue_chart(), minor(_release("kueue")))
    yield "kueue_chart", chart_module(configurations)


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


def _release(tool: str) -> str:
    return find_tool(tool).version.removeprefix("v")
