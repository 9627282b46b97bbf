"""Quotas of a ClusterQueue or Cohort as the chip ledger has them, each with the admission checks of its flavor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from components.model.facts import gke
from components.model.plan.queues import QueueFlavorPlan, ResourcesPlan

if TYPE_CHECKING:
    from components.model.facts.quantities import Quantity
    from components.model.places import Key
    from policies.objects.values import Part
    from policies.objects.world import Object

_ALL: Final = ("",)
"""Stands for every flavor."""
_STRATEGY: Final = ("spec", "admissionChecksStrategy", "admissionChecks")

_Path = tuple["Key", ...]
_Checks = dict[str, tuple[tuple[str, _Path], ...]]
"""Admission checks by flavor, each with where it is named; under the empty name those of all flavors."""
_PHRASES: Final = {
    "{name: nodes} makes one": f"one of controllerName {gke.PROVISIONING_CONTROLLER} asks for nodes",
}


class Shares(Struct, frozen=True):
    """What a queue has quota of."""

    flavors: tuple[QueueFlavorPlan, ...]
    """Its chips."""
    resources: tuple[ResourcesPlan, ...]


def shares_of(each: Object) -> Shares:
    """Each flavor's quota of chips, and the rest."""
    flavors: list[QueueFlavorPlan] = []
    resources: list[ResourcesPlan] = []
    checks = _checks(each)
    for group in each.parts("spec", "resourceGroups"):
        for share in group.parts("flavors"):
            name = share.string("name")
            asked = (*checks.get(name, ()), *checks.get("", ()))
            names = _names(each, share, asked)
            amounts = dict(_amounts(share))
            chips = amounts.pop(gke.RESOURCE_TPU, None)
            if chips is not None:
                flavors.append(_chips(each, name, chips, asked, names))
            if amounts:
                resources.append(
                    ResourcesPlan(
                        place=each.place.called(**names),
                        name=name,
                        quotas={key: amount for key, (_, amount) in amounts.items()},
                        admission_checks=tuple(check for check, _ in asked),
                    )
                )
    return Shares(flavors=tuple(flavors), resources=tuple(resources))


def _amounts(share: Part) -> list[tuple[str, tuple[Part, Quantity]]]:
    """The quota of each resource, with where it is stated."""
    stated = ((resource, resource.quantity("nominalQuota")) for resource in share.parts("resources"))
    return [(resource.string("name"), (resource, amount)) for resource, amount in stated if amount is not None]


def _names(each: Object, share: Part, checks: tuple[tuple[str, _Path], ...]) -> dict[str, _Path]:
    """What keys of a share in the stack file are called in the object."""
    above = share.place.keys[len(each.place.keys) :]
    return {
        "name": (*above, "name"),
        "resources": (*above, "resources"),
        "admission_checks": _STRATEGY,
        **{f"admission_checks[{index}]": at for index, (_, at) in enumerate(checks)},
    }


def _chips(
    each: Object,
    name: str,
    stated: tuple[Part, Quantity],
    checks: tuple[tuple[str, _Path], ...],
    names: dict[str, _Path],
) -> QueueFlavorPlan:
    resource, amount = stated
    above = resource.place.keys[len(each.place.keys) :]
    limits: dict[str, _Path] = {
        "chips": (*above, "nominalQuota"),
        "borrow": (*above, "borrowingLimit"),
        "lend": (*above, "lendingLimit"),
    }
    return QueueFlavorPlan(
        place=each.place.called(**names, **limits).saying(_PHRASES),
        name=name,
        chips=amount.milli // 1000,
        is_derived=False,
        borrow=_whole(resource, "borrowingLimit"),
        lend=_whole(resource, "lendingLimit"),
        admission_checks=tuple(check for check, _ in checks),
    )


def _whole(resource: Part, key: str) -> int | None:
    amount = resource.quantity(key)
    return None if amount is None else amount.milli // 1000


def _checks(each: Object) -> _Checks:
    found: _Checks = {}
    for index, name in enumerate(each.texts("spec", "admissionChecks")):
        found[""] = (*found.get("", ()), (name, ("spec", "admissionChecks", index)))
    for index, check in enumerate(each.parts(*_STRATEGY)):
        name = check.string("name")
        for flavor_name in _flavors_of(check):
            found[flavor_name] = (*found.get(flavor_name, ()), (name, (*_STRATEGY, index, "name")))
    return found


def _flavors_of(check: Part) -> tuple[str, ...]:
    stated = check.texts("onFlavors")
    if not stated:
        return _ALL
    return stated
