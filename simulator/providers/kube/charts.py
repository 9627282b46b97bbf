"""Which chart a reference means here: the charts inside the pinned sources of Kueue and JobSet, nothing downloaded.

Kueue's visibility APIServices cannot work on simulated nodes: they are removed from what Helm renders, and from the
chart that `simulator/outside.py` serves. Nothing serves them (the server behind them needs in-cluster credentials), and
an APIService without a server makes the deletion of every namespace hang.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from simulator.toolchain.provision import locate, releases
from simulator.toolchain.tools import CHART

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

REGISTRY: Final = "registry.k8s.io"
"""The host of all references."""
REPOSITORIES: Final = {"kueue": "kueue/charts/kueue", "jobset": "jobset/charts/jobset"}
"""By the name of a chart and of its tool: its repository at the registry."""
_REFERENCES: Final = {f"oci://{REGISTRY}/{repository}": name for name, repository in REPOSITORIES.items()}
_SEPARATOR: Final = "\n---\n"
_LEFT_OUT: Final = "\nkind: APIService\n"


class ChartError(Exception):
    """The simulator does not have that chart; the text lists those that it has."""


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


def local_charts() -> Charts:
    """The charts of every release of Kueue and JobSet that is built here.

    Raises:
        ToolchainError: a tool is not built yet.
    """
    locate(REPOSITORIES)
    return Charts(
        {
            name: {version.removeprefix("v"): found.artefact(CHART) for version, found in releases(name).items()}
            for name in REPOSITORIES
        }
    )


def packaged(helm: Path, folder: Path) -> bytes:
    """The chart in `folder` as the command `helm` packs it, without its APIServices."""
    with tempfile.TemporaryDirectory(prefix="chart-") as name:
        scratch = Path(name)
        shutil.copytree(folder, scratch / "chart", ignore=_left_out)
        command = [str(helm), "package", str(scratch / "chart"), f"--destination={scratch}"]
        subprocess.run(command, capture_output=True, check=True)
        (package,) = scratch.glob("*.tgz")
        return package.read_bytes()


def _left_out(folder: str, names: list[str]) -> set[str]:
    paths = [Path(folder) / name for name in names]
    return {path.name for path in paths if path.is_file() and _LEFT_OUT in path.read_text(encoding="utf-8")}


def without_visibility(manifests: str) -> str:
    """Rendered manifests without their APIServices; the text is cut, not parsed: it is megabytes of CRDs."""
    return _SEPARATOR.join(_kept(f"\n{manifests}".split(_SEPARATOR))).lstrip("\n")


def _kept(documents: Iterable[str]) -> Iterable[str]:
    return (document for document in documents if _LEFT_OUT not in f"\n{document}\n")
