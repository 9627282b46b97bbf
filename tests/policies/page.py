"""Makes docs/rules.md, for readers, of the rules and of their catalogues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import yaml

from components.model.findings import Finding, Severity
from components.model.rules import GROUPS
from policies.lint.files import File
from policies.lint.findings import FILE_RULES
from policies.lint.linting import Options, lint
from policies.names import sentence
from policies.objects.judging import TYPES, ObjectRule
from policies.objects.ledger_rules import LEDGER_RULES
from policies.rules import OBJECT_RULES, judge
from tests.model.stacks_of_rules import BROKEN
from tests.policies.cases import Case, cases, name_of
from tests.stacks import a_platform
from tests.tracked import ROOT

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from components.model.places import Key
    from components.model.rule import About, PlanRule

PAGE: Final = ROOT / "docs" / "rules.md"
_WIDTH: Final = 160
"""Characters of a value that is shown."""
_ABSENT: Final = "not stated"
_INTRODUCTION: Final = """\
<!-- `python -m tests.policies` generates this page from the rules and their test cases; change them there. -->
# The rules

These rules decide whether a platform can be created and its workloads can start. Each rule checks everything that it
can: a stack file before any resource is registered, the resources that any Pulumi program registers (policy packs),
and Kubernetes YAML and dumps of node pools (`tpu lint`). An error stops the command; a warning does
not. Advice is about what works: `tpu lint --severity advice` shows it, and a pack after its configuration asks for it.

