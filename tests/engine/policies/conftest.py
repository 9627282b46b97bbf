"""A foreign program in the simulator, and what the real engine and the packs say of it; no cluster is ever made."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from policies.names import rule_and_text
from tests.harness import Done, Simulator
from tests.policies.asking import Violation
from tests.tracked import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

PACKS: Final = ROOT / "policies"
_PROJECT: Final = "name: foreign\nruntime:\n  name: python\n  options: {toolchain: pip, virtualenv: .venv}\n"
FOREIGN: Final = {
    "sound": "",
    "quota": "foreign:quota: 24",
    "late": "foreign:late: true\n  foreign:nodes: 1\n  foreign:quota: 20",
    "totals": "foreign:totals: true",
    "annotation": "foreign:queue-as: annotation",
    "first": "foreign:controllers: first",
    "beside": "foreign:controllers: beside",
}
"""Stacks of the foreign program: what each gets wrong."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a command said, as the engine's events tell it."""

    done: Done
    events: list[dict[str, Any]]

    @property
    def violations(self) -> list[Violation]:
        """What the packs found, in order."""
        return [_violation(said) for said in self._of("policyEvent")]

    @property
    def errors(self) -> list[str]:
        """Rules whose violations stop the update, with the name of the resource."""
        return sorted(f"{each.policy} {_name(each.urn)}" for each in self.violations if each.level == "mandatory")

    @property
    def undecided(self) -> str:
        """The report of what could not be decided."""
        return "\n".join(each.text for each in self.violations if each.policy == "every-rule-is-decided")

    @property
    def remedied(self) -> dict[str, Any]:
        """What became of resources that were put right, by name."""
        return {_name(each["resourceUrn"]): each["after"] for each in self._of("policyRemediationEvent")}

    @property
    def passed(self) -> set[str]:
        """Policies over the stack that the engine counts as kept; it leaves out an empty list."""
        summaries = self._of("policyAnalyzeStackSummaryEvent")
        assert summaries
        return {name for each in summaries for name in each.get("passed", ())}

    def _of(self, kind: str) -> list[dict[str, Any]]:
        return [event[kind] for event in self.events if kind in event]


def _violation(said: Mapping[str, Any]) -> Violation:
    policy, text = rule_and_text(said["policyPackName"], said["policyName"], said["message"].rstrip())
    return Violation(policy, said.get("resourceUrn", ""), said["enforcementLevel"], text)


def _name(urn: str) -> str:
    return urn.rpartition("::")[2]


@dataclass(frozen=True, slots=True)
class Lab:
    """A project in the simulator, and a folder for configuration files of packs."""

    simulator: Simulator
    scratch: Path

    def preview(
        self, stack: str, *packs: str, config: dict[str, Any] | Path | None = None, code: int | None = None
    ) -> Judged:
        """A preview under some packs, each with the same configuration."""
        return self._judged("preview", "--json", "--stack", stack, *self._packs(packs or ("all",), config), code=code)

    def analyzed(self, state: dict[str, Any], config: dict[str, Any] | None = None) -> Judged:
        """What `policy analyze` says of a state."""
        file = self.scratch / "state.json"
        file.write_text(json.dumps(state))
        return self._judged("policy", "analyze", "--json", "--file", str(file), *self._packs(("all",), config))

    def _packs(self, packs: tuple[str, ...], config: dict[str, Any] | Path | None) -> list[str]:
        flags = [flag for pack in packs for flag in ("--policy-pack", str(PACKS / pack))]
        if config is None:
            return flags
        file = config if isinstance(config, Path) else self.scratch / "config.json"
        if isinstance(config, dict):
            file.write_text(json.dumps(config))
        return [*flags, *(flag for _ in packs for flag in ("--policy-pack-config", str(file)))]

    def _judged(self, *arguments: str, code: int | None = None) -> Judged:
        done = self.simulator.pulumi(*arguments, code=code)
        return Judged(done, [json.loads(line) for line in done.out.splitlines() if line.startswith("{")])


@pytest.fixture(scope="module")
def lab(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """The foreign program with its stacks."""
    scratch = tmp_path_factory.mktemp("lab")
    project = scratch / "project"
    project.mkdir()
    shutil.copyfile(Path(__file__).parent / "foreign.py", project / "__main__.py")
    (project / "Pulumi.yaml").write_text(_PROJECT)
    (project / ".venv").symlink_to(ROOT / ".venv")
    for stack, stated in FOREIGN.items():
        (project / f"Pulumi.{stack}.yaml").write_text(f"config:\n  gcp:project: tpu-sandbox\n  {stated}\n")
    return Lab(Simulator(simulator.home, project), scratch)
