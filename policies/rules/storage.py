"""Rules about volumes, claims, Filestore instances and the mounts of pods.

Rules over a plan check the capacity and the location of Filestore instances.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import filestore, kinds
from components.model.facts.quantities import Quantity
from components.model.findings import Finding, Severity, counted, did_you_mean, listing
from components.model.rule import Family
from policies.objects.judging import object_rule, world_rule
from policies.objects.ownership import is_autopilot
from policies.objects.pods import GROUPED, MAKERS, PodGroup, pod_groups, tpu_groups
from policies.objects.values import UndecidedError
from policies.objects.volumes import FILESTORE_DRIVER, addresses_of, is_share, path_of, share_of, volume_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Key, Place
    from policies.objects.world import Object, World

FAMILY: Final = Family.GUARDRAILS

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
_GCS_FUSE_DRIVER: Final = "gcsfuse.csi.storage.gke.io"
_ADD_ONS: Final = {
    FILESTORE_DRIVER: "gcpFilestoreCsiDriverConfig",
    _GCS_FUSE_DRIVER: "gcsFuseCsiDriverConfig",
    "parallelstore.csi.storage.gke.io": "parallelstoreCsiDriverConfig",
    "lustre.csi.storage.gke.io": "lustreCsiDriverConfig",
}
"""The add-on of the cluster that brings each CSI driver."""
_ALWAYS_ON_AUTOPILOT: Final = (FILESTORE_DRIVER, _GCS_FUSE_DRIVER)
_FILESTORE_API: Final = "Filestore API, Instance, as hashicorp/terraform-provider-google-beta @93c65b2d documents it"
_ONE_NODE_MODES: Final = {"ReadWriteOnce", "ReadWriteOncePod"}
_SIDECAR: Final = "gke-gcsfuse/volumes"


def _bytes(amount: Quantity) -> str:
    return f"{amount} ({amount.milli // 1000} bytes)"


@world_rule(
    summary="a claim requests no more than its volume has",
    why="It is never bound, and its pods wait for ever. 1Ti is a tenth more than 1T.",
    source=_VOLUMES,
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
    summary="a claim and its volume name the same storage class",
    why='It is never bound. A claim that names none gets the default class; "" is what names no class.',
    source=_VOLUMES,
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
    summary="a claim requests access that its volume offers",
    why="It is never bound, and its pods wait for ever.",
    source=_VOLUMES,
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
    summary="a claim names a volume that exists",
    why="It is never bound. The volume may be in the cluster already: that is not known here.",
    source=_VOLUMES,
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
    summary="a claim for many writers uses a share, not a class of disks",
    why="GKE's own classes make disks, which one node at a time can write: the claim is never bound. So does the "
    "default class, unless the cluster has another one.",
    source=_FILESTORE,
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
    summary="a volume on a share is offered to many writers",
    why="A share is mounted by every host of a slice; a volume for one is bound by claims for one only.",
    source=_FILESTORE,
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
    summary="a volume states no more than its share has",
    why="A volume that promises more than the share has fails as a full disk while a job runs. 1T is not 1Ti.",
    source=_FILESTORE,
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
    summary="a volume on a share has the share's address",
    why="A written address is another server's as soon as the share is recreated; pods then hang while they mount it.",
    source=_FILESTORE,
    kinds=(kinds.VOLUME,),
    needs=(kinds.FILESTORE,),
)
def _volume_server_is_the_shares(volume: Object, world: World) -> Iterator[Finding]:
    is_nfs = path_of(volume) is not None
    place, server = _server(volume, is_nfs=is_nfs)
    if server is None:
        return
    share = share_of(volume, world)
    if share is None:
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
    summary="a volume of an instance's server mounts the instance's share",
    why="The server exports its one share and nothing else; pods hang while they mount it.",
    source=_FILESTORE,
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
    summary="a share is in the network of the cluster",
    why="Nodes cannot reach it from another network; pods hang while they mount it.",
    source=_FILESTORE,
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
    summary="the cluster has the CSI driver that volumes need",
    why="Pods wait in ContainerCreating for a driver that no node has.",
    source=_FILESTORE,
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


@object_rule(
    summary="the tier of a share exists",
    why="The API refuses others.",
    source=_FILESTORE_API,
    kinds=(kinds.FILESTORE,),
)
def _share_tier_exists(share: Object) -> Iterator[Finding]:
    stated = share.text("tier")
    if stated is not None and filestore.named(stated) is None:
        known = [tier.name for tier in filestore.TIERS]
        yield Finding(
            place=share.place.at("tier"),
            says=f"there is no tier {stated}.",
            remedy=f"{did_you_mean(stated, known)}Known: {listing(known)}.",
        )


@object_rule(
    summary=f"the name of a share has at most {filestore.SHARE_NAME_LENGTH} characters",
    why="The API refuses longer ones.",
    source=_FILESTORE_API,
    kinds=(kinds.FILESTORE,),
)
def _share_name_is_short(share: Object) -> Iterator[Finding]:
    name = share.string("fileShares", "name")
    if len(name) > filestore.SHARE_NAME_LENGTH:
        yield Finding(
            place=share.place.at("fileShares", "name"),
            says=f"{name} has {len(name)} characters; a share's name has at most {filestore.SHARE_NAME_LENGTH}.",
            remedy=f"Such as {name[: filestore.SHARE_NAME_LENGTH].rstrip('_-')}.",
        )


@object_rule(
    summary="only a tier that supports NFSv4.1 states it",
    why="The API refuses it on the basic tiers.",
    source=_FILESTORE_API,
    kinds=(kinds.FILESTORE,),
)
def _share_protocol_exists(share: Object) -> Iterator[Finding]:
    tier = filestore.named(share.string("tier"))
    if tier is not None and not tier.has_nfs_4 and share.text("protocol") == "NFS_V4_1":
        able = [each.name for each in filestore.TIERS if each.has_nfs_4]
        yield Finding(
            place=share.place.at("protocol"),
            says=f"{tier.name} supports only NFSv3.",
            remedy=f"Remove it, or use {listing(able, 'or')}.",
        )


@world_rule(
    summary="a claim that pods on several TPU hosts mount is not for one node",
    why="A disk is attached to one node. The pods on the other hosts wait for it, and the slice never starts.",
    source=_VOLUMES,
    kinds=GROUPED,
    needs=(kinds.CLAIM,),
    severity=Severity.WARNING,
)
def _claim_serves_every_host(owner: Object, world: World) -> Iterator[Finding]:
    for group in tpu_groups(owner):
        pods = group.replicas * group.parallelism
        for index, claim in _claimed(group, world) if pods > 1 else ():
            modes = claim.texts("spec", "accessModes")
            if modes and _ONE_NODE_MODES.issuperset(modes) and not _is_on_a_share(claim, world):
                yield Finding(
                    place=group.template.place.at("spec", "volumes", index, "persistentVolumeClaim", "claimName"),
                    says=f"{counted(pods, 'pod')} of {group.name} mount {claim}, which is {listing(modes)}.",
                    remedy="Mount a claim of a share (ReadWriteMany), a bucket, or an ephemeral volume for each pod.",
                )


def _claimed(group: PodGroup, world: World) -> Iterator[tuple[int, Object]]:
    """The declared claims that pods mount, each with the number of its volume."""
    for index, volume in enumerate(group.template.parts("spec", "volumes")):
        name = volume.text("persistentVolumeClaim", "claimName")
        if name is not None:
            claim = world.named(kinds.CLAIM, name, group.owner.namespace)
            if claim is not None:
                yield index, claim


def _is_on_a_share(claim: Object, world: World) -> bool:
    """Whether the volume of a claim can be mounted on many nodes, whatever the claim says."""
    volume = volume_of(claim, world)
    return volume is not None and is_share(volume)


@object_rule(
    summary="containers mount volumes of their pod",
    why="The API server refuses the object.",
    source="Kubernetes, pkg/apis/core/validation",
    kinds=MAKERS,
)
def _mounted_volume_is_stated(owner: Object) -> Iterator[Finding]:
    claims = owner.parts("spec", "volumeClaimTemplates")
    claimed = [claim.string("metadata", "name") for claim in claims]
    for group in pod_groups(owner):
        known = [*(volume.string("name") for volume in group.template.parts("spec", "volumes")), *claimed]
        for container in group.all_containers:
            for mount in container.parts("volumeMounts"):
                name = mount.string("name")
                if name and name not in known:
                    yield Finding(
                        place=mount.place.at("name"),
                        says=f"the pod has no volume {name}.",
                        remedy=f"{did_you_mean(name, known)}Volumes: {listing(known)}.",
                    )


@object_rule(
    summary=f"pods that mount a bucket have the annotation {_SIDECAR}",
    why="GKE adds the sidecar that mounts the bucket for the annotation alone; without it pods wait in "
    "ContainerCreating.",
    source='GKE documentation "Access Cloud Storage buckets with the Cloud Storage FUSE CSI driver", read 2026-11',
    kinds=MAKERS,
)
def _bucket_has_its_sidecar(owner: Object) -> Iterator[Finding]:
    for group in pod_groups(owner):
        if group.template.text("metadata", "annotations", _SIDECAR) == "true":
            continue
        for volume in group.template.parts("spec", "volumes"):
            if volume.text("csi", "driver") == _GCS_FUSE_DRIVER:
                yield Finding(
                    place=volume.place.at("csi", "driver"),
                    says=f"the pods of {group.name} have no annotation {_SIDECAR}.",
                    remedy=f'Add {_SIDECAR}: "true" to the annotations of the pods.',
                )
