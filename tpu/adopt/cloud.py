"""The frame of the platform: APIs, labels, network and cluster with its checkpoints, as the stack file states them.

If the program would make a cluster or a network differently, the stack does not take it over. It uses it as it is
(`existing`), and adds its own resources.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, get_args

from components.model import names
from components.model.config.cloud import CreatedNetwork, ExclusionScope, ReleaseChannel
from components.model.facts import checkpointing, gke
from components.model.findings import listing
from components.model.planning.cloud import DEFAULT_CONTROL_PLANE_RANGE
from tpu.adopt.listings import (
    Item,
    ListingError,
    Listings,
    Remark,
    entries,
    left_out,
    name_of,
    path_of,
    section,
    segment,
    stated,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_UNSAID_SCOPE: Final[ExclusionScope] = "NO_UPGRADES"
"""Scope of an exclusion that states none: the first of the API's values, which its JSON leaves out."""
_GOOGLES: Final = "goog-"
"""Beginning of the labels that Google's tools, and Pulumi's, set themselves."""
_LIMITS: Final = {"cpu": "cpu", "memory": "memory_gb"}
_GIB: Final = re.compile(r"(\d+)Gi")


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """The cluster that is adopted, with its pools."""

    cluster: Item
    pools: tuple[Item, ...]

    @property
    def path(self) -> str:
        """Its full name."""
        return path_of(self.cluster)

    @property
    def project(self) -> str:
        """Its project."""
        return segment(self.path, "projects")

    @property
    def location(self) -> str:
        """Its region, or zone."""
        return str(self.cluster.get("location") or segment(self.path, "locations") or segment(self.path, "zones"))

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.cluster.get("name"))

    @property
    def is_autopilot(self) -> bool:
        """Whether it makes its nodes itself."""
        return section(self.cluster, "autopilot").get("enabled") is True


def home(listings: Listings, wanted: str | None) -> Home:
    """The one cluster, or the one of that name.

    Raises:
        ListingError: there is none, or more than one.
    """
    found = [each for each in listings.of("cluster") if wanted in (None, each.get("name"))]
    if len(found) != 1:
        known = listing(sorted(str(each.get("name")) for each in listings.of("cluster")))
        raise ListingError(
            f"one cluster is adopted at a time, but {len(found)} are listed{f' as {wanted}' if wanted else ''} "
            f"(listed clusters: {known}). Give the output of gcloud container clusters list --format=json, "
            "and --cluster NAME if it lists several."
        )
    cluster = found[0]
    path = path_of(cluster)
    pools = [each for each in listings.of("node pool") if path_of(each).startswith(f"{path}/nodePools/")]
    return Home(cluster=cluster, pools=tuple(pools or entries(cluster, "nodePools")))


def services(listings: Listings) -> list[str]:
    """The enabled APIs, of those that the platform calls."""
    hosts = [path_of(each).rpartition("/")[2].removesuffix(gke.API_HOSTS) for each in listings.of("service")]
    return [name for name in gke.PLATFORM_APIS if name in hosts]


def billing_labels(of: Home) -> dict[str, str]:
    """The labels of the cluster, without those of Google's tools."""
    labels = section(of.cluster, "resourceLabels")
    return {key: value for key, value in sorted(labels.items()) if not key.startswith(_GOOGLES)}


def node_accounts(of: Home) -> list[str]:
    """The service accounts that nodes run as."""
    configs = [section(each, "config") for each in of.pools]
    if of.is_autopilot:
        configs = [section(of.cluster, "autoscaling", "autoprovisioningNodePoolDefaults")]
    return sorted({str(each["serviceAccount"]) for each in configs if each.get("serviceAccount")})


def why_existing(of: Home) -> list[str]:
    """Why the stack must use the cluster as it is; empty if it can own it."""
    cluster, reasons = of.cluster, list[str]()
    own = f"{names.node_account_id(of.name)}@{of.project}.iam.gserviceaccount.com"
    accounts = node_accounts(of)
    if not of.pools and not of.is_autopilot:
        reasons.append("none of its node pools is listed, so the service account of its nodes is unknown")
    elif accounts != [own]:
        theirs = listing(accounts) if accounts else "the default account"
        reasons.append(f"its nodes run as {theirs}, but the stack's run as {own}")
    if section(cluster, "releaseChannel").get("channel") not in get_args(ReleaseChannel):
        reasons.append("it is not in a release channel")
    if not of.is_autopilot and not section(cluster, "workloadIdentityConfig").get("workloadPool"):
        reasons.append("it has no workload identity pool")
    if section(cluster, "maintenancePolicy", "window").get("dailyMaintenanceWindow"):
        reasons.append("it has a daily maintenance window, but the stack file states recurring ones")
    if any(pool.get("name") == "default-pool" for pool in of.pools):
        reasons.append("it still has its default pool")
    return reasons


def cluster(of: Home, reasons: Sequence[str]) -> tuple[dict[str, Any], list[Remark]]:
    """The section `cluster`: the stack's own, or for the given reasons one that it uses as it is.

    Raises:
        ListingError: it cannot be used, because its pools run as several accounts.
    """
    if reasons:
        return _existing(of, reasons)
    written: dict[str, Any] = {
        "name": of.name,
        "mode": "autopilot" if of.is_autopilot else "standard",
        "location": of.location,
        "release_channel": section(of.cluster, "releaseChannel")["channel"],
        **_reached(of.cluster),
        **stated(maintenance=_maintenance(of.cluster), addons=_addons(of)),
        "deletion_protection": True,
    }
    return written, [
        Remark(
            what=f"cluster {of.name}",
            says="no listing says whether it is protected from deletion, so deletion_protection is true.",
            remedy="Set it to false if the cluster may be deleted.",
        )
    ]


