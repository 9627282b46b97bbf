"""Rules about node pools: how large they are, what their nodes are, what GKE refuses to combine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, gpu, kinds, tpu
from components.model.findings import Finding, about_key, did_you_mean, listing
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan
    from components.model.plan.nodes import GpuPlan, OrdinaryPoolPlan, UpgradePlan

FAMILY: Final = Family.TOPOLOGY

_NODE_POOL: Final = "GKE API, NodePool"
_GPUS: Final = "components/model/facts/gpu.py"


@rule(
    summary="an Autopilot cluster has no declared nodes",
    why="The API refuses node pools on Autopilot, which makes the nodes that pods select.",
    source=_NODE_POOL,
    family=Family.GUARDRAILS,
    kinds=(kinds.CLUSTER, kinds.NODE_POOL),
    needs=(kinds.CLUSTER,),
)
def _autopilot_makes_its_nodes(plan: Plan) -> Iterator[Finding]:
    if plan.cluster.mode != "autopilot":
        return
    standard = plan.cluster.place.display_name("mode: standard")
    for pool in (*plan.node_pools, *plan.slice_pools):
        yield Finding(
            place=pool.place,
            says="an Autopilot cluster takes no node pools.",
            remedy=f"Remove it: flavors say what pods select, and Autopilot makes such nodes. Or set {standard}.",
        )
    if plan.cluster.auto_provisioning is not None:
        yield about_key(
            place=plan.cluster.auto_provisioning.place,
            says="an Autopilot cluster provisions nodes by itself.",
            remedy=f"Remove the key, or set {standard}.",
        )


@rule(
    summary="a pool has either a number of nodes or limits of autoscaling, the smaller first",
    why="The API refuses both together, and the engine would undo what the autoscaler does.",
    source=_NODE_POOL,
)
def _pool_size_is_stated_once(plan: Plan) -> Iterator[Finding]:
    for pool in plan.node_pools:
        limits = pool.autoscaling
        if pool.nodes_per_zone is None and limits is None:
            yield Finding(
                place=pool.place,
                says="neither nodes nor autoscaling is stated.",
                remedy="Add nodes: 1, or autoscaling: {min: 0, max: 3}.",
            )
        elif pool.nodes_per_zone is not None and limits is not None:
            yield about_key(
                place=pool.place.at("nodes"),
                says="nodes is stated beside autoscaling, which decides how many there are.",
                remedy="Remove one of them.",
            )
        if limits is not None and limits.minimum > limits.maximum:
            yield Finding(
                place=pool.place.at("autoscaling", "min"),
                says=f"{limits.minimum} is more than max, which is {limits.maximum}.",
                remedy=f"Set {limits.maximum} or less.",
            )


@rule(
    summary="GPUs are of a known kind, on a machine type that takes as many of them",
    why="The API refuses every other combination.",
    source=_GPUS,
    kinds=(kinds.NODE_POOL,),
)
def _gpu_fits_machine(plan: Plan) -> Iterator[Finding]:
    for pool in plan.node_pools:
        if pool.gpu is None:
            yield from _machine_without_its_gpu(pool)
        elif not gpu.is_gpu(pool.gpu.type):
            known = [each.name for each in gpu.GPUS]
            yield Finding(
                place=pool.gpu.place.at("type"),
                says=f"{pool.gpu.type} is not a GPU known here.",
                remedy=f"{did_you_mean(pool.gpu.type, known)}Known: {listing(known)}.",
            )
        else:
            yield from _unfitting(pool, pool.gpu)


def _machine_without_its_gpu(pool: OrdinaryPoolPlan) -> Iterator[Finding]:
    of_machine = [each for each in gpu.GPUS if pool.machine_type in each.machines]
    for each in of_machine:
        yield Finding(
            place=pool.place.at("machine_type"),
            says=f"{pool.machine_type} has GPUs, which are not declared.",
            remedy=f"Add {pool.place.display_name('gpu')}: "
            f"{{type: {each.name}, count: {each.machines[pool.machine_type]}}}.",
        )


def _unfitting(pool: OrdinaryPoolPlan, wanted: GpuPlan) -> Iterator[Finding]:
    facts = gpu.gpu(wanted.type)
    if facts.machines:
        has = facts.machines.get(pool.machine_type)
        if has is None:
            yield Finding(
                place=pool.place.at("machine_type"),
                says=f"{pool.machine_type} takes no {wanted.type}.",
                remedy=f"It comes with {listing(list(facts.machines), 'or')}.",
            )
        elif has != wanted.count:
            yield Finding(
                place=wanted.place.at("count"),
                says=f"{pool.machine_type} comes with {has} {wanted.type}, not {wanted.count}.",
                remedy=f"Set {has}.",
            )
    elif not pool.machine_type.startswith("n1-"):
        yield Finding(
            place=pool.place.at("machine_type"),
            says=f"{pool.machine_type} takes no {wanted.type}.",
            remedy="It is attached to machines of the n1 series, such as n1-standard-4.",
        )
    elif wanted.count not in facts.attached:
        yield Finding(
            place=wanted.place.at("count"),
            says=f"{wanted.count} {wanted.type} cannot be attached to a machine.",
            remedy=f"Set {listing([str(count) for count in facts.attached], 'or')}.",
        )


@rule(
    summary="upgrade settings are those of their strategy, and let an upgrade proceed",
    why="The API refuses others.",
    source="GKE API, NodePool.UpgradeSettings",
    kinds=(kinds.NODE_POOL,),
)
def _upgrade_settings_fit(plan: Plan) -> Iterator[Finding]:
    for pool in (*plan.node_pools, *plan.slice_pools):
        upgrade = pool.upgrade
        if upgrade is None:
            continue
        yield from _of_other_strategy(upgrade)
        together = sum(count for count in (upgrade.max_surge, upgrade.max_unavailable) if count is not None)
        if upgrade.strategy == "SURGE" and not 1 <= together <= gke.NODES_UPGRADED_AT_ONCE:
            keys = listing([upgrade.place.display_name(key) for key in ("max_surge", "max_unavailable")])
            yield Finding(
                place=upgrade.place,
                says=f"{keys} are {together} nodes together.",
                remedy=f"Together they are 1 to {gke.NODES_UPGRADED_AT_ONCE}.",
            )


def _of_other_strategy(upgrade: UpgradePlan) -> Iterator[Finding]:
    settings = {
        "SURGE": {"max_surge": upgrade.max_surge, "max_unavailable": upgrade.max_unavailable},
        "BLUE_GREEN": {"batch_nodes": upgrade.batch_nodes, "soak_seconds": upgrade.soak_seconds},
    }
    for strategy, values in settings.items():
        for key, value in values.items():
            if value is not None and strategy != upgrade.strategy:
                yield about_key(
                    place=upgrade.place.at(key),
                    says=f"it belongs to strategy {strategy}; this one is {upgrade.strategy}.",
                    remedy=f"Remove it, or set strategy: {strategy}.",
                )


@rule(
    summary="added node labels are not those of Kubernetes and GKE",
    why="The API refuses some of them, and GKE overwrites the others.",
    source="GKE API, NodeConfig.labels",
    kinds=(kinds.NODE_POOL,),
)
def _node_labels_are_users(plan: Plan) -> Iterator[Finding]:
    for pool in (*plan.node_pools, *plan.slice_pools):
        for key in pool.added_labels:
            domain = key.rpartition("/")[0]
            if any(domain == each or domain.endswith(f".{each}") for each in gke.MANAGED_LABEL_DOMAINS):
                yield about_key(
                    place=pool.place.at("labels", key),
                    says=f"labels of {domain} are set by Kubernetes and GKE.",
                    remedy="Choose a key of a domain of your own, or one without a domain.",
                )


@rule(
    summary="auto-provisioning has limits of CPU and memory, and of accelerators that exist",
    why="Without both, GKE makes no node; a limit of an accelerator that does not exist is refused.",
    source='GKE documentation "Node auto-provisioning", read 2026-11',
)
def _auto_provisioning_is_bounded(plan: Plan) -> Iterator[Finding]:
    made = plan.cluster.auto_provisioning
    if made is None:
        return
    lacking = [key for key, name in (("cpu", "cpu"), ("memory_gb", "memory")) if name not in made.limits]
    if lacking:
        yield Finding(
            place=made.place.at("limits"),
            says=f"{listing(lacking)} {'is' if len(lacking) == 1 else 'are'} missing.",
            remedy="State both cpu and memory_gb, over the whole cluster, ordinary pools included.",
        )
    known = [each.name for each in gpu.GPUS] + [tpu.generation_of(each.name).accelerator for each in tpu.machines()]
    known = list(dict.fromkeys(known))
    for accelerator in made.accelerators:
        if accelerator not in known:
            yield about_key(
                place=made.place.at("limits", accelerator),
                says=f"{accelerator} is not an accelerator known here.",
                remedy=f"{did_you_mean(accelerator, known)}Besides cpu and memory_gb there are {listing(known)}.",
            )
