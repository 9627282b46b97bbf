"""Rules about files of Kubernetes objects: whether they can be read, and fit the workload that names them.

What the objects say is judged by the rules over objects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from components.model.facts import gke, kinds
from components.model.findings import Finding, listing, unlisted
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from components.model.places import Key
    from components.model.plan import Plan
    from components.model.plan.workloads import ManifestObject, ManifestPlan

FAMILY: Final = Family.TOPOLOGY

Identity = tuple[str, str, str, str]

_LABELS: Final = {gke.LABEL_QUEUE_NAME: "queue", gke.LABEL_WORKLOAD_PRIORITY: "priority"}
"""The labels that keys of the workload set."""


@rule(
    summary="the file of a manifest is there, and has objects of Kubernetes in YAML",
    why="Nothing can be created of it, nor judged.",
    source="components/model/stack_file/manifest.py",
)
def _manifest_can_be_read(plan: Plan) -> Iterator[Finding]:
    for work in plan.manifests:
        if work.problem is not None:
            yield Finding(place=work.place.at("file"), says=work.problem.says, remedy=work.problem.remedy)


@rule(
    summary="a manifest's flavor is declared",
    why="Nothing else says what the slices are, which its file describes.",
    source="components/model/planning/workloads.py",
)
def _manifest_flavor_exists(plan: Plan) -> Iterator[Finding]:
    known = [flavor.name for flavor in plan.flavors]
    for work in plan.manifests:
        if work.flavor is not None and work.flavor not in known:
            yield unlisted(work.place.at("flavor"), "flavor", work.flavor, known, "Flavors of slices")


def _objects(plan: Plan) -> Iterator[tuple[ManifestPlan, ManifestObject]]:
    return ((work, each) for work in plan.manifests for each in work.objects)


def _finding(work: ManifestPlan, each: ManifestObject, path: Sequence[Key], says: str, remedy: str) -> Finding:
    """A finding about a field of an object, with the line of its file."""
    return Finding(place=work.place.at("file"), says=f"{work.file}:{each.line_of(path)}: {says}", remedy=remedy)


@rule(
    summary="the objects of a manifest are in its namespace",
    why="The stack makes the namespace of the workload, and knows its queues.",
    source="components/manifests/manifest.py",
)
def _manifest_is_in_one_namespace(plan: Plan) -> Iterator[Finding]:
    for work, each in _objects(plan):
        stated = each.document["metadata"].get("namespace", work.namespace)
        if stated != work.namespace and not kinds.is_cluster_wide(each.document):
            yield _finding(
                work,
                each,
                ("metadata", "namespace"),
                f"it is {stated}, and the namespace of {work.name} is {work.namespace}.",
                "Remove it, or set namespace of the workload.",
            )


@rule(
    summary="no two objects of manifests are the same",
    why="The second would overwrite the first.",
    source="Kubernetes API",
)
def manifest_objects_differ(plan: Plan) -> Iterator[Finding]:
    """Checks the objects of all manifests; whoever has the other objects of the stack checks them with `same_as`."""
    taken: dict[Identity, str] = {}
    for work, each in _objects(plan):
        line = f"{work.file}:{each.line_of(('metadata', 'name'))}"
        other = taken.setdefault(identity(each.document, work.namespace), line)
        if other is not line:
            yield same_as(work, each, f"stands in {other} too")


def identity(document: Mapping[str, Any], namespace: str) -> Identity:
    """By what the API server tells objects apart: group, kind, namespace and name."""
    group = str(document["apiVersion"]).rpartition("/")[0]
    home = "" if kinds.is_cluster_wide(document) else str(document["metadata"].get("namespace", namespace))
    return (group, str(document["kind"]), home, str(document["metadata"]["name"]))


def same_as(work: ManifestPlan, each: ManifestObject, says: str) -> Finding:
    """The object is there already; `says` where."""
    what = f"{each.document['kind']} {each.document['metadata']['name']}"
    return _finding(work, each, ("metadata", "name"), f"{what} {says}.", "Choose another name, such as ${name}.")


@rule(
    summary="queue and priority of a manifest are those of its objects",
    why="Kueue goes by the labels of the objects, and two places that differ mislead whoever reads one of them.",
    source='Kueue documentation "Run A JobSet", read 2026-11',
    family=Family.QUOTA,
)
def _manifest_is_queued(plan: Plan) -> Iterator[Finding]:
    for work in plan.manifests:
        queued = [each for each in work.objects if kinds.kind_of(each.document) in kinds.RUNS_OF_A_STACK]
        for label, key in _LABELS.items():
            wanted = getattr(work, key)
            if wanted is not None and work.objects and not queued:
                names = listing([kind.name for kind in kinds.RUNS_OF_A_STACK], "or")
                says = f"nothing in {work.file} takes a {key}."
                yield Finding(place=work.place.at(key), says=says, remedy=f"Remove the key, or add a {names}.")
            for each in queued if wanted is not None else ():
                path = (*kinds.labels_at(kinds.kind_of(each.document)), label)
                stated = _value(each.document, path)
                if stated not in (None, wanted):
                    says = f"{label} is {stated!r}, and the {key} of {work.name} is {wanted}."
                    yield _finding(work, each, path, says, f"Remove the label, which {key} sets.")


def _value(part: Mapping[str, Any], path: Sequence[str]) -> object:
    """The value at a path; None where there is none."""
    found: object = part
    for key in path:
        found = cast("Mapping[str, object]", found).get(key) if isinstance(found, dict) else None
    return found


@rule(
    summary="where a manifest has JobSets, JobSet is installed",
    why="Nothing else knows the kind, and the API server refuses it.",
    source="components/controllers.py",
)
def _manifest_kinds_are_served(plan: Plan) -> Iterator[Finding]:
    for work, each in _objects(plan) if plan.controllers.jobset is None else ():
        if kinds.kind_of(each.document) is kinds.JOBSET:
            says = "JobSet is not installed."
            yield _finding(work, each, ("kind",), says, "Take install: false away from controllers.jobset.")
