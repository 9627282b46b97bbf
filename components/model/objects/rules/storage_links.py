"""Rules about what hangs together in storage: claims and volumes, volumes and shares, shares and the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.findings import Finding, Severity, listing
from components.model.objects import kinds
from components.model.objects.homes import is_autopilot
from components.model.objects.judging import Family, object_rule, world_rule
from components.model.objects.pods import MAKERS, pod_groups
from components.model.objects.shares import (
    FILESTORE_DRIVER,
    addresses_of,
    is_share,
    path_of,
    share_of,
    volume_of,
)
from components.model.objects.values import UndecidedError
from components.model.quantities import Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.findings import Key, Place
    from components.model.objects.world import Object, World

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
_ADD_ONS: Final = {
    FILESTORE_DRIVER: "gcpFilestoreCsiDriverConfig",
    "gcsfuse.csi.storage.gke.io": "gcsFuseCsiDriverConfig",
    "parallelstore.csi.storage.gke.io": "parallelstoreCsiDriverConfig",
    "lustre.csi.storage.gke.io": "lustreCsiDriverConfig",
}
"""The add-on of the cluster that brings each CSI driver."""
_ALWAYS_ON_AUTOPILOT: Final = (FILESTORE_DRIVER, "gcsfuse.csi.storage.gke.io")


def _bytes(amount: Quantity) -> str:
    return f"{amount} ({amount.milli // 1000} bytes)"


@world_rule(
    "claim-fits-its-volume",
    summary="a claim asks for no more than its volume has",
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
            remedy=f"Ask for {has} or less.",
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
    summary="a claim asks for access that its volume offers",
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
            remedy=f"Ask for {listing(offered, 'or')}.",
        )


@world_rule(
    "claimed-volume-exists",
    summary="a claim names a volume that is there",
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
    summary="a claim for many writers is on a share, not of a class of disks",
    why="GKE's own classes, the default one among them, make disks, which one node at a time can write: the claim is "
    "never bound.",
    source=_FILESTORE,
    family=Family.GUARDRAILS,
    kinds=(kinds.CLAIM,),
)
def _many_writers_need_a_share(claim: Object) -> Iterator[Finding]:
    if claim.has("spec", "volumeName") or _MANY not in claim.texts(*_MODES):
        return
    stated = claim.text(*_CLASS)
    if not claim.has(*_CLASS) or stated in _DISK_CLASSES:
        yield Finding(
            place=claim.place.at(*_CLASS),
            says=f"{'the default class' if stated is None else stated} makes disks; {_MANY} is not theirs.",
            remedy='Set storageClassName: "" and volumeName to a volume on a share, or name a class of Filestore.',
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
    summary="a volume says no more than its share has",
    why="What is promised beyond the share fails as a full disk while a job runs. 1T is not 1Ti.",
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


@world_rule(
    "volume-server-is-the-shares",
    summary="a volume on a share has the share's address",
    why="A written address is another server's as soon as the share is made anew; pods then hang in their mount.",
    source=_FILESTORE,
    family=Family.GUARDRAILS,
    kinds=(kinds.VOLUME,),
    needs=(kinds.FILESTORE,),
)
def _volume_server_is_the_shares(volume: Object, world: World) -> Iterator[Finding]:
    is_nfs = path_of(volume) is not None
    place, server = _server(volume, is_nfs=is_nfs)
    share = None if server is None else share_of(volume, world)
    if server is None or share is None:
        return
    addresses = addresses_of(share)
    if not addresses:
        raise UndecidedError(share.place.at("networks", 0, "ipAddresses"))
    if server not in addresses:
        yield Finding(
            place=place,
            says=f"{server} is not the address of {share}: {listing(addresses)}.",
            remedy="Take the address from the instance: networks[0].ipAddresses[0].",
        )


def _server(volume: Object, *, is_nfs: bool) -> tuple[Place, str | None]:
    path: tuple[Key, ...] = ("spec", "nfs", "server") if is_nfs else ("spec", "csi", "volumeAttributes", "ip")
    return volume.place.at(*path), volume.text(*path)


@world_rule(
    "volume-path-is-a-share",
    summary="a volume of an instance's server mounts the instance's share",
    why="The server exports its one share and nothing else; pods hang in their mount.",
    source=_FILESTORE,
    family=Family.GUARDRAILS,
    kinds=(kinds.VOLUME,),
    needs=(kinds.FILESTORE,),
)
def _volume_path_is_a_share(volume: Object, world: World) -> Iterator[Finding]:
    path, server = path_of(volume), volume.text("spec", "nfs", "server")
    if path is None:
        return
    for share in world.of(kinds.FILESTORE):
        name = share.text("fileShares", "name")
        if server in addresses_of(share) and name != path:
            yield Finding(
                place=volume.place.at("spec", "nfs", "path"),
                says=f"{share} exports /{name}.",
                remedy=f"Set /{name}.",
            )


@world_rule(
    "share-is-in-the-clusters-network",
    summary="a share is in the network of the cluster",
    why="Nodes cannot reach it from another network; pods hang in their mount.",
    source=_FILESTORE,
    family=Family.GUARDRAILS,
    kinds=(kinds.FILESTORE,),
    needs=(kinds.CLUSTER,),
)
def _share_is_in_the_clusters_network(share: Object, world: World) -> Iterator[Finding]:
    networks = {_network_name(each.text("network")): each for each in world.of(kinds.CLUSTER)}
    for part in share.parts("networks"):
        stated = part.text("network")
        if stated is not None and _network_name(stated) not in networks:
            yield Finding(
                place=part.place.at("network"),
                says=f"{_network_name(stated)} is not the network of {listing([str(c) for c in networks.values()])}: "
                f"{listing(list(networks))}.",
                remedy=f"Name {listing(list(networks), 'or')}.",
            )


def _network_name(stated: str | None) -> str:
    """The name of a network out of its name, id or self link; Google's own where none is stated."""
    return "default" if stated is None else stated.rpartition("/")[2]


