"""A PULUMI_HOME with official plugins: what the lane needs of it, and commands that use it.

Somebody gives the folder, with the official language host and every plugin; or it has only the kubernetes plugin that
the toolchain builds, and everything else stays with the stand-ins.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from simulator.providers.plugins import PACKAGES, PLUGINS_VARIABLE, Others, plugin_version
from simulator.toolchain.provision import locate
from simulator.toolchain.tools import KUBERNETES_PLUGIN, LANGUAGE_EXEC, LANGUAGE_HOST

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.harness import Simulator

FOLDER_VARIABLE: Final = "OFFICIAL_PLUGINS"
"""Environment variable by which the lane's tests find the folder."""
_HOST_FOLDERS: Final = ("bin", ".", "plugins/language-python-v*")
NEEDS: Final = "\n".join(
    (
        "make test-official PLUGINS=folder compares the simulator's stand-ins with the official plugins in a folder.",
        "The folder is a PULUMI_HOME with these files:",
        *(
            f"  plugins/resource-{each}-v{plugin_version(f'pulumi-{each}')}/pulumi-resource-{each}"
            for each in sorted(PACKAGES)
        ),
        f"  bin/{LANGUAGE_HOST}, and {LANGUAGE_EXEC} beside it",
        "These are the versions that the SDKs ask for. Others serve too; of several, the newest is used.",
    )
)


@dataclass(frozen=True, slots=True)
class Official:
    """The folder."""

    folder: Path

    @property
    def host(self) -> Path | None:
        """The language host of Python, with the program beside it that it runs programs with."""
        found = (path for each in _HOST_FOLDERS for path in sorted(self.folder.glob(f"{each}/{LANGUAGE_HOST}")))
        return next((path for path in found if (path.parent / LANGUAGE_EXEC).exists()), None)

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages whose official plugin is there."""
        return tuple(each for each in PACKAGES if Others(self.folder, {}).plugin(each) is not None)

    def missing(self) -> Iterator[str]:
        """What the lane needs and does not find."""
        for package in sorted(set(PACKAGES) - set(self.packages)):
            yield f"plugins/resource-{package}-v*/pulumi-resource-{package}"
        if self.host is None:
            yield f"{LANGUAGE_HOST} with {LANGUAGE_EXEC} beside it, in {' or '.join(_HOST_FOLDERS)}"

    def only(self, package: str, folder: Path) -> Path:
        """Makes `folder` a PULUMI_HOME with the plugin of one package."""
        plugin = Others(self.folder, {}).plugin(package)
        assert plugin is not None
        return _with_plugin(folder, plugin.parent.name, plugin)

    def used_by(self, simulator: Simulator, commands: Path) -> Simulator:
        """The same simulator, whose commands use the official plugins, and the official host if the folder has one.

        The engine looks for the host beside itself, so that a copy of the engine's own command goes there, into the
        folder `commands`, which is made.
        """
        if self.host is None:
            return replace(simulator, variables={PLUGINS_VARIABLE: str(self.folder)})
        commands.mkdir()
        shutil.copy2(locate(("pulumi",)).binary("pulumi").resolve(), commands / "pulumi")
        for path in self.host.parent.glob("pulumi-*"):
            (commands / path.name).symlink_to(path.resolve())
        path = f"{commands}{os.pathsep}{os.environ['PATH']}"
        own = {"PATH": path, "TPU_PLATFORM_TOOLS": "auto", PLUGINS_VARIABLE: str(self.folder)}
        return replace(simulator, variables=own)


def built(folder: Path) -> Official:
    """Makes `folder` a PULUMI_HOME with the kubernetes plugin that the toolchain has built, under the SDK's version.

    Raises:
        ToolchainError: it is not built yet.
    """
    name = f"resource-kubernetes-v{plugin_version('pulumi-kubernetes')}"
    return Official(_with_plugin(folder, name, locate((KUBERNETES_PLUGIN,)).binary(KUBERNETES_PLUGIN)))


def _with_plugin(folder: Path, name: str, plugin: Path) -> Path:
    link = folder / "plugins" / name / plugin.name
    link.parent.mkdir(parents=True)
    link.symlink_to(plugin.resolve())
    return folder
