"""Shared storage as the stack file states it: Filestore instances with the claims on them."""

from __future__ import annotations

from typing import Any

from adopt.listings import Item, Listings, Remark, entries, left_out, name_of, path_of, section, segment
from components.model import names
from components.model.facts import filestore


def shared_storage(listings: Listings, network: str) -> tuple[list[dict[str, Any]], list[Remark]]:
    """The section `shared_storage`: instances on the cluster's network whose volumes have the stack's names."""
    written: list[dict[str, Any]] = []
    remarks: list[Remark] = []
    for item in listings.of("share"):
        name = path_of(item).rpartition("/")[2]
        claims, problems = _claims(listings, item, name)
        reason = _why_left(item, network, claims)
        remarks += [left_out(f"Filestore instance {name}", each) for each in problems]
        if reason:
            remarks.append(left_out(f"Filestore instance {name}", reason))
        else:
            written.append(_share(item, name, claims))
    return written, remarks


def _why_left(item: Item, network: str, claims: list[dict[str, Any]]) -> str:
    nets = [str(each.get("network", "")).rpartition("/")[2] for each in entries(item, "networks")]
    if nets != [network]:
        return f"it is on network {' and '.join(nets)}, but the cluster is on {network}"
    if filestore.named(str(item.get("tier"))) is None:
        return f"a stack file cannot state its tier {item.get('tier')}"
    if len(entries(item, "fileShares")) != 1:
        return "it does not have exactly one share"
    return "" if claims else "no PersistentVolume of the cluster uses it"


def _share(item: Item, name: str, claims: list[dict[str, Any]]) -> dict[str, Any]:
    share = entries(item, "fileShares")[0]
    written: dict[str, Any] = {
        "name": name,
        "tier": item.get("tier"),
        "location": segment(path_of(item), "locations"),
        "share": share.get("name"),
        "capacity_gib": int(str(share.get("capacityGb", 0))),
        "claims": claims,
    }
    return {**written, "deletion_protection": item.get("deletionProtectionEnabled") is True}


def _claims(listings: Listings, item: Item, name: str) -> tuple[list[dict[str, Any]], list[str]]:
    """The claims on the instance, and volumes on it that the stack would name differently."""
    addresses = {address for each in entries(item, "networks") for address in each.get("ipAddresses", [])}
    found: list[dict[str, Any]] = []
    problems: list[str] = []
    for volume in listings.kind("PersistentVolume"):
        claim = section(volume, "spec", "claimRef")
        if section(volume, "spec", "nfs").get("server") not in addresses or not claim:
            continue
        own = names.persistent_volume(name, str(claim.get("namespace")), str(claim.get("name")))
        if name_of(volume) == own:
            found.append({"name": claim.get("name"), "namespace": claim.get("namespace")})
        else:
            problems.append(f"PersistentVolume {name_of(volume)} uses it, but the stack would name the volume {own}")
    return sorted(found, key=lambda each: (str(each["namespace"]), str(each["name"]))), problems
