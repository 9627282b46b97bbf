"""The resources of Compute Engine; a NAT gateway is an entry in its router's document."""

from __future__ import annotations

import threading
from collections import defaultdict
from typing import TYPE_CHECKING, Any, ClassVar, Final

from simulator.cloud.api import Kind, passing_over, refusal
from simulator.cloud.names import api_name
from simulator.providers.gcp.resource import Observed, Resource, Update, name_in, text, usual_ids
from simulator.providers.gcp.tables import compute as tables

if TYPE_CHECKING:
    from simulator.cloud.api import Body, CloudApi
    from simulator.providers.bridged.fields import Fields
    from simulator.providers.gcp.calls import Calls
    from simulator.providers.gcp.settings import Settings
    from simulator.providers.values import Properties


_REGIONAL: Final = ("project", "region")


class Network(Resource):
    """VPC networks."""

    type_name: ClassVar[str] = "gcp:compute/network:Network"
    kind: ClassVar[Kind] = Kind.NETWORK
    fields: ClassVar[Fields] = tables.NETWORK
    ids: ClassVar[tuple[str, ...]] = usual_ids("projects/{project}/global/networks/{name}")

    def computed(self, seen: Observed) -> Properties:
        """Address and number."""
        return {"selfLink": seen.body["selfLink"], "gatewayIpv4": "", "networkId": str(seen.body["id"])}


class Subnetwork(Resource):
    """Subnetworks."""

    type_name: ClassVar[str] = "gcp:compute/subnetwork:Subnetwork"
    places: ClassVar[tuple[str, ...]] = _REGIONAL
    kind: ClassVar[Kind] = Kind.SUBNETWORK
    fields: ClassVar[Fields] = tables.SUBNETWORK
    ids: ClassVar[tuple[str, ...]] = usual_ids("projects/{project}/regions/{region}/subnetworks/{name}")

    def computed(self, seen: Observed) -> Properties:
        """Addresses and number."""
        return {
            "selfLink": seen.body["selfLink"],
            "gatewayAddress": seen.body["gatewayAddress"],
            "subnetworkId": int(seen.body["id"]) % 10**15,
            "creationTimestamp": seen.body.get("creationTimestamp", ""),
        }


class Router(Resource):
    """Cloud Routers."""

    type_name: ClassVar[str] = "gcp:compute/router:Router"
    places: ClassVar[tuple[str, ...]] = _REGIONAL
    kind: ClassVar[Kind] = Kind.ROUTER
    fields: ClassVar[Fields] = tables.ROUTER
    ids: ClassVar[tuple[str, ...]] = usual_ids("projects/{project}/regions/{region}/routers/{name}")


class Firewall(Resource):
    """Firewall rules."""

    type_name: ClassVar[str] = "gcp:compute/firewall:Firewall"
    kind: ClassVar[Kind] = Kind.FIREWALL
    fields: ClassVar[Fields] = tables.FIREWALL
    ids: ClassVar[tuple[str, ...]] = usual_ids("projects/{project}/global/firewalls/{name}")


class ResourcePolicy(Resource):
    """Resource policies."""

    type_name: ClassVar[str] = "gcp:compute/resourcePolicy:ResourcePolicy"
    places: ClassVar[tuple[str, ...]] = _REGIONAL
    kind: ClassVar[Kind] = Kind.RESOURCE_POLICY
    fields: ClassVar[Fields] = tables.RESOURCE_POLICY
    ids: ClassVar[tuple[str, ...]] = usual_ids("projects/{project}/regions/{region}/resourcePolicies/{name}")


class RouterNat(Resource):
    """NAT gateways. Two of one router are changed one after the other, because each change sends the whole list."""

    type_name: ClassVar[str] = "gcp:compute/routerNat:RouterNat"
    places: ClassVar[tuple[str, ...]] = _REGIONAL
    kind: ClassVar[Kind] = Kind.ROUTER
    fields: ClassVar[Fields] = tables.ROUTER_NAT
    ids: ClassVar[tuple[str, ...]] = usual_ids("projects/{project}/regions/{region}/routers/{router}/{name}", least=2)
    _locks: ClassVar[defaultdict[str, threading.Lock]] = defaultdict(threading.Lock)

    def name_parts(self, settings: Settings, properties: Properties) -> dict[str, str]:
        """The name parts of the router."""
        return self.place(settings, properties) | {"name": name_in(properties, "router")}

    def api_name(self, settings: Settings, properties: Properties) -> str:
        """The router's API name and the gateway's, joined; there is no such name in the API."""
        return f"{api_name(self.kind, **self.name_parts(settings, properties))}/{text(properties, 'name')}"

    def id_of(self, name: str) -> str:
        """`project/region/router/name`."""
        _, project, _, region, _, router, nat = name.split("/")
        return f"{project}/{region}/{router}/{nat}"

    def imported(self, name: str) -> Properties:
        """Everything in the id."""
        _, project, _, region, _, router, nat = name.split("/")
        return {"project": project, "region": region, "router": router, "name": nat}

    def get(self, cloud: CloudApi, name: str) -> Body | None:
        """The gateway's entry in its router."""
        router, nat = name.rsplit("/", 1)
        found = super().get(cloud, router)
        return next((entry for entry in (found or {}).get("nats", []) if entry["name"] == nat), None)

    def create(self, calls: Calls, name: str, inputs: Properties) -> None:
        """Add the entry."""
        if self.get(calls.cloud, name) is not None:
            raise refusal("ALREADY_EXISTS", f"The resource '{name}' already exists")
        self._rewrite(calls, name, [self.body(calls.settings, inputs)])

    def update(self, calls: Calls, change: Update) -> None:
        """Replace the entry."""
        self._rewrite(calls, change.name, [self.body(calls.settings, change.planned)])

    def delete(self, calls: Calls, name: str, outputs: Properties) -> None:  # noqa: ARG002  nothing protects it
        """Remove the entry; nothing is left to do when the router is gone."""
        with passing_over("NOT_FOUND"):
            self._rewrite(calls, name, [])

    def _rewrite(self, calls: Calls, name: str, entries: list[Any]) -> None:
        router, nat = name.rsplit("/", 1)
        with self._locks[router]:
            others = [entry for entry in calls.cloud.get(router)["nats"] if entry["name"] != nat]
            change = {"nats": [*others, *entries]}
            calls.change("changing RouterNat", router, lambda: calls.cloud.update(router, change))
