"""Every resource type that the stand-in has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simulator.providers.gcp import cluster, compute, identity, node_pool, stored

if TYPE_CHECKING:
    from simulator.providers.gcp.resource import Resource

TYPES: Final[tuple[Resource, ...]] = (
    cluster.Cluster(),
    node_pool.NodePool(),
    compute.Network(),
    compute.Subnetwork(),
    compute.Router(),
    compute.RouterNat(),
    compute.Firewall(),
    compute.ResourcePolicy(),
    identity.Account(),
    identity.ProjectMember(),
    identity.ServiceAccountMember(),
    identity.BucketMember(),
    identity.SecretMember(),
    identity.Service(),
    stored.Filestore(),
    stored.Bucket(),
    stored.Lustre(),
    stored.Disk(),
    stored.GlobalAddress(),
    stored.Connection(),
    stored.Secret(),
)
