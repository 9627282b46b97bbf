"""The resources around a subnetwork: routers with their NAT gateways, firewall rules, and resource policies.

They are checked and stored; nothing here carries traffic. A workload policy of a region is what a TPU7x node pool
names.

Source of the texts: answers of the Compute Engine API as quoted in public issue reports, read 2026-11, except the
sentences of workload policies, which are ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from components.model.facts.tpu import parse_topology
from simulator.cloud import locations, ranges
from simulator.cloud.api import Body, Kind, invalid, invalid_value
from simulator.cloud.names import from_reference, parts_of, self_link, short_name
from simulator.cloud.networks import find_network, find_subnetwork, numeric_id
from simulator.cloud.service import ComputeService, Request, at, check_compute_name, in_use, merged

if TYPE_CHECKING:
    from simulator.cloud.store import View

_MATCHES: Final = frozenset(
    f"{side}{what}" for side in ("source", "target") for what in ("Tags", "ServiceAccounts")
) | {"allowed", "denied", "sourceRanges", "destinationRanges"}
"""The fields of a firewall rule that say what it applies to."""
_WORKLOAD_POLICY_TYPES: Final = ("HIGH_AVAILABILITY", "HIGH_THROUGHPUT")


class Routers(ComputeService):
    """Cloud Routers; a NAT gateway is an entry in the router's `nats`."""

    kind: ClassVar[Kind] = Kind.ROUTER
    mutable: ClassVar[frozenset[str]] = frozenset(("nats", "bgp", "description"))

    def admit_create(self, request: Request) -> Body:
        """Refused when the network is not there."""
        parts = parts_of(Kind.ROUTER, request.name)
        check_compute_name(parts["name"])
        locations.check_location(parts["region"])
        network, _ = find_network(request.changes, request.body["network"], parts["project"])
        document: Body = {
            "nats": [],
            **request.body,
            "name": parts["name"],
            "network": self_link(Kind.NETWORK, network),
            "creationTimestamp": self.now(),
            "selfLink": self_link(Kind.ROUTER, request.name),
        }
        _check_nats(request.changes, request.name, document)
        return document

    def admit_update(self, request: Request) -> Body:
        """NAT gateways come and go by updates of their router."""
        document = merged(request.current, request.body)
        _check_nats(request.changes, request.name, document)
        return document


def _check_nats(view: View, router: str, document: Body) -> None:
    parts = parts_of(Kind.ROUTER, router)
    names = [nat["name"] for nat in document["nats"]]
    for index, nat in enumerate(document["nats"]):
        check_compute_name(nat["name"])
        if nat["name"] in names[:index]:
            raise invalid_value(f"resource.nats[{index}].name", nat["name"], "NAT name must be unique within a router.")
        for subnetwork in nat.get("subnetworks", []):
            find_subnetwork(view, subnetwork["name"], parts["project"], parts["region"])


class Firewalls(ComputeService):
    """Firewall rules of VPC networks."""

    kind: ClassVar[Kind] = Kind.FIREWALL
    mutable: ClassVar[frozenset[str]] = frozenset(("description", "disabled", "logConfig", "priority")) | _MATCHES

    def admit_create(self, request: Request) -> Body:
        """Refused when the network is not there or the rule allows and denies nothing."""
        parts = parts_of(Kind.FIREWALL, request.name)
        check_compute_name(parts["name"])
        network, _ = find_network(request.changes, request.body["network"], parts["project"])
        document = {
            "direction": "INGRESS",
            "priority": 1000,
            "disabled": False,
            **request.body,
            "name": parts["name"],
            "network": self_link(Kind.NETWORK, network),
            "creationTimestamp": self.now(),
            "selfLink": self_link(Kind.FIREWALL, request.name),
        }
        _check_firewall(document)
        return document

    def admit_update(self, request: Request) -> Body:
        """Checked like a new rule."""
        document = merged(request.current, request.body)
        _check_firewall(document)
        return document


def _check_firewall(document: Body) -> None:
    if bool(document.get("allowed")) == bool(document.get("denied")):
        raise invalid("Invalid value for field 'resource': exactly one of allowed and denied must be specified.")
    for field in ("sourceRanges", "destinationRanges"):
        for cidr in document.get(field, []):
            ranges.network(cidr, f"resource.{field}")


class ResourcePolicies(ComputeService):
    """Resource policies of a region; only workload policies mean something to node pools."""

    kind: ClassVar[Kind] = Kind.RESOURCE_POLICY
    mutable: ClassVar[frozenset[str]] = frozenset(("description",))

    def admit_create(self, request: Request) -> Body:
        """Refused when its workload policy is invalid."""
        parts = parts_of(Kind.RESOURCE_POLICY, request.name)
        check_compute_name(parts["name"])
        locations.check_location(parts["region"])
        policy = request.body.get("workloadPolicy")
        if policy is not None:
            _check_workload_policy(policy)
        return {
            **request.body,
            "name": parts["name"],
            "id": numeric_id(request.name),
            "region": parts["region"],
            "selfLink": self_link(Kind.RESOURCE_POLICY, request.name),
            "status": "READY",
        }

    def admit_delete(self, request: Request) -> Body:
        """Refused while a node pool names it."""
        parts = parts_of(Kind.RESOURCE_POLICY, request.name)
        for pool, body in request.changes.list(Kind.NODE_POOL, f"projects/{parts['project']}/"):
            region = locations.region_of(parts_of(Kind.NODE_POOL, pool)["location"])
            if at(body, "placementPolicy.policyName") == short_name(request.name) and region == parts["region"]:
                raise in_use("resource_policy", request.name, pool)
        return request.current


def _check_workload_policy(policy: Body) -> None:
    field = "resource.workloadPolicy"
    if policy.get("type") not in _WORKLOAD_POLICY_TYPES:
        raise invalid_value(
            f"{field}.type", policy.get("type"), f"Must be one of [{', '.join(_WORKLOAD_POLICY_TYPES)}]"
        )
    topology = policy.get("acceleratorTopology")
    if topology is not None:
        try:
            parse_topology(topology)
        except ValueError as error:
            raise invalid(f"Invalid value for field '{field}.acceleratorTopology': {error}") from None


def find_policy(view: View, reference: str, project: str, region: str) -> Body | None:
    """The resource policy that a node pool names, or None when there is none in that project and region."""
    return view.get(from_reference(Kind.RESOURCE_POLICY, reference, project=project, region=region))
