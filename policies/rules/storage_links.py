"""Rules about how pods reach storage: the address, path and network of shares, and the drivers of volumes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.findings import Finding, listing
from components.model.rule import Family
from policies.objects.belonging import is_autopilot
from policies.objects.judging import world_rule
from policies.objects.pods import MAKERS, pod_groups
from policies.objects.shares import FILESTORE_DRIVER, addresses_of, path_of, share_of
from policies.objects.values import UndecidedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Key, Place
    from policies.objects.world import Object, World

_FILESTORE: Final = 'GKE documentation "Access Filestore instances", read 2026-11'
_ADD_ONS: Final = {
    FILESTORE_DRIVER: "gcpFilestoreCsiDriverConfig",
    "gcsfuse.csi.storage.gke.io": "gcsFuseCsiDriverConfig",
    "parallelstore.csi.storage.gke.io": "parallelstoreCsiDriverConfig",
    "lustre.csi.storage.gke.io": "lustreCsiDriverConfig",
}
"""The add-on of the cluster that brings each CSI driver."""
_ALWAYS_ON_AUTOPILOT: Final = (FILESTORE_DRIVER, "gcsfuse.csi.storage.gke.io")


@world_rule(
    "volume-server-is-the-shares",
    summary="a volume on a share has the share's address",
    why="A written address is another server's as soon as the share is recreated; pods then hang while they mount it.",
    source=_FILESTORE,
    family=Family.GUARDRAILS,
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
    "volume-path-is-a-share",
    summary="a volume of an instance's server mounts the instance's share",
    why="The server exports its one share and nothing else; pods hang while they mount it.",
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
    why="Nodes cannot reach it from another network; pods hang while they mount it.",
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
    _volume_server_is_the_shares,
    _volume_path_is_a_share,
    _share_is_in_the_clusters_network,
    _volume_driver_is_on,
)
