"""Mechanical fixes: the properties that a resource should have, by the `fix` of the rule that it breaks.

They are off until the level of the rule is `remediate`. A fix depends on the resource alone; if a needed value is not
known yet, the resource stays as it is, and is checked as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from policies.objects.judging import ObjectRule, Settings, look, verdict
from policies.objects.values import MalformedError, UndecidedError
from policies.objects.world import World
from policies.observe import observe, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pulumi_policy import ResourceValidationArgs

    from components.model.rule import Edit


def remedied(rule: ObjectRule, args: ResourceValidationArgs, settings: Settings) -> Mapping[str, Any]:
    """The properties of a resource that breaks the rule, fixed; empty where it does not, or cannot be fixed."""
    if rule.fix is None:
        return {}
    found = observe(args.resource_type, args.urn, args.props, is_protected=args.opts.protect)
    if found is None:
        return {}
    said = verdict(look([rule], World([found.object]), settings)).findings
    if not any(finding.rule == rule.id for finding in said):
        return {}
    try:
        edits = tuple(rule.fix(found.object))
    except (UndecidedError, MalformedError):
        return {}
    fixed = plain(args.props)
    for edit in edits:
        make(edit, fixed)
    return fixed if edits else {}


def make(edit: Edit, fixed: dict[str, Any]) -> None:
    """Make an edit in properties; mappings on the way to it are made where there are none."""
    *steps, last = edit.path
    part: Any = fixed
    for step in steps:
        part = part[step] if isinstance(step, int) else cast("dict[str, Any]", part).setdefault(step, {})
    if edit.value is None:
        part.pop(last, None)
    else:
        part[last] = edit.value
