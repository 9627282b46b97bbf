"""Queues of the package: flavors, cohorts, queues and priorities in an existing cluster with Kueue."""

from typing import Any, Final

import pulumi

from components import queues
from components.namespaces import Namespaces
from components.package.access import given_cluster, inside
from components.package.inputs import Ledger, LedgerData, LocalQueue
from components.package.planning import NAME, Part, planned
from components.queues import Priorities

SLICES: Final = "tpu_slices"
"""The stack file's key for the input `slices`."""


class Queues(pulumi.ComponentResource):
    """Flavors, cohorts, queues and priorities in an existing cluster with Kueue.

    Quotas are counted in chips. By default they are those of the slices; a stated quota is checked against the slices.
    """

    ledger: LedgerData
    """The queues with their slices, for the input `ledger` of JobSet."""
    cluster_queues: list[str]
    """Names of the ClusterQueues."""
    local_queues: list[LocalQueue]
    """The LocalQueues, in the order of the queues."""
    quotas: dict[str, dict[str, int]]
    """Chips by ClusterQueue and flavor."""
    node_selectors: dict[str, dict[str, str]]
    """Node labels by flavor, for the node selectors of pods."""

    def __init__(self, name: str, args: dict[str, Any], opts: pulumi.ResourceOptions | None = None) -> None:
        """Declares the queues, with the namespaces of their users.

        Raises:
            RefusedError: the inputs break a rule; nothing is declared.
        """
        plan = planned(name, _part(args))
        super().__init__(f"{NAME}:index:Queues", name, None, opts)
        cluster, within = given_cluster(plan, opts), inside(name, plan, self, opts)
        there = args.get("existing_namespaces", [])
        created = [each for each in plan.namespaces if each.name not in there]
        namespaces = Namespaces(name, created, cluster=cluster, opts=within)
        Priorities(name, plan.priorities, cluster=cluster, kueue=[], opts=within)
        queues.Queues(name, plan, cluster=cluster, kueue=[], namespaces=namespaces, opts=within)
        self.ledger = _ledger(args)
        self.cluster_queues = [queue.name for queue in plan.queues]
        self.local_queues = [
            {"name": local.name, "namespace": local.namespace} for queue in plan.queues for local in queue.local_queues
        ]
        self.quotas = {queue.name: {share.name: share.chips for share in queue.flavors} for queue in plan.queues}
        self.node_selectors = {each.name: dict(each.labels) for each in (*plan.flavors, *plan.node_flavors)}
        self.register_outputs({})


def document_of(ledger: dict[str, Any]) -> dict[str, Any]:
    """A ledger as a stack file has it."""
    return {SLICES if key == "slices" else key: value for key, value in ledger.items()}


def _ledger(args: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in args.items() if key in Ledger.model_fields}


def _part(args: dict[str, Any]) -> Part:
    return Part(
        document=document_of(_ledger(args)),
        cluster=args["cluster"],
        has_other_slices="slices" not in args,
        moves={(SLICES,): ("slices",)},
        reported_by_other_components=frozenset({"slices"}),
    )
