"""`gcp:container/cluster:Cluster`: the provider's own steps beyond the API's calls.

It protects clusters from deletion (the API has no such setting), and it removes the default pool right after it made
the cluster when the program wants only pools of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.model.facts.gke import CLUSTER_NAME_LENGTH
from simulator.cloud.api import Body, Kind, passing_over
from simulator.cloud.pools import DEFAULT_POOL
from simulator.providers.base import ProviderError
from simulator.providers.gcp.resource import Observed, Resource, Update

if TYPE_CHECKING:
    from simulator.providers.gcp.calls import Calls
    from simulator.providers.gcp.settings import Settings
    from simulator.providers.values import Properties


class Cluster(Resource):
    """GKE clusters."""

    type_name = "gcp:container/cluster:Cluster"
    kind = Kind.CLUSTER
    name_limit = CLUSTER_NAME_LENGTH

    def known(self, settings: Settings, properties: Properties) -> Properties:
        """Where it is, and the one networking mode that is modelled."""
        return {**super().known(settings, properties), "networkingMode": "VPC_NATIVE"}

    def body(self, settings: Settings, properties: Properties) -> Body:
        """The API reads network and subnetwork from other fields than it shows; so it does for requested versions."""
        document = super().body(settings, properties)
        document.pop("currentNodeVersion", None)
        places: Body = document.setdefault("networkConfig", {})
        for name in ("network", "subnetwork"):
            if name in places:
                document[name] = places.pop(name)
        return document

    def create(self, calls: Calls, name: str, inputs: Properties) -> None:
        """Make the cluster, then remove the default pool when it is not wanted."""
        body = self.body(calls.settings, inputs)
        if inputs.get("minMasterVersion"):
            body["initialClusterVersion"] = inputs["minMasterVersion"]
        calls.change("creating GKE cluster", name, lambda: calls.cloud.create(self.kind, name, body))
        if inputs.get("removeDefaultNodePool"):
            _remove_default_pool(calls, name)

    def update(self, calls: Calls, change: Update) -> None:
        """Settings first, then the version."""
        super().update(calls, change)
        name, outputs, planned = change.name, change.outputs, change.planned
        version = planned.get("minMasterVersion")
        if version and version != outputs.get("minMasterVersion"):
            wanted = {"desiredMasterVersion": version}
            calls.change("updating GKE master version", name, lambda: calls.cloud.update(name, wanted))
        if planned.get("removeDefaultNodePool") and not outputs.get("removeDefaultNodePool"):
            _remove_default_pool(calls, name)

    def delete(self, calls: Calls, name: str, outputs: Properties) -> None:
        """Refused while the program protects the cluster."""
        if outputs.get("deletionProtection"):
            raise ProviderError(
                "Cannot destroy cluster because deletion_protection is set to true. "
                "Set it to false to proceed with cluster deletion."
            )
        super().delete(calls, name, outputs)

    def computed(self, seen: Observed) -> Properties:
        """The version that GKE chose, too."""
        known = {"endpoint": "", "operation": "", "tpuIpv4CidrBlock": ""}
        return {**known, **super().computed(seen), "masterVersion": seen.body["currentMasterVersion"]}


def _remove_default_pool(calls: Calls, cluster: str) -> None:
    pool = f"{cluster}/nodePools/{DEFAULT_POOL}"
    with passing_over("NOT_FOUND"):
        calls.change("removing default node pool", pool, lambda: calls.cloud.delete(pool))
