"""The resources of Compute Engine; a NAT gateway is an entry in its router's document."""

from __future__ import annotations

import threading
from collections import defaultdict
from typing import TYPE_CHECKING, Any, ClassVar

from simulator.cloud.api import Body, CloudApi, Kind, passing_over, refusal
from simulator.cloud.names import api_name
from simulator.providers.gcp.resource import Observed, Resource, Update, name_in, text

if TYPE_CHECKING:
    from simulator.providers.gcp.calls import Calls
    from simulator.providers.gcp.settings import Settings
    from simulator.providers.values import Properties


class Network(Resource):
    """VPC networks."""

    type_name = "gcp:compute/network:Network"
    kind = Kind.NETWORK

    def computed(self, seen: Observed) -> Properties:
        """The number, too."""
        return {**super().computed(seen), "gatewayIpv4": "", "networkId": str(seen.body["id"])}


class Subnetwork(Resource):
    """Subnetworks."""

    type_name = "gcp:compute/subnetwork:Subnetwork"
    kind = Kind.SUBNETWORK

    def computed(self, seen: Observed) -> Properties:
        """The number, too."""
        number = int(seen.body["id"]) % 10**15
        return {"creationTimestamp": "", **super().computed(seen), "subnetworkId": number}


class Router(Resource):
    """Cloud Routers."""

    type_name = "gcp:compute/router:Router"
    kind = Kind.ROUTER


class Firewall(Resource):
    """Firewall rules."""

    type_name = "gcp:compute/firewall:Firewall"
    kind = Kind.FIREWALL


class ResourcePolicy(Resource):
    """Resource policies."""

    type_name = "gcp:compute/resourcePolicy:ResourcePolicy"
    kind = Kind.RESOURCE_POLICY


class RouterNat(Resource):
    """NAT gateways. Two of one router are changed one after the other, because each change sends the whole list."""

    type_name = "gcp:compute/routerNat:RouterNat"
    kind = Kind.ROUTER
    id_form = "projects/{project}/regions/{region}/routers/{router}/{name}"
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
