"""Which chart a reference means here: the charts inside the pinned sources of Kueue and JobSet, nothing downloaded.

One thing in them cannot work on simulated nodes and is taken out of what Helm renders: Kueue's visibility APIServices.
Nothing serves them (the server behind them needs in-cluster credentials), and an APIService without a server makes the
deletion of every namespace hang.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_REFERENCES: Final = {
    "oci://registry.k8s.io/kueue/charts/kueue": "kueue",
    "oci://registry.k8s.io/jobset/charts/jobset": "jobset",
}
_SEPARATOR: Final = "\n---\n"
_LEFT_OUT: Final = "\nkind: APIService\n"


class ChartError(Exception):
    """The simulator has no such chart; the text says which ones it has."""


@dataclass(frozen=True, slots=True)
class Charts:
    """The charts on this machine."""

    folders: Mapping[str, Mapping[str, Path]]
    """By the name of a chart: its folder by version, without a `v`; the current version comes first."""

    def folder(self, reference: str, version: str | None) -> Path:
        """The folder of the chart that `reference` and `version` mean; no version means the current one.

        Raises:
            ChartError: the simulator has no such chart, or not in that version.
        """
        name = _REFERENCES.get(reference)
        if name is None:
            raise ChartError(f"chart {reference} is not modelled by the simulator. It has {', '.join(_REFERENCES)}.")
        here = self.folders[name]
        wanted = next(iter(here)) if version is None else version.removeprefix("v")
        if wanted not in here:
            raise ChartError(f"chart {reference} is here in version {' or '.join(here)}, not {version}.")
        return here[wanted]


def without_visibility(manifests: str) -> str:
    """Rendered manifests without their APIServices; the text is cut, not parsed: it is megabytes of CRDs."""
    return _SEPARATOR.join(_kept(f"\n{manifests}".split(_SEPARATOR))).lstrip("\n")


def _kept(documents: Iterable[str]) -> Iterable[str]:
    return (document for document in documents if _LEFT_OUT not in f"\n{document}\n")