Each entry has the rule, the reason, the source, and an example from the tests: a wrong value, the finding, and a right
value. The most important sections are first, and in each of them the errors, then warnings, then advice.
[lint.md](lint.md#live-with-findings) says how to leave out a rule.
"""
_OF_FILES: Final = "Files"
_OF_TYPES: Final = "Fields"
ORDER: Final = (
    _OF_FILES,
    _OF_TYPES,
    "Runs",
    "Workloads in queues",
    "Objects: JobSets",
    "Objects: Jobs",
    "Batch jobs",
    "Machines and topologies",
    "Capacity",
    "Node pools",
    "Objects: node pools",
    "Objects: ComputeClasses",
    "Queues",
    "Quota of queues",
    "Objects: ClusterQueues",
    "Objects: LocalQueues",
    "Objects: ResourceFlavors",
    "Cohorts",
    "Objects: AdmissionChecks",
    "Objects: ProvisioningRequestConfigs",
    "Objects: Topologies",
    "Priorities",
    "Objects: PriorityClasses",
    "Quota of the project",
    "Clusters and networks",
    "Objects: clusters",
    "Objects: Helm releases",
    "Storage",
    "Objects: PersistentVolumeClaims",
    "Objects: PersistentVolumes",
    "Objects: Filestore instances",
    "Names",
)
"""Sections, the most important first: files that nobody can read, workloads, slices, quota. All others follow."""
_TWO: Final = (
    "[{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}, "
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: NAME}, data: {a: b}}]"
)
_HOMELESS: Final = (
    "[{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: lab, namespace: vision}, "
    "spec: {clusterQueue: shared}}, {apiVersion: batch/v1, kind: Job, "
    "metadata: {name: train, NAMESPACElabels: {kueue.x-k8s.io/queue-name: lab}}, spec: {}}]"
)
_TEXTS_OF_FILES: Final = {
    "file-is-readable": ("replicas: [1", "replicas: [1]"),
    "document-is-an-object": ("{kind: Pod, metadata: {name: a}}", "{apiVersion: v1, kind: Pod, metadata: {name: a}}"),
    "object-is-declared-once": (_TWO.replace("NAME", "a"), _TWO.replace("NAME", "b")),
    "queued-run-states-its-namespace": (
        _HOMELESS.replace("NAMESPACE", ""),
        _HOMELESS.replace("NAMESPACE", "namespace: vision, "),
    ),
}
"""A wrong and a right text for each rule over files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A value that breaks a rule, the finding, and the value of a sound case."""

    where: str
    wrong: str
    told: str
    right: str | None
    severity: Severity


def page() -> str:
    """The whole page."""
    examples = {**_examples_of_objects(), **_examples_of_stacks(), **_examples_of_files()}
    levels, blocks = list(Severity), [_INTRODUCTION]
    for heading, rules in sorted(_sections().items(), key=lambda each: _rank(each[0])):
        ordered = sorted(rules, key=lambda rule: levels.index(examples[rule.id].severity))
        blocks += [f"## {heading}", *(_entry(rule, rules[rule], examples[rule.id]) for rule in ordered)]
    return "\n\n".join(blocks) + "\n"


def _rank(heading: str) -> int:
    return ORDER.index(heading) if heading in ORDER else len(ORDER)


def _sections() -> dict[str, dict[About, str]]:
    """By heading the rules, each with what it judges."""
    judged = {rule.id for rule in (*LEDGER_RULES, *OBJECT_RULES)}
    return {
        _OF_FILES: dict.fromkeys(FILE_RULES, "files (`tpu lint`)"),
        _OF_TYPES: {TYPES: "objects"},
        **{heading: {rule: _seen(rule, judged) for rule in rules} for heading, rules in GROUPS.items()},
        **{
            f"Objects: {heading}": {rule: _objects(rule) for rule in rules}
            for heading, rules in _groups_of_objects().items()
        },
    }


def _groups_of_objects() -> dict[str, list[ObjectRule]]:
    """Rules that judge objects alone, by the kind of object that they look at first."""
    of_stacks = {rule.id for group in GROUPS.values() for rule in group}
    groups: dict[str, list[ObjectRule]] = {}
    for rule in OBJECT_RULES:
        if rule.id not in of_stacks:
            groups.setdefault(rule.kinds[0].section, []).append(rule)
    return groups


def _seen(rule: PlanRule, judged: Container[str]) -> str:
    """What the rule judges; `judged` are the rules that judge objects."""
    return f"stack files and {_objects(rule)}" if rule.id in judged else "stack files"


def _objects(rule: PlanRule | ObjectRule) -> str:
    return f"objects (pack {rule.family.value})"


def _entry(rule: About, seen: str, example: Example) -> str:
    lines = [
        f"### {rule.id}",
        "",
        f"{sentence(rule.summary)} {rule.why}",
        "",
        f"{example.severity.value.capitalize()}; judges {seen}. Source: {rule.source}.",
        "",
        f"- wrong: {example.where}: `{example.wrong}`",
        f"- finding: {example.told}",
    ]
    return "\n".join(lines if example.right is None else [*lines, f"- right: `{example.right}`"])


def _examples_of_files() -> dict[str, Example]:
    return {rule: _example_of_file(rule, *texts) for rule, texts in _TEXTS_OF_FILES.items()}


def _example_of_file(rule: str, wrong: str, right: str) -> Example:
    verdict, sound = (lint([File("a.yaml", text.encode())], Options()) for text in (wrong, right))
    (finding,) = (each for each in verdict.findings if each.rule == rule)
    assert sound.findings == ()
    return Example(where="a file", wrong=wrong, told=_told(finding), right=right, severity=finding.severity)


def _examples_of_objects() -> dict[str, Example]:
    """The first broken case of each rule, beside the first sound one."""
    broken: dict[str, Case] = {}
    sound: dict[str, Case] = {}
    for case in cases():
        (broken if case.finds else sound).setdefault(case.rule, case)
    return {rule: _example_of_objects(case, sound[rule]) for rule, case in broken.items()}


def _example_of_objects(case: Case, sound: Case) -> Example:
    finding = next(each for each in judge(case.world, case.settings).findings if each.rule == case.rule)
    wrong, right = (_named(each.resources, finding.place.origin) for each in (case, sound))
    return Example(
        where=f"{_kind(wrong)} {finding.place.origin}, {finding.place}" if finding.place.keys else _kind(wrong),
        wrong=_shown(wrong, finding.place.keys),
        told=_told(finding),
        right=None if right is None else _shown(right, finding.place.keys),
        severity=finding.severity,
    )


def _named(resources: Iterable[dict[str, Any]], name: str) -> dict[str, Any] | None:
    return next((each for each in resources if name_of(each) == name), None)


def _kind(resource: Mapping[str, Any] | None) -> str:
    assert resource is not None
    body = resource.get("manifest")
    return str(resource["type"]).rpartition(":")[2] if body is None else str(body["kind"])


def _shown(resource: Mapping[str, Any] | None, path: Iterable[Key]) -> str:
    assert resource is not None
    body = resource.get("manifest")
    return _value(resource["properties"] if body is None else body, tuple(path))


def _value(document: object, path: tuple[Key, ...]) -> str:
    """The value at a path in one line; of a long one the beginning."""
    found = document
    for key in path:
        try:
            found = cast("Any", found)[key]
        except (KeyError, IndexError, TypeError):
            return _ABSENT
    text = yaml.safe_dump(found, default_flow_style=True, width=10_000, sort_keys=False).removesuffix("\n...\n").strip()
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]} ..."


def _told(finding: Finding) -> str:
    return f"{finding.says} {finding.remedy}"


def _examples_of_stacks() -> dict[str, Example]:
    """The first broken stack of each rule, beside the same value of the sound one that it was made of."""
    found: dict[str, Example] = {}
    base = a_platform().platform
    for stack, _ in BROKEN.values():
        for finding in stack.findings():
            wrong = _value(stack.platform, finding.place.keys)
            right = _value(base, finding.place.keys)
            example = Example(
                where=str(finding.place),
                wrong=wrong,
                told=_told(finding),
                right=right if right not in (wrong, _ABSENT) else None,
                severity=finding.severity,
            )
            found.setdefault(finding.rule, example)
    return found
