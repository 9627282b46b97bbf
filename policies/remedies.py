"""Mechanical fixes: the properties that a resource should have, by the rule that it breaks.

They are off until a policy's level is `remediate`. A fix depends on the resource alone; if a needed value is not known
yet, the resource stays as it is, and is checked as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from components.model.facts import gke, kinds
from policies.objects.judging import look, verdict
from policies.objects.pods import tpu_groups
from policies.objects.rebuilding.pools import shape_of
from policies.objects.values import MalformedError, UndecidedError
from policies.objects.world import Object, World
from policies.observe import observe, plain
from policies.settings import settings_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pulumi_policy import ResourceValidationArgs

    from components.model.places import Key
    from policies.objects.judging import ObjectRule

_FLEX_START: Final = "flex-start"


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one property."""

    path: tuple[Key, ...]
    value: str | int | None
    """None removes it."""


def _limits_per_zone(pool: Object) -> Iterator[Edit]:
    """The limits of a multi-host pool: none or all hosts of its one slice."""
    shape = shape_of(pool)
    if shape is not None:
        for key in ("totalMinNodeCount", "totalMaxNodeCount"):
            yield Edit(("autoscaling", key), None)
        yield Edit(("autoscaling", "minNodeCount"), 0)
        yield Edit(("autoscaling", "maxNodeCount"), shape.hosts)


def _queue_label(run: Object) -> Iterator[Edit]:
    """The queue that an annotation of the run names, as its label."""
    annotation = ("metadata", "annotations", gke.LABEL_QUEUE_NAME)
    queue = run.text(*annotation)
    if queue is not None:
        yield Edit(("metadata", "labels", gke.LABEL_QUEUE_NAME), queue)
        yield Edit(annotation, None)


def _flex_start_selector(run: Object) -> Iterator[Edit]:
    """The selector of flex-start, beside another one that only flex-start nodes match."""
    if run.kind is kinds.RESOURCE_FLAVOR:
        yield Edit(("spec", "nodeLabels", gke.LABEL_FLEX_START), "true")
        return
    for group in tpu_groups(run):
        if group.selector.get(gke.LABEL_PROVISIONING) == _FLEX_START and gke.LABEL_FLEX_START not in group.selector:
            yield Edit((*group.template.place.keys, "spec", "nodeSelector", gke.LABEL_FLEX_START), "true")


REMEDIES: Final[Mapping[str, Callable[[Object], Iterator[Edit]]]] = {
    "flex-start-nodes-are-asked-for": _flex_start_selector,
    "queue-is-a-label-of-the-run": _queue_label,
    "slice-limits-are-per-zone": _limits_per_zone,
}
"""By the id of the rule that a fixed resource keeps."""


def remedied(rule: ObjectRule, args: ResourceValidationArgs) -> Mapping[str, Any]:
    """The properties of a resource that breaks the rule, fixed; empty where it does not, or cannot be fixed."""
    found = observe(args.resource_type, args.urn, args.props, is_protected=args.opts.protect)
    if found is None:
        return {}
    said = verdict(look([rule], World([found.object]), settings_from(args.get_config()))).findings
    if not any(finding.rule == rule.id for finding in said):
        return {}
    try:
        edits = tuple(REMEDIES[rule.id](found.object))
    except (UndecidedError, MalformedError):
        return {}
    fixed = plain(args.props)
    for edit in edits:
        _apply(edit, fixed)
    return fixed if edits else {}


def _apply(edit: Edit, fixed: dict[str, Any]) -> None:
    """Make an edit; mappings on the way to it are made where there are none."""
    *steps, last = edit.path
    part: Any = fixed
    for step in steps:
        part = part[step] if isinstance(step, int) else cast("dict[str, Any]", part).setdefault(step, {})
    if edit.value is None:
        part.pop(last, None)
    else:
        part[last] = edit.value
