"""What every node of the platform has in common, whatever it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pulumi_gcp.container import NodePoolManagementArgsDict, NodePoolNodeConfigArgsDict

    from components.model.plan import NodeIdentityPlan

MANAGEMENT: NodePoolManagementArgsDict = {"auto_repair": True, "auto_upgrade": True}
"""A release channel demands both."""


def node_config(identity: NodeIdentityPlan, machine_type: str) -> NodePoolNodeConfigArgsDict:
    """A node that runs as the platform's service account and hides that account from its pods."""
    return {
        "machine_type": machine_type,
        "service_account": identity.email,
        "oauth_scopes": list(identity.scopes),
        "workload_metadata_config": {"mode": "GKE_METADATA"},
    }
