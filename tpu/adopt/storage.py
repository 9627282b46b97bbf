"""Storage as the stack file states it: Filestore and Managed Lustre instances, and disks, with the claims on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from components.model import names
from components.model.facts import filestore, hyperdisk, lustre
from tpu.adopt.listings import Item, Listings, Remark, entries, left_out, name_of, path_of, section, segment

if TYPE_CHECKING:
    from collections.abc import Iterable


def shared_storage(listings: Listings, network: str) -> tuple[list[dict[str, Any]], list[Remark]]:
    """The section `shared_storage`: instances on the cluster's network whose volumes have the stack's names."""
    written: list[dict[str, Any]] = []
    remarks: list[Remark] = []
    for item in listings.of("share"):
        if "filesystem" in item:
            continue
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
    volumes = (
        volume
        for volume in listings.kind("PersistentVolume")
        if section(volume, "spec", "nfs").get("server") in addresses
    )
    return _of_volumes(volumes, name)


def lustre_instances(listings: Listings, network: str) -> tuple[list[dict[str, Any]], list[Remark]]:
    """The section `lustre`: instances on the cluster's network whose volumes have the stack's names."""
    written: list[dict[str, Any]] = []
    remarks: list[Remark] = []
    for item in listings.of("share"):
        if "filesystem" not in item:
            continue
        path, what = path_of(item), f"Managed Lustre instance {path_of(item).rpartition('/')[2]}"
        name, location = segment(path, "instances"), segment(path, "locations")
        handle = names.lustre_handle(segment(path, "projects"), location, name)
        claims, problems = _driven(listings, lustre.DRIVER, handle, name)
        remarks += [left_out(what, each) for each in problems]
        on = str(item.get("network", "")).rpartition("/")[2]
        if on != network:
            remarks.append(left_out(what, f"it is on network {on}, but the cluster is on {network}"))
        elif not claims:
            remarks.append(left_out(what, "no PersistentVolume of the cluster uses it"))
        else:
            written.append(
                {
                    "name": name,
                    "location": location,
                    "filesystem": item.get("filesystem"),
                    "throughput": int(str(item.get("perUnitStorageThroughput", 0))),
                    "capacity_gib": int(str(item.get("capacityGib", 0))),
                    "claims": claims,
                }
            )
    return written, remarks


def disks(listings: Listings) -> tuple[list[dict[str, Any]], list[Remark]]:
    """The section `disks`: Hyperdisks whose volumes have the stack's names; disks without a volume are not its own."""
    kinds = {kind.type: kind.id for kind in hyperdisk.KINDS.values()}
    access = {mode: name for name, mode in hyperdisk.MODES.items()}
    written: list[dict[str, Any]] = []
    remarks: list[Remark] = []
    for item in listings.of("disk"):
        path, kind = path_of(item), kinds.get(str(item.get("type", "")).rpartition("/")[2])
        name, zone = segment(path, "disks"), segment(path, "zones")
        handle = names.disk_handle(segment(path, "projects"), zone, name)
        claims, problems = _driven(listings, hyperdisk.DRIVER, handle, name)
        remarks += [left_out(f"disk {name}", each) for each in problems]
        if kind is not None and claims:
            written.append(
                {
                    "name": name,
                    "kind": kind,
                    "zone": zone,
                    "size_gib": int(str(item.get("sizeGb", 0))),
                    "access": access.get(str(item.get("accessMode")), "ReadWriteOnce"),
                    **_stated(item),
                    "claims": claims,
                }
            )
    return written, remarks


def _stated(item: Item) -> dict[str, int]:
    """The speed of a disk; Hyperdisk ML has no IOPS of its own."""
    keys = {"throughput": "provisionedThroughput"}
    if str(item.get("type", "")).endswith(hyperdisk.BALANCED.type):
        keys["iops"] = "provisionedIops"
    return {key: int(str(item[of])) for key, of in keys.items() if of in item}


def _driven(listings: Listings, driver: str, handle: str, name: str) -> tuple[list[dict[str, Any]], list[str]]:
    """The claims on what a driver mounts, and volumes of it that the stack would name differently."""
    volumes = (
        volume
        for volume in listings.kind("PersistentVolume")
        if section(volume, "spec", "csi").get("driver") == driver
        and section(volume, "spec", "csi").get("volumeHandle") == handle
    )
    return _of_volumes(volumes, name)


def _of_volumes(volumes: Iterable[Item], name: str) -> tuple[list[dict[str, Any]], list[str]]:
    found: list[dict[str, Any]] = []
    problems: list[str] = []
    for volume in volumes:
        claim = section(volume, "spec", "claimRef")
        if not claim:
            continue
        own = names.persistent_volume(name, str(claim.get("namespace")), str(claim.get("name")))
        if name_of(volume) == own:
            found.append({"name": claim.get("name"), "namespace": claim.get("namespace")})
        else:
            problems.append(f"PersistentVolume {name_of(volume)} uses it, but the stack would name the volume {own}")
    return sorted(found, key=lambda each: (str(each["namespace"]), str(each["name"]))), problems
