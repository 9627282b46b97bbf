"""Every command of `tpu`, by what a user wants to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_PACKAGES: Final = {"simulator": ("pulumi", "cryptography")}
"""By extra of pyproject.toml, packages that tell whether it is installed."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command, and the module that runs it as `__main__`."""

    name: str
    module: str
    summary: str
    example: str
    """The words after `tpu` in a call that makes sense."""
    before: tuple[str, ...] = ()
    """Words that the module gets before those of the user."""
    extra: str | None = None
    """The extra of pyproject.toml whose packages it needs; None for what is always installed."""

    def missing(self) -> list[str]:
        """The packages of its extra that are not installed."""
        if self.extra is None:
            return []
        from importlib.util import find_spec  # noqa: PLC0415  most commands need no extra, and start faster

        return [name for name in _PACKAGES[self.extra] if find_spec(name) is None]


_SIMULATOR: Final = "simulator"
_WATCH: Final = "tpu.watch"
_STACKS: Final = "tpu.stacks"
GROUPS: Final[dict[str, tuple[Command, ...]]] = {
    "check files and changes": (
        Command("lint", "policies.lint", "check manifests, dumps and stack files", "lint k8s/*.yaml"),
        Command("report", "policies.report", "report what a preview would do", "report events.json --html report.html"),
        Command(
            "rehearse",
            "tpu.rehearse",
            "rehearse recorded jobs before and after a change",
            "rehearse --stack prod --trace week.jsonl",
        ),
        Command("drift", "policies.drift", "list resources that differ from their declaration", "drift refresh.json"),
        Command("plans", "policies.plans", "tell whether an update can be limited to a saved plan", "plans plan.json"),
        Command("schema", "components.schema", "write the JSON schema of stack files", "schema stack.schema.json"),
    ),
    "run a stack in the simulator": (
        *(
            Command(name, _STACKS, summary, f"{name} multislice", (name,), _SIMULATOR)
            for name, summary in (
                ("up", "bring up a stack and follow its workloads"),
                ("preview", "show what `up` would do"),
                ("destroy", "remove everything that a stack made"),
                ("recover", "repair a stack whose update was killed"),
            )
        ),
        Command("simulator", "simulator", "control the simulated GKE", "simulator status", extra=_SIMULATOR),
        Command("tools", "simulator.toolchain", "build or list the pinned tools", "tools list"),
    ),
    "look into a cluster": (
        Command("timeline", _WATCH, "show what happened to the workloads", "timeline --stack dev", ("timeline",)),
        Command("watch", _WATCH, "show queues, quota, nodes and Workloads", "watch --watch --stack dev", ("status",)),
        Command("explain", _WATCH, "explain why a job waits", "explain pretrain --stack dev", ("explain",)),
        Command(
            "running",
            "tpu.running",
            "write what runs, for the report of a preview",
            "running --stack prod > running.json",
        ),
        Command(
            "record",
            "tpu.trace",
            "record requests and admissions of workloads",
            "record week.jsonl --stack prod",
        ),
        Command("whatif", "tpu.rehearsal.whatif", "say when a job would be admitted", "whatif train.yaml --stack prod"),
        Command("usage", "tpu.usage", "print chip-hours by team, queue, flavor", "usage --record week.jsonl"),
        Command("outputs", "tpu.outputs", "print the outputs of a stack", "outputs queues --stack dev"),
        Command("stream", "tpu.stream", "submit short Jobs of several teams", "stream --stack batch-teams --count 3"),
        Command(
            "migrate",
            "tpu.migrate",
            "list older API versions of stored objects; --write rewrites these",
            "migrate --write",
        ),
    ),
    "take over a running platform": (
        Command("adopt", "tpu.adopt", "write a stack file for a running platform", "adopt stack prod *.json"),
    ),
}
COMPLETION: Final = "completion"
"""The command that is of no group, as it has no module of its own."""
COMMANDS: Final = {command.name: command for group in GROUPS.values() for command in group}
