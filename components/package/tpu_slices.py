"""TpuSlices of the package: slices that are added to an existing cluster."""

from typing import Any

import pulumi

from components import node_pools
from components.package.access import given_cluster
from components.package.inputs import SliceGroup
from components.package.planning import NAME, Part, planned


class TpuSlices(pulumi.ComponentResource):
    """TPU slices in an existing GKE cluster: a node pool for each slice of several hosts, or one for all of one host.

    The component checks machine types, topologies, zones and capacity types before it makes anything.
    """

    groups: list[SliceGroup]
    """The slices as they were stated, for the input `slices` of Queues."""
    pool_names: list[str]
    """Names of the node pools."""
    chips: dict[str, int]
    """Chips by group, at most."""
    node_selectors: dict[str, dict[str, str]]
    """Node labels by group, for the node selectors of pods."""

    def __init__(self, name: str, args: dict[str, Any], opts: pulumi.ResourceOptions | None = None) -> None:
        """Declares the node pools.

        Raises:
            RefusedError: the inputs break a rule; nothing is declared.
        """
        plan = planned(name, _part(args))
        super().__init__(f"{NAME}:index:TpuSlices", name, None, opts)
        node_pools.TpuSlices(
            name,
            plan.slice_pools,
            policies=plan.workload_policies,
            cluster=given_cluster(plan, opts),
            opts=pulumi.ResourceOptions(parent=self),
        )
        pools = {
            group["name"]: [pool for pool in plan.slice_pools if pool.place.keys[-1] == index]
            for index, group in enumerate(args["groups"])
        }
        self.groups = args["groups"]
        self.pool_names = [pool.name for pool in plan.slice_pools]
        self.chips = {name: sum(pool.chips for pool in found) for name, found in pools.items()}
        self.node_selectors = {name: dict(found[0].labels) for name, found in pools.items()}  # alike but for names
        self.register_outputs({})


def _part(args: dict[str, Any]) -> Part:
    document: dict[str, Any] = {"tpu_slices": args["groups"]}
    if "billing_labels" in args:
        document["labels"] = args["billing_labels"]
    return Part(
        document=document,
        cluster=args["cluster"],
        has_other_slices=True,
        moves={("tpu_slices",): ("groups",), ("labels",): ("billing_labels",)},
    )
