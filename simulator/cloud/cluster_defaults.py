"""The fields of a new cluster that GKE fills in, ranges of pods and Services included.

Source: the cluster resource of the GKE API (projects.locations.clusters) and GKE documentation on VPC-native clusters
(default sizes and the Google-managed range of Services), read 2026-11.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final

from simulator.cloud import gke_versions, locations, ranges
from simulator.cloud.api import Body, Kind, invalid, invalid_value, refusal
from simulator.cloud.names import parts_of, self_link, short_name
from simulator.cloud.networks import find_network, find_subnetwork, taken_ranges
from simulator.cloud.service import at, merged, part

if TYPE_CHECKING:
    from simulator.cloud.store import View

_POD_PREFIX: Final = 14
_POD_SPACE: Final = "10.0.0.0/8"
"""Where GKE looks for a range of pods that nobody named, and how large it is."""
_SERVICES: Final = "34.118.224.0/20"
"""The range of Services that GKE uses when nobody names one; it is the same in every cluster."""
_MAX_PODS_STANDARD: Final = 110
_MAX_PODS_AUTOPILOT: Final = 32
_CONTROL_PLANE_PREFIX: Final = 28


def cluster_document(view: View, name: str, body: Body, now: str) -> Body:
    """The document of a new cluster, before its control plane runs.

    Raises:
        CloudError: its network, subnetwork or one of its ranges does not exist, or the version is not offered.
    """
    parts = parts_of(Kind.CLUSTER, name)
    region = locations.region_of(parts["location"])
    network, _ = find_network(view, body.get("network") or "default", parts["project"])
    subnetwork, subnet = find_subnetwork(view, body.get("subnetwork") or "default", parts["project"], region)
    if short_name(subnet["network"]) != short_name(network):
        raise invalid(f'Subnetwork "{short_name(subnetwork)}" does not belong to network "{network}".')
    is_autopilot = bool(at(body, "autopilot.enabled"))
    version = gke_versions.control_plane_version(body.get("initialClusterVersion") or "")
    links = {"network": network, "subnetwork": subnetwork}
    document = merged(_defaults(parts["project"], is_autopilot=is_autopilot), body)
    return {
        **document,
        **_addresses(view, body, links, subnet),
        "name": parts["name"],
        "location": parts["location"],
        "locations": sorted(body.get("locations") or locations.default_zones(parts["location"])),
        "network": short_name(network),
        "subnetwork": short_name(subnetwork),
        "networkConfig": {"datapathProvider": "LEGACY_DATAPATH", **part(body, "networkConfig"), **links},
        "initialClusterVersion": version,
        "currentMasterVersion": version,
        "currentNodeVersion": version,
        "createTime": now,
        "id": hashlib.sha256(f"{name} {now}".encode()).hexdigest(),
        "labelFingerprint": label_fingerprint(body.get("resourceLabels", {})),
        "selfLink": self_link(Kind.CLUSTER, name),
        "status": "PROVISIONING",
    }


def label_fingerprint(labels: Body) -> str:
    """The fingerprint of a cluster's labels: another one whenever a label changed."""
    return hashlib.sha256(repr(sorted(labels.items())).encode()).hexdigest()[:8]


def _defaults(project: str, *, is_autopilot: bool) -> dict[str, Any]:
    defaults: dict[str, Any] = {
        "releaseChannel": {"channel": "REGULAR"},
        "loggingService": "logging.googleapis.com/kubernetes",
        "monitoringService": "monitoring.googleapis.com/kubernetes",
        "loggingConfig": {"componentConfig": {"enableComponents": ["SYSTEM_COMPONENTS", "WORKLOADS"]}},
        "monitoringConfig": {
            "componentConfig": {"enableComponents": ["SYSTEM_COMPONENTS"]},
            "managedPrometheusConfig": {"enabled": True},
        },
        "shieldedNodes": {"enabled": True},
        "defaultMaxPodsConstraint": {"maxPodsPerNode": str(_MAX_PODS_STANDARD)},
        "addonsConfig": {"gcePersistentDiskCsiDriverConfig": {"enabled": True}},
        "autoscaling": {"autoscalingProfile": "BALANCED"},
        "masterAuth": {"clientCertificateConfig": {"issueClientCertificate": False}},
    }
    if is_autopilot:
        defaults["defaultMaxPodsConstraint"] = {"maxPodsPerNode": str(_MAX_PODS_AUTOPILOT)}
        defaults["workloadIdentityConfig"] = {"workloadPool": f"{project}.svc.id.goog"}
        defaults["verticalPodAutoscaling"] = {"enabled": True}
        defaults["addonsConfig"]["gcpFilestoreCsiDriverConfig"] = {"enabled": True}
        defaults["addonsConfig"]["gcsFuseCsiDriverConfig"] = {"enabled": True}
    return defaults


