"""Rules about requested and existing storage: sizes, classes and access of claims, volumes and shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.facts.quantities import Quantity
from components.model.findings import Finding, Severity, listing
from components.model.rule import Family
from policies.objects.judging import object_rule, world_rule
from policies.objects.shares import is_share, share_of, volume_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Key
    from policies.objects.world import Object, World

_VOLUMES: Final = 'Kubernetes documentation "Persistent Volumes", read 2026-11'
_FILESTORE: Final = 'GKE documentation "Access Filestore instances", read 2026-11'
_MANY: Final = "ReadWriteMany"
_DISK_CLASSES: Final = ("standard", "standard-rwo", "premium-rwo")
"""Storage classes that GKE makes, all of disks."""
_CAPACITY: Final[tuple[Key, ...]] = ("spec", "capacity", "storage")
_REQUEST: Final[tuple[Key, ...]] = ("spec", "resources", "requests", "storage")
_CLASS: Final[tuple[Key, ...]] = ("spec", "storageClassName")
_MODES: Final[tuple[Key, ...]] = ("spec", "accessModes")
_GIB_IN_MILLI: Final = 1024**3 * 1000


def _bytes(amount: Quantity) -> str:
    return f"{amount} ({amount.milli // 1000} bytes)"


@world_rule(
    "claim-fits-its-volume",
    summary="a claim requests no more than its volume has",
    why="It is never bound, and its pods wait for ever. 1Ti is a tenth more than 1T.",
    source=_VOLUMES,
    family=Family.GUARDRAILS,
    kinds=(kinds.CLAIM,),
    needs=(kinds.VOLUME,),
)
def _claim_fits_its_volume(claim: Object, world: World) -> Iterator[Finding]:
    volume = volume_of(claim, world)
    asked = claim.quantity(*_REQUEST)
    has = None if volume is None else volume.quantity(*_CAPACITY)
    if asked is not None and has is not None and asked.milli > has.milli:
        yield Finding(
            place=claim.place.at(*_REQUEST),
            says=f"{_bytes(asked)} is more than {volume} has: {_bytes(has)}.",
            remedy=f"Request {has} or less.",
        )


@world_rule(
    "claim-has-its-volumes-class",
    summary="a claim and its volume name the same storage class",
    why='It is never bound. A claim that names none gets the default class; "" is what names no class.',
    source=_VOLUMES,
    family=Family.GUARDRAILS,
    kinds=(kinds.CLAIM,),
    needs=(kinds.VOLUME,),
)
def _claim_has_its_volumes_class(claim: Object, world: World) -> Iterator[Finding]:
    volume = volume_of(claim, world)
    if volume is None:
        return
    wanted, states = volume.string(*_CLASS), claim.has(*_CLASS)
    stated = claim.string(*_CLASS)
    if not states or stated != wanted:
        found = f'"{stated}"' if states else "none is stated, so it gets the default class"
        yield Finding(
            place=claim.place.at(*_CLASS),
            says=f'{found}; {volume} is of the class "{wanted}".',
            remedy=f'Set storageClassName: "{wanted}".',
        )


@world_rule(
    "claim-has-its-volumes-modes",
    summary="a claim requests access that its volume offers",
    why="It is never bound, and its pods wait for ever.",
    source=_VOLUMES,
    family=Family.GUARDRAILS,
    kinds=(kinds.CLAIM,),
    needs=(kinds.VOLUME,),
)
def _claim_has_its_volumes_modes(claim: Object, world: World) -> Iterator[Finding]:
    volume = volume_of(claim, world)
    if volume is None:
        return
    offered = volume.texts(*_MODES)
    missing = [mode for mode in claim.texts(*_MODES) if mode not in offered]
    if missing:
        yield Finding(
            place=claim.place.at(*_MODES),
            says=f"{volume} offers {listing(offered)}, not {listing(missing)}.",
            remedy=f"Request {listing(offered, 'or')}.",
        )


@world_rule(
    "claimed-volume-exists",
    summary="a claim names a volume that exists",
    why="It is never bound. The volume may be in the cluster already: that is not known here.",
    source=_VOLUMES,
    family=Family.GUARDRAILS,
    kinds=(kinds.CLAIM,),
    needs=(kinds.VOLUME,),
    severity=Severity.WARNING,
)
def _claimed_volume_exists(claim: Object, world: World) -> Iterator[Finding]:
    named = claim.text("spec", "volumeName")
    if named is not None and world.named(kinds.VOLUME, named) is None:
        volumes = [each.name for each in world.of(kinds.VOLUME)]
        yield Finding(
            place=claim.place.at("spec", "volumeName"),
            says=f"there is no PersistentVolume {named} here.",
            remedy=f"Declare it, or name one of {listing(volumes)}.",
        )


@object_rule(
    "many-writers-need-a-share",
    summary="a claim for many writers uses a share, not a class of disks",
    why="GKE's own classes make disks, which one node at a time can write: the claim is never bound. So does the "
    "default class, unless the cluster has another one.",
    source=_FILESTORE,
    family=Family.GUARDRAILS,
    kinds=(kinds.CLAIM,),
    also_warns=True,
)
def _many_writers_need_a_share(claim: Object) -> Iterator[Finding]:
    if claim.has("spec", "volumeName") or _MANY not in claim.texts(*_MODES):
        return
    stated = claim.text(*_CLASS)
    if not claim.has(*_CLASS) or stated in _DISK_CLASSES:
        yield Finding(
            place=claim.place.at(*_CLASS),
            says=f"{'the default class' if stated is None else stated} makes disks, which do not support {_MANY}.",
            remedy='Set storageClassName: "" and volumeName to a volume on a share, or name a class of Filestore.',
            severity=Severity.WARNING if stated is None else Severity.ERROR,
        )


@object_rule(
    "share-is-for-many",
    summary="a volume on a share is offered to many writers",
    why="A share is mounted by every host of a slice; a volume for one is bound by claims for one only.",
    source=_FILESTORE,
    family=Family.GUARDRAILS,
    kinds=(kinds.VOLUME,),
    severity=Severity.WARNING,
)
def _share_is_for_many(volume: Object) -> Iterator[Finding]:
    modes = volume.texts(*_MODES)
    if is_share(volume) and not {_MANY, "ReadOnlyMany"} & set(modes):
        yield Finding(
            place=volume.place.at(*_MODES),
            says=f"it offers {listing(modes)}; a share can be written by many.",
            remedy=f"Set {_MANY}.",
        )


@world_rule(
    "volume-fits-its-share",
    summary="a volume states no more than its share has",
    why="A volume that promises more than the share has fails as a full disk while a job runs. 1T is not 1Ti.",
    source=_FILESTORE,
    family=Family.GUARDRAILS,
    kinds=(kinds.VOLUME,),
    needs=(kinds.FILESTORE,),
)
def _volume_fits_its_share(volume: Object, world: World) -> Iterator[Finding]:
    share = share_of(volume, world)
    says = volume.quantity(*_CAPACITY)
    has = None if share is None else share.whole("fileShares", "capacityGb")
    if says is None or has is None:
        return
    capacity = Quantity(has * _GIB_IN_MILLI, is_binary=True)
    if says.milli > capacity.milli:
        yield Finding(
            place=volume.place.at(*_CAPACITY),
            says=f"{_bytes(says)} is more than the share of {share} has: {_bytes(capacity)}.",
            remedy=f"Set {capacity}; capacityGb counts GiB.",
        )


STORAGE_CLAIM_RULES: Final = (
    _claim_fits_its_volume,
    _claim_has_its_volumes_class,
    _claim_has_its_volumes_modes,
    _claimed_volume_exists,
    _many_writers_need_a_share,
    _share_is_for_many,
    _volume_fits_its_share,
)
