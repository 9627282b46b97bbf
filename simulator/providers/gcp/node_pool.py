"""`gcp:container/nodePool:NodePool`: the size of a pool is the size of its instance groups, whatever was requested."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from components.model.facts.gke import NODE_POOL_NAME_LENGTH
from simulator.cloud.api import Body, Kind
from simulator.cloud.names import from_reference
from simulator.providers.base import Change, ProviderError
from simulator.providers.bridged.translation import merge_patch
from simulator.providers.gcp.resource import Observed, Resource, Update, name_in, text

if TYPE_CHECKING:
    from simulator.providers.gcp.calls import Calls
    from simulator.providers.gcp.settings import Settings
    from simulator.providers.values import Properties

_CLUSTER = re.compile(r"projects/(?P<project>[^/]+)/locations/(?P<location>[^/]+)/clusters/(?P<cluster>[^/]+)")


class NodePool(Resource):
    """Node pools."""

    type_name = "gcp:container/nodePool:NodePool"
    kind = Kind.NODE_POOL
    name_limit = NODE_POOL_NAME_LENGTH
    cannot_change = frozenset(("placementPolicy",))

    def place(self, settings: Settings, properties: Properties) -> dict[str, str]:
        """A cluster given by its full name says where the pool is."""
        cluster = properties.get("cluster")
        full = _CLUSTER.fullmatch(cluster) if isinstance(cluster, str) else None
        if full is None:
            return super().place(settings, properties)
        return {"project": full["project"], "location": full["location"]}

    def name_parts(self, settings: Settings, properties: Properties) -> dict[str, str]:
        """Place, cluster and name."""
        return super().name_parts(settings, properties) | {"cluster": name_in(properties, "cluster")}

    def body(self, settings: Settings, properties: Properties) -> Body:
        """The number of machines that a pool starts with, from either count."""
        document = super().body(settings, properties)
        size = properties.get("initialNodeCount") or properties.get("nodeCount")
        return document | {"initialNodeCount": size or 0}

    def create(self, calls: Calls, name: str, inputs: Properties) -> None:
        """Refused with both counts, as the real provider does when it is about to create."""
        if inputs.get("initialNodeCount") and inputs.get("nodeCount"):
            raise ProviderError(
                f"Cannot set both initial_node_count and node_count on node pool {text(inputs, 'name')}"
            )
        super().create(calls, name, inputs)

    def update(self, calls: Calls, change: Update) -> None:
        """Settings by one call, the size by another."""
        name, size = change.name, change.planned.get("nodeCount")
        before, after = self.body(calls.settings, change.outputs), self.body(calls.settings, change.planned)
        patch = merge_patch(before, {**after, "initialNodeCount": before["initialNodeCount"]})
        if patch:
            calls.change("updating NodePool", name, lambda: calls.cloud.update(name, patch))
        if size is not None and size != change.outputs.get("nodeCount"):
            calls.change("resizing NodePool", name, lambda: calls.cloud.update(name, {"nodeCount": size}))

    def adjust(self, changes: dict[str, Change], inputs: Properties) -> dict[str, Change]:
        """Sizes that drifted are ignored when the program says so."""
        if inputs.get("ignoreNodeCountChanges"):
            return {path: change for path, change in changes.items() if path != "nodeCount"}
        return changes

    def computed(self, seen: Observed) -> Properties:
        """Instance groups and their size, per zone as everywhere in the provider."""
        urls: list[str] = seen.body["instanceGroupUrls"]
        sizes = [seen.cloud.get(from_reference(Kind.INSTANCE_GROUP, url))["targetSize"] for url in urls]
        return {
            "instanceGroupUrls": [url.replace("/instanceGroupManagers/", "/instanceGroups/") for url in urls],
            "managedInstanceGroupUrls": list[Any](urls),
            "nodeCount": sum(sizes) // len(sizes) if sizes else 0,
            "operation": "",
        }

    def outputs(self, calls: Calls, name: str, body: Body, prior: Properties) -> Properties:
        """The API lists every taint of the nodes: `effectiveTaints` has them all, `taints` the program's own."""
        found = super().outputs(calls, name, body, prior)
        before = cast("dict[str, Any]", prior.get("nodeConfig") or {})
        own = [taint["key"] for taint in before.get("taints", [])]
        config = cast("dict[str, Any]", found["nodeConfig"])
        every: list[Any] = body["config"]["taints"]
        config["effectiveTaints"] = every
        config["taints"] = [taint for taint in every if taint["key"] in own]
        if not config["taints"]:
            del config["taints"]
        return found
