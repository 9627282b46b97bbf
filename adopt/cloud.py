"""The frame of the platform: APIs, labels, network and cluster, as the stack file states them.

If the program would make a cluster or a network differently, the stack does not take it over. It uses it as it is
(`existing`), and adds its own resources.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, get_args

from adopt.listings import Item, ListingError, Listings, Remark, entries, path_of, section, segment
from components.model import names
from components.model.config.cloud import ExclusionScope, ReleaseChannel
from components.model.facts import gke
from components.model.findings import listing
from components.model.planning.cloud import DEFAULT_CONTROL_PLANE_RANGE

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNSAID_SCOPE: Final[ExclusionScope] = "NO_UPGRADES"
"""Scope of an exclusion that states none: the first of the API's values, which its JSON leaves out."""
_GOOGLES: Final = "goog-"
"""Beginning of the labels that Google's tools, and Pulumi's, set themselves."""
_LIMITS: Final = {"cpu": "cpu", "memory": "memory_gb"}


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
    }
    maintenance = _maintenance(of.cluster)
    if maintenance:
        written["maintenance"] = maintenance
    addons = _addons(of)
    if addons:
        written["addons"] = addons
    written["deletion_protection"] = True
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

    ray = {"ray_operator": True} if is_on("rayOperatorConfig") else {}
    fuse = {"gcs_fuse": True} if is_on("gcsFuseCsiDriverConfig") and not of.is_autopilot else {}
    return {**ray, **fuse}


def _maintenance(cluster: Item) -> dict[str, Any]:
    stated = section(cluster, "maintenancePolicy", "window")
    recurring, written = section(stated, "recurringWindow"), dict[str, Any]()
    if recurring:
        window = section(recurring, "window")
        written["window"] = {
            "start": window.get("startTime"),
            "end": window.get("endTime"),
            "recurrence": recurring.get("recurrence"),
        }
    exclusions = [
        {
            "name": name,
            "start": section(stated, "maintenanceExclusions", name).get("startTime"),
            "end": section(stated, "maintenanceExclusions", name).get("endTime"),
            "scope": section(stated, "maintenanceExclusions", name, "maintenanceExclusionOptions").get(
                "scope", _UNSAID_SCOPE
            ),
        }
        for name in sorted(section(stated, "maintenanceExclusions"))
    ]
    if exclusions:
        written["exclusions"] = exclusions
    return written


def _existing(of: Home, reasons: Sequence[str]) -> tuple[dict[str, Any], list[Remark]]:
    accounts = node_accounts(of)
    written: dict[str, Any] = {
        "existing": {"name": of.name, "location": of.location},
        "mode": "autopilot" if of.is_autopilot else "standard",
    }
    if len(accounts) > 1:
        raise ListingError(
            f"cluster {of.name}: its pools run as {listing(accounts)}, but all pools of a stack run as one account. "
            "List only the pools of one account: the stack does not touch the others."
        )
    if accounts:
        written["node_service_account"] = accounts[0]
    return written, [
        Remark(
            what=f"cluster {of.name}",
            says=f"{'; '.join(reasons)}: the stack uses it as it is (cluster.existing) and does not own it.",
            remedy="The stack neither changes nor deletes it; the stack adopts its pools and the objects in it.",
        )
    ]


def auto_provisioning(of: Home) -> dict[str, Any] | None:
    """The section `auto_provisioning`."""
    stated = section(of.cluster, "autoscaling")
    if of.is_autopilot or stated.get("enableNodeAutoprovisioning") is not True:
        return None
    limits = {
        _LIMITS.get(str(each.get("resourceType")), str(each.get("resourceType"))): int(str(each.get("maximum", 0)))
        for each in entries(stated, "resourceLimits")
    }
    return {"limits": limits, "zones": stated.get("autoprovisioningLocations", [])}
