"""The packages beside a program: Pulumi packages whose plugins the engine needs, and the rest for `about`.

Read from the `.dist-info` folders, without starting the program's interpreter: every command asks for it. A package
names its plugin in a `pulumi-plugin.json`; a package `pulumi-...` without this file needs the plugin of its own name
and version. This is the official host's rule, which the SDK generators rely on.
"""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pulumi.runtime.proto import plugin_pb2

from toolchain.language_host.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_SUFFIX: Final = ".dist-info"
_POLICY_SDK: Final = "pulumi-policy"
_WITHOUT_PLUGIN: Final = (_POLICY_SDK, "pulumi-esc-sdk")
"""Packages named as if they had a plugin, although some of their releases do not say so."""
_PYTHON_RELEASE: Final = re.compile(
    r"(?P<release>\d+(?:\.\d+)*)"
    r"(?:(?P<stage>a|b|rc)(?P<stage_number>\d+))?"
    r"(?:\.post(?P<post>\d+))?"
    r"(?:\.dev(?P<dev>\d+))?"
)
_STAGES: Final = {"a": "alpha", "b": "beta", "rc": "rc"}
_REQUIRES: Final = "Requires-Dist:"
"""Read by hand: importlib.metadata costs a tenth of the host's start."""
_REQUIREMENT: Final = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)")


@dataclass(frozen=True, slots=True, order=True)
class Installed:
    """One installed distribution."""

    name: str
    """In the canonical form: lower case, hyphens."""
    version: str
    folder: Path
    """Its `.dist-info`."""

    @property
    def module(self) -> Path:
        """The folder of its code, by the generators' convention that it has the distribution's name."""
        return self.folder.parent / self.name.replace("-", "_")


def installed_in(folders: Iterable[Path]) -> list[Installed]:
    """Every distribution in the package folders `folders`, sorted by name."""
    found: list[Installed] = []
    for folder in folders:
        for entry in folder.glob(f"*{_SUFFIX}"):
            name, _, version = entry.name.removesuffix(_SUFFIX).partition("-")
            found.append(Installed(_canonical(name), version, entry))
    return sorted(found)


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def required_packages(installed: Iterable[Installed]) -> list[plugin_pb2.PackageDependency]:
    """The plugins that the Pulumi packages among `installed` need.

    Raises:
        HostError: a package's `pulumi-plugin.json` cannot be read.
    """
    needed = (_required_package(package) for package in installed)
    return [package for package in needed if package is not None]


def _required_package(package: Installed) -> plugin_pb2.PackageDependency | None:
    path = package.module / "pulumi-plugin.json"
    stated = _read_plugin(path) if path.exists() else None
    if stated is None and (not package.name.startswith("pulumi-") or package.name in _WITHOUT_PLUGIN):
        return None
    plugin: dict[str, Any] = {"resource": True} if stated is None else stated
    version = plugin.get("version") or plugin_version(package.version)
    if not plugin.get("resource") or version is None:
        return None
    return plugin_pb2.PackageDependency(
        name=plugin.get("name") or package.name.removeprefix("pulumi-"),
        kind="resource",
        version=f"v{version.removeprefix('v')}",
        server=plugin.get("server") or "",
        parameterization=_parameterization(plugin.get("parameterization")),
        extension=_parameterization(plugin.get("extensionParameterization")),
    )


def _read_plugin(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise HostError(f"{path} cannot be read: {error}. Install the package again.") from error


def _parameterization(stated: dict[str, str] | None) -> plugin_pb2.PackageParameterization | None:
    if stated is None:
        return None
    return plugin_pb2.PackageParameterization(
        name=stated["name"], version=stated["version"], value=base64.b64decode(stated["value"])
    )


def policy_sdk_version(installed: Iterable[Installed]) -> str:
    """The version of the policy SDK among `installed`, which its packs report as theirs; empty without one."""
    found = (plugin_version(package.version) for package in installed if package.name == _POLICY_SDK)
    return next(filter(None, found), "")


def plugin_version(version: str) -> str | None:
    """The plugin version for a package of `version` (for `1.2rc4` it is `1.2.0-rc.4`); None if there is none."""
    match = _PYTHON_RELEASE.fullmatch(version)
    if match is None:
        return None
    numbers = match["release"].split(".")
    release = ".".join(numbers + ["0"] * (3 - len(numbers)))
    stage = f"-{_STAGES[match['stage']]}.{match['stage_number']}" if match["stage"] else ""
    build = "".join(f"{label}{match[label]}" for label in ("post", "dev") if match[label])
    return f"{release}{stage}+{build}" if build else f"{release}{stage}"


def direct_dependencies(installed: Sequence[Installed], requirements: Path) -> list[Installed]:
    """The packages of `installed` that `requirements` names; without that file, those that no other one requires."""
    if requirements.exists():
        lines = (line.strip() for line in requirements.read_text().splitlines())
        named = {_canonical(match["name"]) for line in lines if (match := _REQUIREMENT.match(line))}
        return [package for package in installed if package.name in named]
    required: set[str] = set()
    for package in installed:
        head = (package.folder / "METADATA").read_text(errors="replace").partition("\n\n")[0]
        stated = [line.removeprefix(_REQUIRES).strip() for line in head.splitlines() if line.startswith(_REQUIRES)]
        unconditional = [text for text in stated if "extra ==" not in text]
        required.update(_canonical(match["name"]) for text in unconditional if (match := _REQUIREMENT.match(text)))
    return [package for package in installed if package.name not in required]
