"""VPC networks and their subnetworks.

Every project has its auto mode network `default` with a subnetwork in each region, as real projects have; they are
known by name without being recorded or listed. Firewall rules are checked and stored; nothing here carries traffic.

Source of the texts: answers of the Compute Engine API as quoted in public issue reports, read 2026-11.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, ClassVar, Final

from simulator.cloud import locations, ranges
from simulator.cloud.api import Body, Kind, invalid, invalid_value, refusal
from simulator.cloud.names import api_name, from_reference, parts_of, self_link, short_name
from simulator.cloud.service import ComputeService, Request, at, check_compute_name, in_use, merged

if TYPE_CHECKING:
    from simulator.cloud.store import View

DEFAULT_NETWORK: Final = "default"
_IN_NETWORKS: Final = (
    *(Kind.CLUSTER, Kind.FILESTORE, Kind.LUSTRE, Kind.CONNECTION, Kind.GLOBAL_ADDRESS),
    *(Kind.ROUTER, Kind.FIREWALL, Kind.SUBNETWORK),
)
"""The kinds of resource that lie in a network, which cannot be deleted before them."""


def numeric_id(name: str) -> str:
    """The number that Compute Engine gives a resource, here drawn from its name."""
    return str(10**18 + int(hashlib.sha256(name.encode()).hexdigest()[:15], 16))


def find_network(view: View, reference: str, project: str) -> tuple[str, Body]:
    """Name and document of the network that a field of another resource refers to.

    Raises:
        CloudError: NOT_FOUND.
    """
    name = from_reference(Kind.NETWORK, reference, project=project)
    record = view.get(name)
    if record is not None:
        return name, record
    parts = parts_of(Kind.NETWORK, name)
    if parts["name"] == DEFAULT_NETWORK:
        return name, _network(name, {"autoCreateSubnetworks": True})
    raise refusal("NOT_FOUND", ComputeService.missing.format(name))


def find_subnetwork(view: View, reference: str, project: str, region: str) -> tuple[str, Body]:
    """Name and document of the subnetwork that a field of another resource refers to.

    Raises:
        CloudError: NOT_FOUND.
    """
    name = from_reference(Kind.SUBNETWORK, reference, project=project, region=region)
    record = view.get(name)
    if record is not None:
        return name, record
    parts = parts_of(Kind.SUBNETWORK, name)
    cidr = locations.automatic_ranges().get(parts["region"])
    if parts["name"] != DEFAULT_NETWORK or cidr is None:
        raise refusal("NOT_FOUND", ComputeService.missing.format(name))
    network = api_name(Kind.NETWORK, project=parts["project"], name=DEFAULT_NETWORK)
    return name, _subnetwork(name, {"network": self_link(Kind.NETWORK, network), "ipCidrRange": cidr})


def subnetworks_of(view: View, network: str) -> list[tuple[str, Body]]:
    """Names and documents of the recorded subnetworks of a network."""
    project = parts_of(Kind.NETWORK, network)["project"]
    found = view.list(Kind.SUBNETWORK, f"projects/{project}/regions/")
    return [(name, body) for name, body in found if body["network"] == self_link(Kind.NETWORK, network)]


def taken_ranges(view: View, network: str) -> list[str]:
    """Every range in use in a network: of its subnetworks, its clusters, and those kept for Google's services.

    A cluster uses ranges for pods, Services and its control plane.
    """
    bodies = [body for _, body in subnetworks_of(view, network)]
    secondary = [part["ipCidrRange"] for body in bodies for part in body["secondaryIpRanges"]]
    automatic = list(locations.automatic_ranges().values()) if short_name(network) == DEFAULT_NETWORK else []
    clusters = [body for _, body in view.list(Kind.CLUSTER) if body["networkConfig"]["network"] == network]
    of_clusters = [body[field] for body in clusters for field in ("clusterIpv4Cidr", "servicesIpv4Cidr")]
    of_control_planes = [at(body, "privateClusterConfig.masterIpv4CidrBlock") for body in clusters]
    addresses = [
        body for _, body in view.list(Kind.GLOBAL_ADDRESS) if body["network"] == self_link(Kind.NETWORK, network)
    ]
    kept = [f"{body['address']}/{body['prefixLength']}" for body in addresses]
    used = [*of_clusters, *filter(None, of_control_planes), *kept]
    return [body["ipCidrRange"] for body in bodies] + secondary + automatic + used


class Networks(ComputeService):
    """VPC networks."""

    kind: ClassVar[Kind] = Kind.NETWORK
    mutable: ClassVar[frozenset[str]] = frozenset(("routingConfig", "mtu", "networkFirewallPolicyEnforcementOrder"))

    def admit_create(self, request: Request) -> Body:
        """A network; an auto mode one brings its subnetworks."""
        parts = parts_of(Kind.NETWORK, request.name)
        check_compute_name(parts["name"])
        if parts["name"] == DEFAULT_NETWORK:
            raise refusal("ALREADY_EXISTS", self.already_exists(request.name))
        document = _network(request.name, request.body)
        if document["autoCreateSubnetworks"]:
            for region, cidr in locations.automatic_ranges().items():
                subnetwork = api_name(Kind.SUBNETWORK, project=parts["project"], region=region, name=parts["name"])
                details = {"network": document["selfLink"], "ipCidrRange": cidr}
                request.changes.put(Kind.SUBNETWORK, subnetwork, _subnetwork(subnetwork, details))
        return document

    def admit_delete(self, request: Request) -> Body:
        """Refused while anything but its own automatic subnetworks is in it."""
        subnetworks = dict(subnetworks_of(request.changes, request.name))
        link, brings_own = request.current["selfLink"], request.current["autoCreateSubnetworks"]
        users = [
            user
            for kind in _IN_NETWORKS
            for user, body in request.changes.list(kind)
            if _uses(kind, body, link) and not (brings_own and user in subnetworks)
        ]
        if users:
            raise in_use("network", request.name, users[0])
        for subnetwork in subnetworks:
            request.changes.remove(subnetwork)
        return request.current


def _uses(kind: Kind, body: Body, network_link: str) -> bool:
    match kind:
        case Kind.CLUSTER:
            return network_link.endswith(body["networkConfig"]["network"])
        case Kind.FILESTORE:
            return any(network_link.endswith(part["network"]) for part in body["networks"])
        case Kind.LUSTRE | Kind.CONNECTION:
            return network_link.endswith(body["network"])
        case _:
            return body["network"] == network_link


class Subnetworks(ComputeService):
    """Subnetworks of VPC networks."""

    kind: ClassVar[Kind] = Kind.SUBNETWORK
    mutable: ClassVar[frozenset[str]] = frozenset(
        ("ipCidrRange", "secondaryIpRanges", "privateIpGoogleAccess", "logConfig", "stackType")
    )

    def admit_create(self, request: Request) -> Body:
        """Refused when the network is not there or an address is taken already."""
        parts = parts_of(Kind.SUBNETWORK, request.name)
        check_compute_name(parts["name"])
        locations.check_location(parts["region"])
        network, _ = find_network(request.changes, request.body["network"], parts["project"])
        document = _subnetwork(request.name, request.body | {"network": self_link(Kind.NETWORK, network)})
        _check_ranges(request.changes, request.name, network, document)
        return document

    def admit_update(self, request: Request) -> Body:
        """Ranges may be added and the primary one widened."""
        document = merged(request.current, request.body)
        primary = ranges.network(document["ipCidrRange"], "resource.ipCidrRange")
        if not primary.supernet_of(ranges.network(request.current["ipCidrRange"], "resource.ipCidrRange")):
            raise invalid_value(
                "resource.ipCidrRange",
                primary,
                f"New range must contain the current one, {request.current['ipCidrRange']}.",
            )
        network = from_reference(Kind.NETWORK, document["network"])
        _check_ranges(request.changes, request.name, network, document)
        return document

    def admit_delete(self, request: Request) -> Body:
        """Refused while a cluster has its nodes in it."""
        for cluster, body in request.changes.list(Kind.CLUSTER):
            if body["networkConfig"]["subnetwork"] == request.name:
                raise in_use("subnetwork", request.name, cluster)
        return request.current


def _network(name: str, body: Body) -> Body:
    return {
        "autoCreateSubnetworks": True,
        "mtu": 1460,
        "networkFirewallPolicyEnforcementOrder": "AFTER_CLASSIC_FIREWALL",
        "routingConfig": {"routingMode": "REGIONAL"},
        **body,
        "name": short_name(name),
        "id": numeric_id(name),
        "selfLink": self_link(Kind.NETWORK, name),
    }


def _subnetwork(name: str, body: Body) -> Body:
    cidr = ranges.network(body["ipCidrRange"], "resource.ipCidrRange")
    return {
        "secondaryIpRanges": [],
        "privateIpGoogleAccess": False,
        "purpose": "PRIVATE",
        "stackType": "IPV4_ONLY",
        **body,
        "name": short_name(name),
        "id": numeric_id(name),
        "gatewayAddress": ranges.gateway(str(cidr)),
        "selfLink": self_link(Kind.SUBNETWORK, name),
    }


def _check_ranges(view: View, name: str, network: str, document: Body) -> None:
    seen: dict[str, str] = {}
    for index, part in enumerate(document["secondaryIpRanges"]):
        field = f"resource.secondaryIpRanges[{index}]"
        ranges.network(part["ipCidrRange"], f"{field}.ipCidrRange")
        if part["rangeName"] in seen:
            raise invalid_value(
                f"{field}.rangeName", part["rangeName"], "Range names must be unique within a subnetwork."
            )
        seen[part["rangeName"]] = part["ipCidrRange"]
    own = [document["ipCidrRange"], *seen.values()]
    others = [(other, body) for other, body in subnetworks_of(view, network) if other != name]
    for index, cidr in enumerate(own):
        if any(ranges.overlap(cidr, earlier) for earlier in own[:index]):
            raise invalid(
                f"Invalid IPCidrRange: {cidr} conflicts with itself or another range "
                f"of subnetwork '{short_name(name)}'."
            )
        for other, body in others:
            theirs = [body["ipCidrRange"], *(part["ipCidrRange"] for part in body["secondaryIpRanges"])]
            if any(ranges.overlap(cidr, taken) for taken in theirs):
                region = parts_of(Kind.SUBNETWORK, other)["region"]
                raise invalid(
                    f"Invalid IPCidrRange: {cidr} conflicts with existing subnetwork "
                    f"'{short_name(other)}' in region '{region}'."
                )
