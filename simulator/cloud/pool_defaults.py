"""The fields of a new node pool that GKE fills in.

Source: the node pool resource of the GKE API (projects.locations.clusters.nodePools) and the default scopes that
gcloud and Google's Terraform provider name `gke-default`, read 2026-11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from components.model.facts import tpu
from simulator import nodes
from simulator.cloud.names import short_name
from simulator.cloud.service import at, merged, part

if TYPE_CHECKING:
    from simulator.cloud.api import Body

_AUTH: Final = "https://www.googleapis.com/auth/"
_SCOPES: Final = tuple(
    _AUTH + scope
    for scope in (
        "devstorage.read_only",
        "logging.write",
        "monitoring",
        "service.management.readonly",
        "servicecontrol",
        "trace.append",
    )
)
_MACHINE_TYPE: Final = "e2-medium"
_DISK_GB: Final = 100
_DISK_TYPE: Final = "pd-balanced"


def pool_document(name: str, body: Body, cluster: Body) -> Body:
    """The document of a new node pool of that short name in a cluster, before it has machines."""
    document: Body = {
        "initialNodeCount": 0,
        "version": cluster["currentMasterVersion"],
        **body,
        "name": name,
        "config": _config(part(body, "config"), cluster),
        "locations": sorted(body.get("locations") or cluster["locations"]),
        "management": merged({"autoUpgrade": True, "autoRepair": True}, part(body, "management")),
        "upgradeSettings": merged({"strategy": "SURGE", "maxSurge": 1}, part(body, "upgradeSettings")),
        "maxPodsConstraint": part(body, "maxPodsConstraint") or cluster["defaultMaxPodsConstraint"],
        "networkConfig": merged(_network(cluster), part(body, "networkConfig")),
        "selfLink": f"{cluster['selfLink']}/nodePools/{short_name(name)}",
        "instanceGroupUrls": [],
        "status": "PROVISIONING",
    }
    return with_all_taints(document)


def with_all_taints(document: Body) -> Body:
    """A pool's document as the API shows it: with the taints that GKE adds among the pool's own."""
    return merged(document, {"config": {"taints": nodes.effective_taints(document)}})


def _config(stated: Body, cluster: Body) -> Body:
    machine_type = stated.get("machineType") or _MACHINE_TYPE
    defaults: dict[str, Any] = {
        "machineType": machine_type,
        "diskSizeGb": _DISK_GB,
        "diskType": _disk_type(machine_type),
        "imageType": "COS_CONTAINERD",
        "metadata": {"disable-legacy-endpoints": "true"},
        "oauthScopes": list(_SCOPES),
        "serviceAccount": "default",
        "shieldedInstanceConfig": {"enableIntegrityMonitoring": True},
        "loggingConfig": {"variantConfig": {"variant": "DEFAULT"}},
    }
    if at(cluster, "workloadIdentityConfig.workloadPool"):
        defaults["workloadMetadataConfig"] = {"mode": "GKE_METADATA"}
    return merged(defaults, stated)


def _disk_type(machine_type: str) -> str:
    return tpu.generation_of(machine_type).boot_disks[0] if tpu.is_tpu_machine(machine_type) else _DISK_TYPE


def _network(cluster: Body) -> Body:
    return {
        "enablePrivateNodes": bool(at(cluster, "privateClusterConfig.enablePrivateNodes")),
        "podRange": at(cluster, "ipAllocationPolicy.clusterSecondaryRangeName"),
        "podIpv4CidrBlock": cluster["clusterIpv4Cidr"],
        "subnetwork": cluster["networkConfig"]["subnetwork"],
    }