@world_rule(
    "volume-driver-is-on",
    summary="the cluster has the CSI driver that volumes need",
    why="Pods wait in ContainerCreating for a driver that no node has.",
    source=_FILESTORE,
    family=Family.GUARDRAILS,
    kinds=(kinds.VOLUME, kinds.STORAGE_CLASS, *MAKERS),
    needs=(kinds.CLUSTER,),
)
def _volume_driver_is_on(each: Object, world: World) -> Iterator[Finding]:
    for place, driver in _drivers(each):
        add_on = _ADD_ONS.get(driver)
        if add_on is not None and not any(_has_driver(cluster, driver, add_on) for cluster in world.of(kinds.CLUSTER)):
            yield Finding(
                place=place,
                says=f"no cluster here has the driver {driver}.",
                remedy=f"Set addonsConfig.{add_on}.enabled: true in the cluster.",
            )


def _has_driver(cluster: Object, driver: str, add_on: str) -> bool:
    stated = cluster.flag("addonsConfig", add_on, "enabled")
    return stated is True or (stated is None and driver in _ALWAYS_ON_AUTOPILOT and is_autopilot(cluster))


def _drivers(each: Object) -> Iterator[tuple[Place, str]]:
    if each.kind is kinds.STORAGE_CLASS:
        yield each.place.at("provisioner"), each.string("provisioner")
    elif each.kind is kinds.VOLUME:
        yield each.place.at("spec", "csi", "driver"), each.string("spec", "csi", "driver")
    else:
        for group in pod_groups(each):
            for volume in group.template.parts("spec", "volumes"):
                yield volume.place.at("csi", "driver"), volume.string("csi", "driver")


STORAGE_LINK_RULES: Final = (
    _claim_fits_its_volume,
    _claim_has_its_volumes_class,
    _claim_has_its_volumes_modes,
    _claimed_volume_exists,
    _many_writers_need_a_share,
    _share_is_for_many,
    _volume_fits_its_share,
    _volume_server_is_the_shares,
    _volume_path_is_a_share,
    _share_is_in_the_clusters_network,
    _volume_driver_is_on,
)
