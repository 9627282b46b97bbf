"""The stand-ins against the official providers: single changes of inputs, and what each makes of them.

`decisions.tsv` has what the official providers decided on the resources of `resources.yaml`. A change that needs what
the simulator does not model is refused by name instead, and stands in `_NOT_MODELLED`.
"""

from __future__ import annotations

import copy
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from simulator.clusters.pki import write_cluster_files
from simulator.providers.kube.provider import KubernetesProvider
from tests.simulator.providers.kube.builders import ScriptedHelm, Told
from tests.simulator.providers.kube.cluster import ApplyCluster

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from simulator.providers.base import Checked, Difference, StandIn, Target
    from simulator.providers.values import Properties
    from tests.simulator.conftest import GcpWorld

_FOLDER: Final = Path(__file__).parent
_STEP: Final = re.compile(r'\.?([A-Za-z][\w-]*)|\["([^"]*)"\]|\[(\d+)\]')
_REFUSED: Final = "refused"
_NOT_MODELLED: Final = {
    'Cluster dev: property "enableL4IlbSubsetting"',
    'Cluster dev: property "networkPolicy"',
    'Cluster dev: the value "ROUTES" of "networkingMode"',
    'Instance dev-share: property "kmsKeyName"',
    'NodePool system: property "nodeConfig.localSsdCount"',
    'NodePool system: property "nodeConfig.minCpuPlatform"',
    'NodePool v5e-slice1: property "nodeConfig.localSsdCount"',
    'NodePool v5e-slice1: property "nodeConfig.minCpuPlatform"',
    'NodePool v6e-flex-slice1: property "nodeConfig.localSsdCount"',
    'NodePool v6e-flex-slice1: property "nodeConfig.minCpuPlatform"',
    'Subnetwork dev-nodes: the value "IPV4_IPV6" of "stackType"',
}


@dataclass(frozen=True)
class Row:
    """One change and the official decision."""

    type: str
    name: str
    property: str
    how: str
    value: Any
    decision: str

    def changed(self, inputs: Properties) -> Properties:
        """Inputs after the change."""
        new: Any = copy.deepcopy(inputs)
        if self.how == "same":
            return new
        *parents, last = [key or quoted or int(index) for key, quoted, index in _STEP.findall(self.property)]
        at: Any = new
        for step in parents:
            if step == parents[-1] and isinstance(step, str):
                at.setdefault(step, {})
            at = at[step]
        if self.how == "remove":
            del at[last]
        else:
            at[last] = self.value
        return new


def _rows() -> Iterator[Row]:
    resource = ("", "")
    for line in (_FOLDER / "decisions.tsv").read_text(encoding="utf-8").splitlines():
        match line.split("\t"):
            case [type_, name]:
                resource = (type_, name)
            case [path, how, value, decision]:
                yield Row(*resource, path, how, json.loads(value), decision)
            case _:
                assert line.startswith("#"), line


@dataclass
class Made:
    """A resource that a stand-in made."""

    provider: StandIn
    target: Target
    declared: Properties
    inputs: Properties
    outputs: Properties

    def decision(self, row: Row) -> tuple[str, list[str]]:
        """What the stand-in makes of the change, and with which words it refuses it."""
        checked = self._checked(row.changed(self.declared))
        if checked.failures:
            return _REFUSED, [failure.reason for failure in checked.failures]
        difference = self.provider.diff(self.target, "id", self.inputs, self.outputs, checked.inputs, [])
        return _in_a_word(difference), []

    def _checked(self, inputs: Properties) -> Checked:
        return self.provider.check(self.target, self.inputs, inputs, b"seed")


def _in_a_word(difference: Difference) -> str:
    if not any(change.replaces for change in difference.changes.values()):
        return "update" if difference.changes else "none"
    return "replace(dbr)" if difference.delete_before_replace else "replace"


@pytest.fixture
def kube(tmp_path: Path) -> Generator[KubernetesProvider]:
    """The kubernetes stand-in before an API server that knows the built-in kinds."""
    cluster = ApplyCluster(write_cluster_files(tmp_path / "pki", "10.0.0.1"))
    provider = KubernetesProvider(Told(), Told(), ScriptedHelm(tmp_path / "helm").tool)
    provider.configure({"kubeconfig": cluster.kubeconfig})
    yield provider
    cluster.server.close()


@pytest.fixture
def made(gcp: GcpWorld, kube: KubernetesProvider) -> dict[tuple[str, str], Made]:
    """Every resource of the table, by type and name; those of Google in the simulated cloud."""
    gcp.provider.configure({"project": "tpu-sandbox"})
    found: dict[tuple[str, str], Made] = {}
    for each in yaml.safe_load((_FOLDER / "resources.yaml").read_text(encoding="utf-8")):
        type_, name, declared = each["type"], each["name"], each["inputs"]
        if type_.startswith("gcp:"):
            one = gcp.up(type_, name, declared)
            found[type_, name] = Made(gcp.provider, one.target, declared, one.inputs, one.outputs)
        else:
            target = gcp.target(type_, name)
            inputs = kube.check(target, None, declared, b"seed").inputs
            found[type_, name] = Made(kube, target, declared, inputs, inputs)
    return found


def _not_modelled(row: Row, words: list[str]) -> Iterator[str]:
    for reason in words:
        named = re.search(r'has (property "[^"]+") that|has (the value "[^"]+" of "[^"]+"), which', reason)
        if named is not None and "the simulator does not model. It refuses rather than ignores" in reason:
            yield f"{row.type.rpartition(':')[2]} {row.name}: {named[1] or named[2]}"


def test_every_decision_is_the_official_one_or_refused_by_name(
    made: dict[tuple[str, str], Made], record_property: Callable[[str, object], None]
) -> None:
    rows, equal, refused, others = list(_rows()), 0, set[str](), list[str]()
    for row in rows:
        decision, words = made[row.type, row.name].decision(row)
        names = set(_not_modelled(row, words))
        if names:
            refused |= names
        elif decision == row.decision:
            equal += 1
        else:
            others.append(f"{row.type} {row.name}: {row.how} {row.property}: {decision}, not {row.decision}; {words}")

    assert others == []
    assert refused == _NOT_MODELLED
    record_property(
        "counted",
        f"decisions of the official providers: {equal} alike, {len(refused)} refused by name: "
        f"{equal + len(refused)} of {len(rows)}",
    )
    assert equal + len(refused) == len(rows) == 793
