"""The plugins by package, and the launchers through which the engine finds them. Every command puts these in place."""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from simulator.files import write_whole
from simulator.home import HOME_VARIABLE, Home

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PACKAGES: Final = ("gcp", "kubernetes", "random")
PLUGINS_VARIABLE: Final = "TPU_SIMULATOR_PLUGINS"
"""Environment variable that names a PULUMI_HOME; each plugin in it takes the place of the stand-in of its package."""
_OTHERS_FIND: Final = {"GOOGLE_OAUTH_ACCESS_TOKEN": "none", "PULUMI_GCP_SKIP_REGION_VALIDATION": "true"}
"""The variables that the official gcp plugin needs for a preview without Google. The token is valid nowhere."""


@dataclass(frozen=True, slots=True)
class Others:
    """Plugins that take the place of stand-ins."""

    folder: Path
    """A PULUMI_HOME."""
    proxy: Mapping[str, str]
    """Variables that lead their HTTPS only to `simulator/outside.py`."""

    def plugin(self, package: str) -> Path | None:
        """The newest plugin of a package in that folder, whatever version the SDK asks for."""
        found = self.folder.glob(f"plugins/resource-{package}-v*/pulumi-resource-{package}")
        return max(found, key=lambda path: [int(each) for each in re.findall(r"\d+", path.parent.name)], default=None)


def plugin_version(distribution: str) -> str:
    """Version of the plugin that goes with an installed SDK, such as `10.2.0` for `pulumi-gcp`: one release makes both.

    Raises:
        importlib.metadata.PackageNotFoundError: the SDK is not installed.
    """
    return version(distribution)


def write_launchers(home: Home, others: Others | None = None) -> None:
    """Make PULUMI_HOME/plugins hold one launcher per package, under the exact version that its SDK asks for."""
    for package in PACKAGES:
        path = launcher(home, package)
        path.parent.mkdir(parents=True, exist_ok=True)
        variables, command = {HOME_VARIABLE: str(home.root)}, [sys.executable, "-m", "simulator.providers", package]
        other = None if others is None else others.plugin(package)
        if others is not None and other is not None:
            variables, command = {**variables, **_OTHERS_FIND, **others.proxy}, [str(other.resolve())]
        words = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
        # What a plugin writes is for this user alone, such as Helm's cache with the charts that it pulled.
        write_whole(path, f'#!/bin/sh\numask 077\n{words} exec {shlex.join(command)} "$@"\n', mode=0o755)


def launcher(home: Home, package: str) -> Path:
    """The program that the engine starts for a package."""
    folder = f"resource-{package}-v{plugin_version(f'pulumi-{package}')}"
    return home.pulumi_home / "plugins" / folder / f"pulumi-resource-{package}"
