"""Platform: the whole of one environment, in the order of creation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pulumi

from components.cluster import Cluster
from components.controllers import Controllers
from components.identities import Identities
from components.namespaces import Namespaces
from components.network import Network
from components.node_pools import ComputeClasses, NodePools, TpuSlices
from components.outputs import Addresses, outputs_of
from components.queues import Priorities, Queues
from components.services import Services
from components.storage import Buckets, Checkpoints, Disks, Lustre, SharedStorage
from components.workloads import Workloads

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.model.plan import Plan


class Platform(pulumi.ComponentResource):
    """A TPU platform on GKE: everything in a sound plan."""

    outputs: Mapping[str, Any]
    """The outputs that other stacks may build on, in the form of `platform_outputs.contract`."""

    def __init__(self, name: str, plan: Plan, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("tpu-platform:platform:Platform", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        services = Services("services", plan.services, project=plan.project, opts=child)
        network = Network(
            "network", plan.network, cluster=plan.cluster, project=plan.project, after=[services], opts=child
        )
        cluster = Cluster("cluster", plan.cluster, project=plan.project, network=network, after=[services], opts=child)
        pools = NodePools("node-pools", plan.node_pools, cluster=cluster, opts=child)
        slices = TpuSlices("tpu-slices", plan.slice_pools, policies=plan.workload_policies, cluster=cluster, opts=child)
        buckets = Buckets("buckets", plan.buckets, services=services, cluster=cluster, opts=child)

        inside = pulumi.ResourceOptions(parent=self, providers={"kubernetes": cluster.provider})
        namespaces = Namespaces("namespaces", plan.namespaces, cluster=cluster, opts=inside)
        stores = _stores(plan, cluster, network, namespaces, services, buckets, inside)
        classes = _classes(plan, cluster, [pools, slices], inside)
        controllers = Controllers(
            "controllers", plan.controllers, cluster=cluster, network=network, nodes=pools, opts=inside
        )
        kueue = None if controllers.kueue is None else [controllers.kueue]
        priorities = Priorities("priorities", plan.priorities, cluster=cluster, kueue=kueue, opts=inside)
        queues = Queues("queues", plan, cluster=cluster, kueue=kueue, namespaces=namespaces, opts=inside)
        identities = _identities(plan, cluster, namespaces, services, inside)
        Workloads(
            "workloads",
            plan.workloads,
            cluster=cluster,
            namespaces=namespaces,
            after=[slices, controllers, priorities, queues, *stores.made, *classes, *identities],
            has_any_order=plan.has_any_order,
            opts=inside,
        )

        self.outputs = outputs_of(plan, cluster.kubeconfig, stores.addresses)
        self.register_outputs(dict(self.outputs))


class _Stores(NamedTuple):
    """The storage that pods mount."""

    made: list[pulumi.Resource]
    addresses: Addresses


def _stores(
    plan: Plan,
    cluster: Cluster,
    network: Network,
    namespaces: Namespaces,
    services: Services,
    buckets: Buckets,
    opts: pulumi.ResourceOptions,
) -> _Stores:
    """Declares what pods mount beside buckets: shares, and the other kinds that are in use."""
    storage = SharedStorage(
        "shared-storage",
        plan.shared_storage,
        cluster=cluster,
        network=network,
        namespaces=namespaces,
        after=[services],
        opts=opts,
    )
    stores = _Stores(made=[storage, buckets], addresses=Addresses(shares=storage.addresses, lustre={}))
    if plan.lustre:
        lustre = Lustre(
            "lustre",
            plan.lustre,
            cluster=cluster,
            network=network,
            namespaces=namespaces,
            after=[services],
            opts=opts,
        )
        stores = _Stores(made=[*stores.made, lustre], addresses=stores.addresses._replace(lustre=lustre.addresses))
    if plan.disks:
        stores.made.append(
            Disks("disks", plan.disks, cluster=cluster, namespaces=namespaces, after=[services], opts=opts)
        )
    if plan.cluster.checkpoints is not None:
        stores.made.append(
            Checkpoints("checkpoints", plan.cluster.checkpoints, cluster=cluster, after=[buckets], opts=opts)
        )
    return stores


def _identities(
    plan: Plan, cluster: Cluster, namespaces: Namespaces, services: Services, opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """Whom workloads run as; nothing where no plan states it."""
    if not plan.has_identities:
        return []
    return [Identities("identities", plan, cluster=cluster, namespaces=namespaces, services=services, opts=opts)]


def _classes(
    plan: Plan, cluster: Cluster, pools: Sequence[pulumi.Resource], opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """The ComputeClasses, which name some of the pools; nothing where there are none."""
    if not plan.compute_classes:
        return []
    return [ComputeClasses("compute-classes", plan.compute_classes, cluster=cluster, after=pools, opts=opts)]
