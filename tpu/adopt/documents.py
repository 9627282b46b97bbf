"""Compares the documents of the written stack file with the objects in the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from components.manifests import kueue
from components.manifests.compute_class import compute_class
from components.manifests.storage import (
    checkpoint_configuration,
    of_disk,
    of_lustre,
    of_share,
    persistent_volume,
    persistent_volume_claim,
)
from tpu.adopt.listings import Item, Listings, Remark, name_of, namespace_of, section

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan
    from components.model.plan.storage import ClaimPlan

_SERVERS: Final[dict[str, tuple[object, ...]]] = {
    "enabled": (False,),
    "ensureAllDaemonSetPodsRunning": (False,),
    "optimizeRulePriority": (False,),
    "preemptionPolicy": ("PreemptLowerPriority",),
    "spot": (False,),
    "stopPolicy": ("None",),
    "volumeMode": ("Filesystem",),
    "whenCanBorrow": ("MayStopSearch", "Borrow"),
    "whenCanPreempt": ("TryNextFlavor",),
    "withinClusterQueue": ("Never",),
    "reclaimWithinCohort": ("Never",),
    "policy": ("Never",),
}
"""Fields that the API servers and webhooks fill in, with what they write."""
_BINDERS: Final = ("uid", "resourceVersion")
"""Fields of a PersistentVolume's claim that the binder of volumes writes."""
_COMPARED: Final = ("spec", "value", "description", "globalDefault", "data")
"""Parts of an object that are compared beside its labels and annotations."""
_CHANGED: Final = "pulumi up would change it: check pulumi preview first."
_STAYS: Final = "The stack file cannot state it: it stays until somebody recreates the object."


def rendered(plan: Plan) -> Iterator[Item]:
    """The documents of all kinds that are compared."""
    yield from map(compute_class, plan.compute_classes)
    yield from kueue.queue_objects(plan)
    for priority in plan.priorities:
        yield kueue.priority_class(priority)
        yield kueue.workload_priority_class(priority)
    for claim, source in _claims(plan):
        yield persistent_volume(claim, source)
        yield persistent_volume_claim(claim)
    if plan.cluster.checkpoints is not None:
        yield checkpoint_configuration(plan.cluster.checkpoints)


def _claims(plan: Plan) -> Iterator[tuple[ClaimPlan, Item]]:
    """Every claim with what is behind it; the address of an instance is its own."""
    for share in plan.shared_storage:
        yield from ((claim, of_share(None, share.path)) for claim in share.claims)
    for instance in plan.lustre:
        yield from ((claim, of_lustre(instance, None)) for claim in instance.claims)
    for disk in plan.disks:
        yield from ((claim, of_disk(disk)) for claim in disk.claims)


def differences(listings: Listings, plan: Plan) -> list[Remark]:
    """Remarks on objects that the plan states differently, and on objects of the plan that are not listed."""
    remarks: list[Remark] = []
    compared = {_key(document): document for document in rendered(plan)}
    for kind in dict.fromkeys(key[0] for key in compared):
        for item in listings.kind(kind):
            document = compared.pop(_key(item), None)
            if document is not None:
                what = f"{kind} {_where(item)}"
                remarks += [
                    Remark(what=what, says=says, remedy=_CHANGED if is_changed else _STAYS)
                    for says, is_changed in _compared(document, item)
                ]
    remarks += [
        Remark(what=f"{kind} {name}", says="it is not in the listings.", remedy="pulumi up would create it.")
        for kind, _, name in compared
    ]
    return remarks


def _where(item: Item) -> str:
    namespace = namespace_of(item)
    return f"{namespace}/{name_of(item)}" if namespace else name_of(item)


def _key(item: Item) -> tuple[str, str, str]:
    return str(item["kind"]), namespace_of(item), name_of(item)


def _compared(document: Item, item: Item) -> Iterator[tuple[str, bool]]:
    """Each difference, and whether the stack's document changes the object by it."""
    for key in ("labels", "annotations"):
        for name, value in section(document, "metadata", key).items():
            there = section(item, "metadata", key).get(name)
            if there != value:
                yield f"{key[:-1]} {name} is {there!r}, but the stack has {value!r}.", True
    for key in _COMPARED:
        if key in document or key in item:
            yield from _within(document.get(key), item.get(key), key)


def _within(wanted: Any, there: Any, path: str) -> Iterator[tuple[str, bool]]:  # noqa: ANN401  any part of a document
    if isinstance(wanted, dict) and isinstance(there, dict):
        one, other = cast("dict[str, Any]", wanted), cast("dict[str, Any]", there)
        for key in one:
            yield from _within(one[key], other.get(key), f"{path}.{key}")
        for key in sorted(other.keys() - one.keys()):
            yield from ((says, False) for says in _unsaid(key, other[key], f"{path}.{key}"))
    elif isinstance(wanted, list) and isinstance(there, list):
        these, those = cast("list[Any]", wanted), cast("list[Any]", there)
        if len(these) != len(those):
            yield f"{path} has {len(those)} entries, but the stack has {len(these)}.", True
        for index, (one, other) in enumerate(zip(these, those, strict=False)):
            yield from _within(one, other, f"{path}[{index}]")
    elif wanted != there and not (wanted in ("", [], {}, None) and there is None) and not _is_address(path):
        yield f"{path} is {there!r}, but the stack has {wanted!r}.", True


def _is_address(path: str) -> bool:
    """Whether only the cloud knows the value: the address of a share's server, or of an instance."""
    return path in ("spec.nfs.server", "spec.csi.volumeAttributes.ip")


def _unsaid(key: str, value: object, path: str) -> Iterator[str]:
    """The parts of a field that the stack does not write and that only its author can have set."""
    if key in _BINDERS or value in (None, "", [], {}) or value in _SERVERS.get(key, ()):
        return
    if isinstance(value, dict):
        for inner, each in cast("dict[str, Any]", value).items():
            yield from _unsaid(inner, each, f"{path}.{inner}")
    else:
        yield f"{path} is {value!r}, but the stack's document does not state it."