def _addresses(view: View, body: Body, links: dict[str, str], subnet: Body) -> Body:
    """Ranges of pods, Services and the control plane."""
    policy = part(body, "ipAllocationPolicy")
    secondary = {entry["rangeName"]: entry["ipCidrRange"] for entry in subnet["secondaryIpRanges"]}
    pods = _named_range(policy.get("clusterSecondaryRangeName"), "Pod", secondary, links)
    services = _named_range(policy.get("servicesSecondaryRangeName"), "Services", secondary, links)
    _check_services_free(view, policy.get("servicesSecondaryRangeName"), links)
    pods = pods or _pod_range(view, policy.get("clusterIpv4CidrBlock") or body.get("clusterIpv4Cidr") or "", links)
    services = services or policy.get("servicesIpv4CidrBlock") or _SERVICES
    ranges.network(services, "cluster.ip_allocation_policy.services_ipv4_cidr_block")
    control_plane = at(body, "privateClusterConfig.masterIpv4CidrBlock")
    if control_plane:
        _check_control_plane_range(view, control_plane, links["network"])
    return {
        "clusterIpv4Cidr": pods,
        "servicesIpv4Cidr": services,
        "ipAllocationPolicy": {
            "useIpAliases": True,
            "stackType": "IPV4",
            **policy,
            "clusterIpv4CidrBlock": pods,
            "servicesIpv4CidrBlock": services,
        },
    }


def _named_range(name: str | None, what: str, secondary: dict[str, str], links: dict[str, str]) -> str | None:
    if not name:
        return None
    if name not in secondary:
        raise invalid(
            f'{what} secondary range "{name}" does not exist in network "{short_name(links["network"])}", '
            f'subnetwork "{short_name(links["subnetwork"])}".'
        )
    return secondary[name]


def _check_services_free(view: View, name: str | None, links: dict[str, str]) -> None:
    for _, cluster in view.list(Kind.CLUSTER) if name else ():
        same_place = cluster["networkConfig"]["subnetwork"] == links["subnetwork"]
        if same_place and at(cluster, "ipAllocationPolicy.servicesSecondaryRangeName") == name:
            raise invalid(
                f'Services range "{name}" in network "{short_name(links["network"])}", subnetwork '
                f'"{short_name(links["subnetwork"])}" is already used by another cluster.'
            )


def _pod_range(view: View, wanted: str, links: dict[str, str]) -> str:
    """The requested range, or a free one of the requested size (`/20`) or of GKE's default size."""
    if wanted and not wanted.startswith("/"):
        return str(ranges.network(wanted, "cluster.ip_allocation_policy.cluster_ipv4_cidr_block"))
    prefix = int(wanted.removeprefix("/")) if wanted else _POD_PREFIX
    found = ranges.free_range(_POD_SPACE, prefix, taken_ranges(view, links["network"]))
    if found is None:
        raise refusal("RESOURCE_EXHAUSTED", f"No free /{prefix} range for pods is left in {links['network']}.")
    return found


def _check_control_plane_range(view: View, cidr: str, network: str) -> None:
    field = "cluster.private_cluster_config.master_ipv4_cidr_block"
    if ranges.network(cidr, field).prefixlen != _CONTROL_PLANE_PREFIX:
        raise invalid_value(field, cidr, "Must be a /28 range.")
    clash = next((one for one in taken_ranges(view, network) if ranges.overlap(cidr, one)), None)
    if clash is not None:
        raise invalid(f"Invalid value for field '{field}': '{cidr}' overlaps {clash}, which is in use.")
