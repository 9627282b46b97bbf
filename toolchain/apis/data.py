"""The modules of data that are written: one for each API, text that `components/model/objects/apis/fields.py` reads."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import yaml

from components.model.objects.apis import fields, kueue_chart
from components.model.objects.apis.fields import parse_minor
from toolchain.apis.merging import merge
from toolchain.tools import find_tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from components.model.objects.apis.fields import Kinds
    from toolchain.apis.modules import Sources

PACKAGE: Final = "components.model.objects.apis"
_NOTE: Final = "Written by `python -m toolchain.apis`; the text is explained in `fields.py`."
_CHART: Final = "kueue_chart"


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """One module of data."""

    module: str
    about: str
    """The first line of its docstring."""
    tool: str
    """Of whose release it is."""
    read: Callable[[Sources], Kinds]

    @property
    def known(self) -> str:
        """The text that is there now."""
        return importlib.import_module(f"{PACKAGE}.{self.module}").TEXT

    @property
    def oldest(self) -> str:
        """The oldest release that was ever read."""
        return importlib.import_module(f"{PACKAGE}.{self.module}").OLDEST

    def updated(self, sources: Sources) -> str:
        """The text with the pinned release."""
        release = _minor(self.tool)
        return fields.write(merge(fields.parse(self.known), self.read(sources), release))


DATA: Final = (
    Data(module="kueue", about="What Kueue's API serves.", tool="kueue", read=lambda sources: sources.kueue()),
    Data(
        module="kueue_configuration",
        about="The keys of Kueue's configuration file.",
        tool="kueue",
        read=lambda sources: sources.kueue_configuration(),
    ),
    Data(
        module="kueue_gates",
        about="Kueue's feature gates.",
        tool="kueue",
        read=lambda sources: sources.kueue_gates(),
    ),
    Data(module="jobset", about="What JobSet's API serves.", tool="jobset", read=lambda sources: sources.jobset()),
    Data(
        module="kubernetes",
        about="What Kubernetes' own API serves, of the kinds that stand beside those of Kueue.",
        tool="kube-apiserver",
        read=lambda sources: sources.kubernetes(),
    ),
)


def modules(sources: Sources) -> Iterator[tuple[str, str]]:
    """Every module of data by its name, as it is with the pinned releases."""
    for each in DATA:
        yield each.module, module(each.about, each.oldest, _release(each.tool), each.updated(sources))
    yield _CHART, chart_module(updated_chart(sources.kueue_chart()))


def write_all(sources: Sources, folder: Path) -> None:
    """Write the modules into a folder."""
    for name, text in modules(sources):
        (folder / f"{name}.py").write_text(text, encoding="utf-8")


def module(about: str, oldest: str, release: str, text: str) -> str:
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


def updated_chart(stated: dict[str, Any]) -> dict[str, str]:
    """The configurations of Kueue's chart with that of the pinned release, by the first release that has each."""
    known = kueue_chart.CONFIGURATIONS
    newest = max(known, key=parse_minor)
    text = yaml.safe_dump(stated, sort_keys=False)
    return dict(known) if known[newest] == text else {**known, _minor("kueue"): text}


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


def _minor(tool: str) -> str:
    return ".".join(_release(tool).split(".")[:2])
