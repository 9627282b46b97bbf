"""A stack of this project whose file changes as a user changes it: text by text, with an update after each."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import yaml

from tests.harness import Done, Simulator, project_with
from tests.stacks import PLATFORM_KEY, stack_file

if TYPE_CHECKING:
    from pathlib import Path

_FOR_WORK: Final = ("tpu_slices", "flavors", "queues", "priorities", "workloads", "quota")


class EditedStack:
    """A copy of a stack file in a project of its own, and the commands on it."""

    def __init__(self, simulator: Simulator, stack: str, folder: Path) -> None:
        """Copy the file of `stack` into `folder`, which must not exist."""
        self.stack = stack
        self.simulator = replace(simulator, project=project_with(folder, {stack: stack_file(stack)}))

    @property
    def _path(self) -> Path:
        return self.simulator.project / f"Pulumi.{self.stack}.yaml"

    def read(self) -> dict[str, Any]:
        """The platform as the file has it now."""
        return yaml.safe_load(self._path.read_text())["config"][PLATFORM_KEY]

    def write(self, platform: dict[str, Any]) -> None:
        """Put another platform into the file."""
        document = yaml.safe_load(self._path.read_text())
        document["config"][PLATFORM_KEY] = platform
        self._path.write_text(yaml.safe_dump(document, sort_keys=False))

    def up(self, *, code: int | None = 0) -> Done:
        """Bring up what the file says."""
        return self.simulator.up(self.stack, code=code)

    def steps(self) -> dict[str, str]:
        """What an update would do, as operation by logical name; what stays the same is left out."""
        return self.simulator.preview_steps(self.stack)

    def recorded(self) -> dict[str, Any]:
        """The inputs of everything in the state, by URN; the state's own order changes with every update.

        Nothing where the stack does not exist yet.
        """
        stacks = json.loads(self.simulator.pulumi("stack", "ls", "--json").out)
        if self.stack not in (each["name"].rpartition("/")[2] for each in stacks):
            return {}
        resources = self.simulator.state(self.stack)["deployment"].get("resources", [])
        return {each["urn"]: each.get("inputs") for each in resources}


def without_work(simulator: Simulator, stack: str, folder: Path) -> EditedStack:
    """A stack without slices, queues and work, up: its cluster with JobSet and Kueue, and nothing for them to do.

    Where the stack has queues, they are drained first, as the rules want it.
    """
    made = EditedStack(simulator, stack, folder)
    whole = made.read()
    if any(":ClusterQueue::" in urn for urn in made.recorded()):
        made.write({**whole, "queues": [{**each, "stop": "drain"} for each in whole["queues"]], "workloads": []})
        made.up()
    made.write({name: section for name, section in whole.items() if name not in _FOR_WORK})
    made.up()
    return made


def entry(entries: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """The entry of that name in a section of a stack file."""
    return next(each for each in entries if each["name"] == name)