def _reached(cluster: Item) -> dict[str, Any]:
    """How nodes and control plane are reached."""
    private = section(cluster, "privateClusterConfig")
    written: dict[str, Any] = {}
    if private.get("enablePrivateNodes") is not True:
        written["private_nodes"] = False
    elif private.get("masterIpv4CidrBlock") not in (None, DEFAULT_CONTROL_PLANE_RANGE):
        written["control_plane_cidr"] = private["masterIpv4CidrBlock"]
    if private.get("enablePrivateEndpoint") is True:
        written["private_endpoint"] = True
    authorized = section(cluster, "masterAuthorizedNetworksConfig")
    if authorized.get("enabled") is True:
        written["authorized_networks"] = [
            {"name": each.get("displayName") or each.get("cidrBlock"), "cidr": each.get("cidrBlock")}
            for each in entries(authorized, "cidrBlocks")
        ]
    return written


def _addons(of: Home) -> dict[str, bool]:
    """The add-ons that the stack file states."""

    def is_on(name: str) -> bool:
        return section(of.cluster, "addonsConfig", name).get("enabled") is True

    is_stated = is_on("gcsFuseCsiDriverConfig") and not of.is_autopilot
    return stated(ray_operator=is_on("rayOperatorConfig"), gcs_fuse=is_stated)


def _maintenance(cluster: Item) -> dict[str, Any]:
    policy = section(cluster, "maintenancePolicy", "window")
    recurring = section(policy, "recurringWindow")
    window = {**_times(section(recurring, "window")), "recurrence": recurring.get("recurrence")} if recurring else None
    exclusions = [
        {
            "name": name,
            **_times(section(each)),
            "scope": section(each, "maintenanceExclusionOptions").get("scope", _UNSAID_SCOPE),
        }
        for name, each in sorted(section(policy, "maintenanceExclusions").items())
    ]
    return stated(window=window, exclusions=exclusions)


def _times(window: Item) -> dict[str, Any]:
    return {"start": window.get("startTime"), "end": window.get("endTime")}


def _existing(of: Home, reasons: Sequence[str]) -> tuple[dict[str, Any], list[Remark]]:
    accounts = node_accounts(of)
    if len(accounts) > 1:
        raise ListingError(
            f"cluster {of.name}: its pools run as {listing(accounts)}, but all pools of a stack run as one account. "
            "List only the pools of one account: the stack does not touch the others."
        )
    written: dict[str, Any] = {
        "existing": {"name": of.name, "location": of.location},
        "mode": "autopilot" if of.is_autopilot else "standard",
        **stated(node_service_account=accounts[0] if accounts else None),
    }
    return written, [
        Remark(
            what=f"cluster {of.name}",
            says=f"{'; '.join(reasons)}: the stack uses it as it is (cluster.existing) and does not own it.",
            remedy="The stack neither changes nor deletes it; the stack adopts its pools and the objects in it.",
        )
    ]


def auto_provisioning(of: Home) -> dict[str, Any] | None:
    """The section `auto_provisioning`."""
    scaling = section(of.cluster, "autoscaling")
    if of.is_autopilot or scaling.get("enableNodeAutoprovisioning") is not True:
        return None
    limits = {
        _LIMITS.get(str(each.get("resourceType")), str(each.get("resourceType"))): int(str(each.get("maximum", 0)))
        for each in entries(scaling, "resourceLimits")
    }
    return {"limits": limits, "zones": scaling.get("autoprovisioningLocations", [])}


def checkpoints(listings: Listings, of: Home, machine_types: Collection[str]) -> tuple[dict[str, Any], list[Remark]]:
    """The key with its value, and why it is left out although the add-on is on; `machine_types` are those of slices."""
    if section(of.cluster, "addonsConfig", "highScaleCheckpointingConfig").get("enabled") is not True:
        return {}, []
    own = names.checkpoint_configuration(of.name)
    found = [each for each in listings.kind(checkpointing.KIND) if name_of(each) == own]
    if not found:
        others = ", ".join(sorted(name_of(each) for each in listings.kind(checkpointing.KIND))) or "none"
        return {}, [
            Remark(
                what=f"cluster {of.name}",
                says=f"it has the add-on of multi-tier checkpointing, but no CheckpointConfiguration {own} is listed "
                f"(listed: {others}).",
                remedy="The stack file leaves cluster.checkpoints out, and pulumi up would switch the add-on off.",
            )
        ]
    spec = section(found[0], "spec")
    size = _GIB.fullmatch(str(spec.get("inMemoryVolumeSize")))
    selector = section(spec, "nodeSelector")
    if size is None or selector.keys() != {gke.LABEL_INSTANCE_TYPE}:
        says = "a stack file states whole Gi in the memory of the hosts of one machine type"
        return {}, [left_out(f"{checkpointing.KIND} {own}", says)]
    machine_type = str(selector[gke.LABEL_INSTANCE_TYPE])
    written = {
        "bucket": spec.get("cloudStorageBucketName"),
        "local_gib": int(size[1]),
        **stated(machine_type=None if set(machine_types) == {machine_type} else machine_type),
    }
    return {"checkpoints": written}, []


def network(listings: Listings, of: Home) -> tuple[dict[str, Any], list[Remark]]:
    """The section `network` of a cluster that the stack owns."""
    name = str(of.cluster.get("network"))
    used = {"existing": name, **stated(subnetwork=of.cluster.get("subnetwork"))}
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
