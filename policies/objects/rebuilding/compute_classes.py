"""ComputeClasses as the plan has them: without their priorities, which rules over objects read themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.model.plan.compute_classes import ComputeClassPlan

if TYPE_CHECKING:
    from policies.objects.world import Object


def compute_class(each: Object) -> ComputeClassPlan:
    """The class."""
    anyway = each.text("spec", "whenUnsatisfiable") == "ScaleUpAnyway"
    return ComputeClassPlan(
        place=each.place,
        name=each.name,
        priorities=(),
        known_entries=(),
        makes_pools=each.flag("spec", "nodePoolAutoCreation", "enabled") is True,
        when_unsatisfiable="ScaleUpAnyway" if anyway else "DoNotScaleUp",
        migrates=each.flag("spec", "activeMigration", "optimizeRulePriority") is True,
    )
