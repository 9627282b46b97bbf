"""What is compared of two previews of a stack: resources, inputs after Check, operations, verdicts of the policies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from simulator.providers.differences import changes_between

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.providers.values import Value
    from tests.harness import Simulator

_DEFAULTS: Final = "__defaults"
"""In an object of inputs: the keys that its provider filled in. Which these are is not compared."""


def declared(value: Value) -> Value:
    """Inputs without what a provider filled in."""
    if isinstance(value, dict):
        defaults = value.get(_DEFAULTS, [])
        left_out = {_DEFAULTS, *(str(each) for each in defaults)} if isinstance(defaults, list) else {_DEFAULTS}
        return {key: declared(each) for key, each in value.items() if key not in left_out}
    return [declared(each) for each in value] if isinstance(value, list) else value


def differing_inputs(ours: Value, theirs: Value) -> Iterator[str]:
    """The paths at which the official inputs are others than those of the stand-in, with what is done to ours there."""
    for path, change in changes_between(declared(ours), declared(theirs)):
        yield f"{path} ({change.value})"


class Preview:
    """What a preview with policies says, as the engine's events tell it."""

    def __init__(self, simulator: Simulator, stack: str, flags: list[str]) -> None:
        """Preview it."""
        done = simulator.pulumi("preview", "--json", "--stack", stack, *flags)
        events: list[dict[str, Any]] = [json.loads(line) for line in done.out.splitlines() if line.startswith("{")]
        steps = [each["resourcePreEvent"]["metadata"] for each in events if "resourcePreEvent" in each]
        self.steps = {each["urn"]: each for each in steps}
        self.verdicts = {_verdict(each) for each in events if "policyEvent" in each}
        summaries = [
            each["policyAnalyzeStackSummaryEvent"] for each in events if "policyAnalyzeStackSummaryEvent" in each
        ]
        self.verdicts |= {f"passes {name}" for each in summaries for name in each.get("passed", ())}

    def differences(self, theirs: Preview) -> Iterator[str]:
        """Everything that is otherwise in the official preview."""
        for urn in sorted(self.steps.keys() ^ theirs.steps.keys()):
            yield f"{urn} is {'only in the official preview' if urn in theirs.steps else 'not in the official preview'}"
        for urn in sorted(self.steps.keys() & theirs.steps.keys()):
            one, other = self.steps[urn], theirs.steps[urn]
            if one["op"] != other["op"]:
                yield f"{urn}: {other['op']}, the stand-in {one['op']}"
            yield from (
                f"{urn}: {each}" for each in differing_inputs(one["new"].get("inputs"), other["new"].get("inputs"))
            )
        for verdict in sorted(self.verdicts ^ theirs.verdicts):
            yield f"only {'with' if verdict in theirs.verdicts else 'without'} the official plugins: {verdict}"


def _verdict(event: dict[str, Any]) -> str:
    said = event["policyEvent"]
    return (
        f"{said['policyName']} ({said['enforcementLevel']}) {said.get('resourceUrn', '')}: {said['message'].rstrip()}"
    )
