"""Rules about admissions that do not hold: pods that do not start in time, and queues that try all flavors at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, versions
from components.model.facts.apis import served
from components.model.findings import Finding, Severity, about_key, did_you_mean, listing
from components.model.plan.workloads import JobSetPlan
from components.model.rule import Family, rule
from components.model.rules.workload import Queues

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan
    from components.model.plan.queues import FlavorPlan, QueuePlan

FAMILY: Final = Family.QUOTA

_CONFIGURATION: Final = "Kueue 0.19.2, apis/config/v1beta2/configuration_types.go and defaults.go"
_WEBHOOK: Final = "Kueue 0.19.2, pkg/webhooks/clusterqueue_webhook.go"
_MOST_FLAVORS: Final = 16
"""Flavors of a queue that tries all of them at once."""
_TRY_PREFERRED: Final = "TryPreferredFlavors"


@rule(
    summary="workloads have as long to get ready as their nodes may take",
    why="Kueue evicts them while their nodes are being made, and the request for the nodes ends with their pods.",
    source='Kubernetes autoscaler FAQ, max-node-provision-time; GKE documentation "About flex-start", read 2026-11',
    severity=Severity.WARNING,
)
def _pods_ready_leaves_time(plan: Plan) -> Iterator[Finding]:
    wait = plan.controllers.pods_ready
    waiting = [] if wait is None else _without_nodes(plan)
    if wait is None or not waiting:
        return
    least = gke.NODE_START_SECONDS
    queues = any(flavor.capacity == "flex-start" for flavor in waiting)
    more = " and flex-start requests wait in a queue before that" if queues else ""
    says = f"nodes of {listing([flavor.name for flavor in waiting])} may take {least} seconds to come{more}."
    if wait.timeout_seconds < least:
        yield Finding(
            place=wait.place.at("timeout_seconds"), says=says, remedy=f"Set {least} or more, as long as quota may idle."
        )
    if wait.is_recovery_stated and 0 < wait.recovery_seconds < least:
        yield Finding(
            place=wait.place.at("recovery_timeout_seconds"),
            says=f"a workload that lost a slice starts again on new nodes, and {says}",
            remedy=f"Set {least} or more, or 0 for no limit.",
        )


def _without_nodes(plan: Plan) -> list[FlavorPlan]:
    """The flavors with quota whose nodes are made after Kueue has admitted a workload."""
    autoscaled = {pool.name for pool in plan.slice_pools if pool.autoscaling is not None}
    checked = {share.name for queue in plan.queues for share in queue.flavors if share.admission_checks}
    held = {share.name for queue in plan.queues for share in queue.flavors} - checked
    return [each for each in plan.flavors if each.name in held and not autoscaled.isdisjoint(each.pools)]


@rule(
    summary="the longest wait before a workload is queued again is not shorter than the first",
    why="Every wait is then the longest one, and the base has no effect.",
    source=_CONFIGURATION,
)
def _requeue_waits_grow(plan: Plan) -> Iterator[Finding]:
    wait = plan.controllers.pods_ready
    if wait is not None and wait.max_seconds < wait.base_seconds:
        yield Finding(
            place=wait.place.at("requeue", "max_seconds"),
            says=f"{wait.max_seconds} seconds are fewer than the first wait of {wait.base_seconds}.",
            remedy=f"Set {wait.base_seconds} or more, or a smaller base_seconds.",
        )


@rule(
    summary="a workload that is queued again only a few times waits between them",
    why="Without a wait the tries follow one another at once, and then Kueue deactivates the workload for good.",
    source=_CONFIGURATION,
    severity=Severity.WARNING,
)
def _requeue_limit_outlasts_shortage(plan: Plan) -> Iterator[Finding]:
    wait = plan.controllers.pods_ready
    if wait is not None and wait.limit and wait.base_seconds == 0:
        yield Finding(
            place=wait.place.at("requeue", "base_seconds"),
            says=f"a workload is queued again {wait.limit} times at once, and then deactivated.",
            remedy="Set 60 or more, or remove limit.",
        )


@rule(
    summary="admission is not blocked by a workload of another queue, or by flex-start",
    why="Kueue then admits nothing, in any queue, until the pods of the last admitted workload are ready.",
    source="Kueue 0.19.2, pkg/scheduler/scheduler.go, waitForPodsReadyIfNeeded",
    severity=Severity.WARNING,
)
def _one_admission_blocks_all(plan: Plan) -> Iterator[Finding]:
    wait = plan.controllers.pods_ready
    if wait is None or not wait.block_admission:
        return
    place = wait.place.at("block_admission")
    if len(plan.queues) > 1:
        names = listing([queue.name for queue in plan.queues])
        yield about_key(
            place=place,
            says=f"a workload that waits for nodes blocks all queues: {names}.",
        )
    elif slow := [flavor.name for flavor in _without_nodes(plan) if flavor.capacity == "flex-start"]:
        yield about_key(
            place=place,
            says=f"a workload that waits for flex-start nodes of {listing(slow)} blocks all others.",
        )


@rule(
    summary="queues try all flavors at once only with a release of Kueue that can",
    why="An older release does not know the field, and the API server refuses the queue.",
    source="Kueue's CustomResourceDefinitions and feature gates, components/model/facts/apis/",
)
def _concurrent_admission_release(plan: Plan) -> Iterator[Finding]:
    kueue = plan.controllers.kueue
    life = served.gates()[served.CONCURRENT_ADMISSION]
    if kueue is None or life.covers(kueue.version):
        return
    for queue in plan.queues:
        if queue.concurrent_admission is not None:
            yield about_key(
                place=queue.concurrent_admission.place,
                says=f"Kueue {kueue.version} has no concurrent admission.",
                remedy=f"Set controllers.kueue.version to {versions.KUEUE.version}, or another from {life.since} on.",
            )


@rule(
    summary="a queue that tries all flavors at once has a few flavors of one set of resources, in no strict order",
    why="Kueue refuses the queue.",
    source=_WEBHOOK,
)
def _concurrent_admission_fits_queue(plan: Plan) -> Iterator[Finding]:
    for queue in plan.queues:
        policy = queue.concurrent_admission
        if policy is None:
            continue
        groups = bool(queue.flavors) + len({tuple(share.quotas) for share in queue.resources})
        if groups > 1:
            yield about_key(
                place=policy.place,
                says=f"{queue.name} has quota of {groups} sets of resources, and all flavors at once need one set.",
                remedy="Remove the key, or give the other resources a queue of their own.",
            )
        if len(queue.shares) > _MOST_FLAVORS:
            yield about_key(
                place=policy.place,
                says=f"{queue.name} has {len(queue.shares)} flavors, and at most {_MOST_FLAVORS} are tried at once.",
                remedy="Remove flavors, or the key.",
            )
        if queue.strategy == "StrictFIFO":
            yield Finding(
                place=queue.place.at("strategy"),
                says="a queue that tries all flavors at once cannot be StrictFIFO.",
                remedy="Set BestEffortFIFO.",
            )


@rule(
    summary="the last flavor to which workloads move is one of the queue, and they move at all",
    why="Kueue refuses the queue.",
    source=_WEBHOOK,
)
def _last_acceptable_flavor(plan: Plan) -> Iterator[Finding]:
    for queue in plan.queues:
        policy = queue.concurrent_admission
        last = None if policy is None else policy.last_acceptable_flavor
        if policy is None or last is None:
            continue
        place, names = policy.place.at("last_acceptable_flavor"), [share.name for share in queue.shares]
        if policy.mode != _TRY_PREFERRED:
            yield about_key(
                place=place,
                says=f"with {policy.mode} no workload moves.",
                remedy=f"Remove the key, or set {policy.place.display_name('mode')}: {_TRY_PREFERRED}.",
            )
        elif last not in names:
            yield Finding(
                place=place,
                says=f"{queue.name} has no flavor {last}.",
                remedy=f"{did_you_mean(last, names)}Flavors: {listing(names)}.",
            )


@rule(
    summary="a queue that tries all flavors at once asks for the nodes of those that autoscale, before the last flavor",
    why="Kueue admits a workload to such a flavor whether its nodes come or not, and tries no later flavor then.",
    source="Kueue 0.19.2, pkg/controller/concurrentadmission/controller.go; tests/control_plane/test_stock_chain.py",
    severity=Severity.WARNING,
)
def _concurrent_admission_sees_stock(plan: Plan) -> Iterator[Finding]:
    blind = {flavor.name for flavor in _without_nodes(plan)}
    for queue in plan.queues:
        for share in queue.flavors[:-1] if queue.concurrent_admission is not None else ():
            if share.name in blind and not share.admission_checks:
                yield Finding(
                    place=share.place.at("name"),
                    says=f"when nodes of {share.name} are out of stock, its workloads wait for them and never take the "
                    "flavors after it.",
                    remedy=f"Give {share.name} queued nodes and an admission check, or move it to the end.",
                )


@rule(
    summary="a JobSet can run on each flavor to which Kueue may move it",
    why="JobSet adds the selector of the new flavor to that of the old one, and no node has the labels of both.",
    source="kubernetes-sigs/jobset pull request 1294; JobSet 0.12.0, pkg/controllers/jobset_controller.go, resumeJob",
    severity=Severity.WARNING,
)
def _moved_jobsets_can_run(plan: Plan) -> Iterator[Finding]:
    flavor_of, queues = {flavor.name: flavor for flavor in plan.flavors}, Queues(plan)
    for work in plan.tpu_runs:
        queue = queues.of(work) if isinstance(work, JobSetPlan) and len(work.flavors) > 1 else None
        if queue is None or not _moves(plan, queue):
            continue
        held = [flavor_of[name] for name in work.flavors if name in flavor_of]
        stuck = next(((old, new) for old in held for new in held if old.labels.keys() - new.labels.keys()), None)
        if stuck is not None:
            old, new = stuck
            yield Finding(
                place=work.place.at("flavors"),
                says=f"when Kueue moves {work.name} from {old.name} to {new.name}, its Jobs keep the node selector of "
                f"{old.name}, and their pods find no node.",
                remedy="Delete its Jobs after such a move: JobSet makes them anew. "
                f"Or name flavors without {old.name}.",
            )


def _moves(plan: Plan, queue: QueuePlan) -> bool:
    return plan.controllers.pods_ready is not None or queue.concurrent_admission is not None
