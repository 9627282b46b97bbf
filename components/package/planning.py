"""From a component's inputs to a plan, with the reader of stack files: the same rules apply.

A component's inputs are a part of a platform in an existing cluster. They are put where a stack file has them, and
violations name the input's own name and path.
"""

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import pulumi
from msgspec import structs

from components.model.findings import Finding, Severity
from components.model.places import Key
from components.model.plan import Plan
from components.model.project import PROJECT
from components.model.stack_file.reading import Given, read
from components.model.stack_file.report import Sighting, counts, entry

NAME: Final = "tpu-platform"
"""The package's name: the first part of the type of each component."""
Moves = Mapping[tuple[Key, ...], tuple[Key, ...]]
"""By the path of a part of the document: the path of the input."""
_CLUSTER: Final[Moves] = {
    ("cluster", "existing"): ("cluster",),
    ("cluster",): ("cluster",),
    ("config", "gcp:project"): ("cluster", "project"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A component's inputs as a part of a platform."""

    document: Mapping[str, Any]
    """The content of a stack file, without the cluster."""
    cluster: Mapping[str, Any]
    """As the input `cluster` of a component."""
    has_other_slices: bool
    """Whether the cluster may have slices that are not in the document."""
    moves: Moves
    """The paths of the inputs, except the cluster's, that differ from the document's."""
    reported_by_other_components: frozenset[str] = frozenset()
    """Inputs whose warnings another component prints."""


class RefusedError(Exception):
    """The inputs of a component are wrong; nothing was made of them."""

    def __init__(self, resource: str, findings: Sequence[Finding]) -> None:
        """`resource` is the component's name; the places of `findings` are those of inputs."""
        self.resource = resource
        self.findings = findings
        super().__init__(report(resource, findings))


def report(resource: str, findings: Sequence[Finding]) -> str:
    """All findings, by the path of the input, and how many there are."""
    ordered = sorted(findings, key=lambda each: (str(each.place), each.says))
    told = [entry(each, Sighting(name=resource, path=str(each.place), span=None)) for each in ordered]
    return "\n\n".join([*told, f"{counts(ordered)}."])


def planned(resource: str, part: Part) -> Plan:
    """The plan of the component `resource`, checked by every rule; warnings are logged.

    Raises:
        RefusedError: the inputs break a rule.
    """
    project = part.cluster.get("project", pulumi.Config("gcp").get("project"))
    document = {**part.document, "cluster": _cluster(part)}
    reading = read(
        Given(project=PROJECT, file_name="", file_text=None, platform=json.dumps(document), gcp_project=project)
    )
    findings = in_inputs((finding for finding, _ in reading.findings), part.moves)
    if reading.plan is None:
        raise RefusedError(resource, [each for each in findings if each.severity is Severity.ERROR])
    reported = part.reported_by_other_components
    own = [each for each in findings if each.place.keys[:1] and each.place.keys[0] not in reported]
    if own:
        pulumi.log.warn(report(resource, own))
    return reading.plan


def _cluster(part: Part) -> dict[str, Any]:
    """The cluster as a stack file has it; the reader reports what is missing."""
    given: dict[str, Any] = {key: value for key, value in part.cluster.items() if key != "project"}
    existing = {key: given.pop(key) for key in ("name", "location") if key in given}
    written = {"mode": "standard", **given, "existing": existing}
    return written if part.has_other_slices else {**written, "other_slices": False}


def in_inputs(findings: Iterable[Finding], moves: Moves = MappingProxyType({})) -> list[Finding]:
    """The findings at the inputs' paths, each once."""
    return list(dict.fromkeys(_moved(findings, {**_CLUSTER, **moves})))


def _moved(findings: Iterable[Finding], moves: Moves) -> Iterable[Finding]:
    for finding in findings:
        keys = finding.place.keys
        length = next((size for size in range(len(keys), -1, -1) if keys[:size] in moves), None)
        moved = keys if length is None else (*moves[keys[:length]], *keys[length:])
        yield structs.replace(finding, place=dataclasses.replace(finding.place, keys=moved))
