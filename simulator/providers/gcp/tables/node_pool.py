"""`gcp:container/nodePool:NodePool`."""

from __future__ import annotations

from typing import Final

from simulator.providers.bridged.fields import INT64, Compare, Field, Fields
from simulator.providers.gcp.tables.common import DELETION_POLICY, PROJECT
from simulator.providers.gcp.tables.node_config import NODE_CONFIG

_BLUE_GREEN: Final[Fields] = {
    "nodePoolSoakDuration": Field(server=True),
    "standardRolloutPolicy": Field(
        fields={
            "batchPercentage": Field(server=True),
            "batchNodeCount": Field(server=True),
            "batchSoakDuration": Field(server=True),
        }
    ),
}

NODE_POOL: Final[Fields] = {
    "autoscaling": Field(
        constant={"enabled": True},
        fields={
            "locationPolicy": Field(server=True, choices=("BALANCED", "ANY")),
            "maxNodeCount": Field(),
            "minNodeCount": Field(),
            "totalMaxNodeCount": Field(),
            "totalMinNodeCount": Field(),
        },
    ),
    "cluster": Field(local=True),
    "deletionPolicy": DELETION_POLICY,
    "ignoreNodeCountChanges": Field(local=True),
    "initialNodeCount": Field(server=True),
    "location": Field(local=True, server=True),
    "management": Field(server=True, fields={"autoRepair": Field(default=True), "autoUpgrade": Field(default=True)}),
    "maxPodsPerNode": Field(at="maxPodsConstraint.maxPodsPerNode", codec=INT64, server=True),
    "name": Field(server=True),
    "networkConfig": Field(
        server=True,
        fields={
            "enablePrivateNodes": Field(server=True),
            "podIpv4CidrBlock": Field(server=True),
            "podRange": Field(server=True),
            "subnetwork": Field(server=True),
        },
    ),
    "nodeConfig": Field(at="config", server=True, fields=NODE_CONFIG),
    "nodeCount": Field(local=True, server=True),
    "nodeLocations": Field(at="locations", server=True, compare=Compare.SET),
    "placementPolicy": Field(fields={"policyName": Field(), "tpuTopology": Field(), "type": Field()}),
    "project": PROJECT,
    "queuedProvisioning": Field(fields={"enabled": Field()}),
    "upgradeSettings": Field(
        server=True,
        fields={
            "blueGreenSettings": Field(server=True, fields=_BLUE_GREEN),
            "maxSurge": Field(server=True),
            "maxUnavailable": Field(server=True),
            "strategy": Field(default="SURGE", choices=("SURGE", "BLUE_GREEN")),
        },
    ),
    "version": Field(server=True),
}
