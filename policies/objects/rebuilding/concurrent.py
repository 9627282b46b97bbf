"""How a ClusterQueue tries all of its flavors at once, as the plan has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.model.plan.queues import ConcurrentAdmissionPlan

if TYPE_CHECKING:
    from policies.objects.world import Object


def concurrent_admission(each: Object) -> ConcurrentAdmissionPlan | None:
    """The policy; None where the queue tries one flavor after the other."""
    path = ("spec", "concurrentAdmissionPolicy")
    if not each.has(*path):
        return None
    last = ("migration", "constraints", "lastAcceptableFlavorName")
    return ConcurrentAdmissionPlan(
        place=each.place.at(*path).called(mode=("migration", "mode"), last_acceptable_flavor=last),
        mode=each.string(*path, "migration", "mode", default="TryPreferredFlavors"),
        last_acceptable_flavor=each.text(*path, *last),
    )
