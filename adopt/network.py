"""The network of the platform, as the stack file states it: the stack's own, or one that it uses as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adopt.listings import Item, Listings, Remark, entries, path_of, section, segment
from components.model import names
from components.model.config.cloud import CreatedNetwork
from components.model.facts import gke

if TYPE_CHECKING:
    from adopt.cloud import Home


def network(listings: Listings, of: Home) -> tuple[dict[str, Any], list[Remark]]:
    """The section `network` of a cluster that the stack owns."""
    name = str(of.cluster.get("network"))
    used: dict[str, Any] = {"existing": name}
    if of.cluster.get("subnetwork"):
        used["subnetwork"] = of.cluster["subnetwork"]
    subnetwork = _subnetwork(listings, of, names.subnetwork(name))
    reason = _why_used(listings, of, name, subnetwork)
    if reason or subnetwork is None:
        remark = Remark(
            what=f"network {name}",
            says=f"{reason}: the stack uses it as it is (network.existing) and does not own it.",
            remedy="The stack neither changes nor deletes it.",
        )
        return used, [remark]
    ranges = _ranges(subnetwork)
    mtu = next((each.get("mtu") for each in listings.of("network") if each.get("name") == name), None)
    written = {
        "name": name,
        "nodes_cidr": subnetwork.get("ipCidrRange"),
        "pods_cidr": ranges[names.PODS_RANGE],
        "services_cidr": ranges[names.SERVICES_RANGE],
    }
    return {**written, **({} if mtu in (None, CreatedNetwork.model_fields["mtu"].default) else {"mtu": mtu})}, []


def _subnetwork(listings: Listings, of: Home, name: str) -> Item | None:
    region = gke.region_of(of.location)
    return next(
        (
            each
            for each in listings.of("subnetwork")
            if each.get("name") == name and segment(path_of(each), "regions") == region
        ),
        None,
    )


def _ranges(subnetwork: Item) -> dict[str, Any]:
    return {str(each.get("rangeName")): each.get("ipCidrRange") for each in entries(subnetwork, "secondaryIpRanges")}


def _why_used(listings: Listings, of: Home, name: str, subnetwork: Item | None) -> str:
    """Why the stack must use the network as it is; empty where it can own it."""
    network = next((each for each in listings.of("network") if each.get("name") == name), None)
    if network is None:
        return "it is not among the listed networks"
    if network.get("autoCreateSubnetworks") is not False:
        return "it creates its subnetworks automatically"
    if subnetwork is None or of.cluster.get("subnetwork") != subnetwork.get("name"):
        return (
            f"the cluster is in subnetwork {of.cluster.get('subnetwork')}, but the stack's is {names.subnetwork(name)}"
        )
    if set(_ranges(subnetwork)) != {names.PODS_RANGE, names.SERVICES_RANGE}:
        return f"its subnetwork has other secondary ranges than {names.PODS_RANGE} and {names.SERVICES_RANGE}"
    is_private = section(of.cluster, "privateClusterConfig").get("enablePrivateNodes") is True
    nats = [
        nat.get("name")
        for each in listings.of("router")
        for nat in entries(each, "nats")
        if each.get("name") == names.router(name)
    ]
    if is_private and nats != [names.nat(name)]:
        return f"router {names.router(name)} with NAT gateway {names.nat(name)} is not among the listed routers"
    return ""
