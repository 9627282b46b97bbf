"""The files of pinned modules that define a controller's API, and their content."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import yaml
from msgspec.structs import replace

from components.model.facts import kinds
from components.model.facts.apis.fields import Field, Kinds, Version
from simulator.toolchain.apis.crds import read_definitions, read_served
from simulator.toolchain.apis.go_types import GoTypes
from simulator.toolchain.apis.openapi import OpenApi
from simulator.toolchain.tools import (
    API_CORE,
    API_JOBSET_DEFINITIONS,
    API_KUBERNETES,
    API_KUEUE_CONFIGURATION,
    API_KUEUE_DEFINITIONS,
    API_KUEUE_GATES,
    API_KUEUE_VALUES,
    API_LEADER_ELECTION,
    API_LEADER_WORKER_SET_DEFINITIONS,
    API_META,
    API_RAY_DEFINITIONS,
    API_SCHEDULING,
)

if TYPE_CHECKING:
    from pathlib import Path

GATES: Final = ("FeatureGates", "kueue")
"""The kind and version under which feature gates are kept, as if they were fields."""
_CONFIGURATIONS: Final = ("v1beta1", "v1beta2")
_GATE: Final = re.compile(r"^\t(?P<name>\w+): \{\n(?P<specs>.*?)^\t\},", re.MULTILINE | re.DOTALL)
_GATE_NAME: Final = re.compile(r'^\t(?P<constant>\w+) +featuregate\.Feature = "(?P<name>\w+)"', re.MULTILINE)
_GATE_SINCE: Final = re.compile(r'MustParse\("(?P<release>[\d.]+)"\)')


@dataclass(frozen=True, slots=True)
class Sources:
    """The folder that the pinned files were copied to."""

    folder: Path

    def kueue(self) -> Kinds:
        """The kinds of Kueue that rules check."""
        return read_definitions(self.folder / API_KUEUE_DEFINITIONS, kinds.KUEUE_KINDS)

    def jobset(self) -> Kinds:
        """JobSets."""
        return read_definitions(self.folder / API_JOBSET_DEFINITIONS, [kinds.JOBSET])

    def leader_worker_set(self) -> Kinds:
        """LeaderWorkerSets."""
        return read_definitions(self.folder / API_LEADER_WORKER_SET_DEFINITIONS, [kinds.LEADER_WORKER_SET])

    def ray(self) -> Kinds:
        """The kinds of KubeRay that rules check."""
        return read_definitions(self.folder / API_RAY_DEFINITIONS, kinds.RAY_KINDS)

    def kubernetes(self) -> Kinds:
        """The kinds of Kubernetes itself that rules check, and the types that they refer to."""
        found = self._openapi().kinds((kind.group, kind.name) for kind in kinds.KINDS if kind.is_of_kubernetes)
        name = kinds.PRIORITY_CLASS.name
        stated = GoTypes([self.folder / each for each in (API_SCHEDULING, API_META, API_CORE)]).fields(name)
        [(version, read)] = found[name].items()
        fields = {key: replace(each, values=stated[key].values) for key, each in read.fields.items()}
        return {**found, name: {version: Version(fields=fields)}}

    def served(self) -> dict[str, dict[str, list[str]]]:
        """The versions of every kind that the pinned releases serve, by group and kind."""
        folders = (
            API_KUEUE_DEFINITIONS,
            API_JOBSET_DEFINITIONS,
            API_LEADER_WORKER_SET_DEFINITIONS,
            API_RAY_DEFINITIONS,
        )
        definitions = (each for name in folders for each in read_served(self.folder / name))
        found: dict[str, dict[str, list[str]]] = {}
        for group, kind, version in (*self._openapi().served(), *definitions):
            versions = found.setdefault(group, {}).setdefault(kind, [])
            if version not in versions:
                versions.append(version)
        return found

    def _openapi(self) -> OpenApi:
        return OpenApi(self.folder / API_KUBERNETES)

    def kueue_configuration(self) -> Kinds:
        """Kueue's configuration file."""
        others = [self.folder / API_LEADER_ELECTION, self.folder / API_META]
        read = {name: GoTypes([self.folder / API_KUEUE_CONFIGURATION / name, *others]) for name in _CONFIGURATIONS}
        return {"Configuration": {name: Version(fields=types.fields("Configuration")) for name, types in read.items()}}

    def kueue_gates(self) -> Kinds:
        """Kueue's feature gates; each one names the release that introduced it."""
        text = (self.folder / API_KUEUE_GATES).read_text(encoding="utf-8")
        names = {match["constant"]: match["name"] for match in _GATE_NAME.finditer(text)}
        found = {names[match["name"]]: Field(since=_since(match["specs"])) for match in _GATE.finditer(text)}
        kind, version = GATES
        return {kind: {version: Version(fields=dict(sorted(found.items())))}}

    def kueue_chart(self) -> dict[str, Any]:
        """The configuration that Kueue's chart states, without the kinds of work that it manages."""
        values = yaml.safe_load((self.folder / API_KUEUE_VALUES).read_text(encoding="utf-8"))
        stated = yaml.safe_load(values["managerConfig"]["controllerManagerConfigYaml"])
        return {key: value for key, value in stated.items() if key != "integrations"}


def _since(specs: str) -> str | None:
    releases = [match["release"] for match in _GATE_SINCE.finditer(specs)]
    return releases[0] if releases else None
