"""The stream of a preview from one platform to another: doubles the engine and the providers' diffs, nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from policies.report.contents import Report, page_of, report_of
from policies.report.costs import OWN_TABLE, Prices, prices_in
from policies.report.events import Step, read_events
from policies.report.markdown import CHARACTERS, markdown_within
from policies.report.page import as_html
from tests.program.harness import run_stack

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from components.model.plan import Plan
    from components.model.running import Running
    from tests.stacks import Stack

_FORCING: Final = {
    "gcp:container/nodePool:NodePool": "placementPolicy",
    "gcp:container/cluster:Cluster": "location",
    "gcp:filestore/instance:Instance": "tier",
    "kubernetes:jobset.x-k8s.io/v1alpha2:JobSet": "spec",
}
"""Properties whose change replaces a resource, of those that tests change."""
WHOLE: Final = "[The page](https://example.com/run#artifacts) has all rows."
Resources = dict[str, dict[str, Any]]
"""Inputs by type and name."""


def resources(stack: Stack) -> Resources:
    """What the program registers for a platform."""
    return {f"{each.type}::{each.name}": each.inputs for each in run_stack(stack).resources}


def urn(reference: str) -> str:
    """As the engine makes it."""
    return f"urn:pulumi:test::tpu-platform::{reference}"


def steps(before: Resources, after: Resources) -> list[dict[str, Any]]:
    """The events of the steps from one to the other."""
    return [event for reference in sorted({*before, *after}) for event in _steps(reference, before, after)]


def _steps(reference: str, before: Resources, after: Resources) -> Iterable[dict[str, Any]]:
    old, new = before.get(reference), after.get(reference)
    if old is None or new is None or old == new:
        yield _step("create" if old is None else "delete" if new is None else "same", reference, old, new)
        return
    changed = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
    forcing = _FORCING.get(reference.partition("::")[0])
    if forcing not in changed:
        yield _step("update", reference, old, new, changed)
        return
    yield _step("delete-replaced", reference, old, None)
    yield _step("replace", reference, old, new, changed, forcing)
    yield _step("create-replacement", reference, old, new, changed, forcing)


def _step(
    op: str,
    reference: str,
    old: Mapping[str, Any] | None,
    new: Mapping[str, Any] | None,
    changed: Iterable[str] = (),
    forcing: str | None = None,
) -> dict[str, Any]:
    kind = {} if reference.startswith("tpu-platform:") else {"custom": True}  # a component is the one that says nothing
    detailed = {key: {"diffKind": "update-replace" if key == forcing else "update"} for key in changed}
    metadata = {
        "op": op,
        "urn": urn(reference),
        "type": reference.partition("::")[0],
        "old": None if old is None else {"inputs": old, **kind},
        "new": None if new is None else {"inputs": new, **kind},
        "detailedDiff": detailed or None,
    }
    return {"resourcePreEvent": {"metadata": metadata}}


def violation(policy: str, text: str, level: str = "mandatory", reference: str = "x::y") -> dict[str, Any]:
    """A policy's word."""
    severity = "high" if level == "mandatory" else "low"
    told = {"policyName": policy, "message": f"It holds.\n{text}\n", "enforcementLevel": level, "severity": severity}
    return {"policyEvent": {**told, "resourceUrn": urn(reference)}}


def error(text: str) -> dict[str, Any]:
    """What stopped a preview."""
    return {"diagnosticEvent": {"message": f"{text}\n", "severity": "error"}}


def summary(result: str) -> dict[str, Any]:
    """The engine's last word."""
    return {"summaryEvent": {"result": result}}


def stream(events: Iterable[Mapping[str, Any]], *others: Mapping[str, Any], result: str = "succeeded") -> list[str]:
    """The lines of a stream."""
    return [json.dumps(each) for each in (*events, *others, summary(result))]


def state(before: Resources) -> dict[str, Any]:
    """An exported state."""
    entries = [
        {"urn": urn(reference), "type": reference.partition("::")[0], "inputs": inputs}
        for reference, inputs in before.items()
    ]
    return {"version": 3, "deployment": {"resources": entries}}


def own_prices() -> Prices:
    """The table that is used where none is named."""
    return prices_in(OWN_TABLE)


def report(
    lines: Iterable[str],
    there: Mapping[str, Step] | None = None,
    prices: Prices | None = None,
    declared: Plan | None = None,
    running: Running | None = None,
) -> Report:
    """The report of a stream."""
    table = own_prices() if prices is None else prices
    return report_of(read_events(lines), there, table, declared=declared, running=running)


def told(
    lines: Iterable[str],
    there: Mapping[str, Step] | None = None,
    prices: Prices | None = None,
    declared: Plan | None = None,
    running: Running | None = None,
) -> str:
    """The report of a stream in Markdown."""
    return markdown_of(report(lines, there, prices, declared, running))


def markdown_of(made: Report, limit: int = CHARACTERS) -> str:
    """A report in Markdown."""
    return markdown_within(page_of(made), WHOLE, limit)


def html_of(made: Report) -> str:
    """A report as a page."""
    return as_html(page_of(made))
