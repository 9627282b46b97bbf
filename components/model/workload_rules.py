"""Rules about workloads: whether one can ever be admitted, placed and named."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from components.model import gke, names, tpu
from components.model.findings import Finding, Severity, did_you_mean, listing, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import JobSetPlan, Plan, QueueFlavorPlan, QueuePlan

_KUEUE: Final = 'Kueue documentation "Run A JobSet", read 2026-11'
_DNS_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")


def _queue_of(plan: Plan) -> dict[tuple[str, str], QueuePlan]:
    """The ClusterQueue behind each LocalQueue, by namespace and name."""
    return {(local.namespace, local.name): queue for queue in plan.queues for local in queue.local_queues}


@rule(
    "workload-queue-exists",
    summary="a workload's queue is a local queue of its namespace",
    why="Kueue leaves it suspended for ever.",
    source=_KUEUE,
)
def _workload_queue_exists(plan: Plan) -> Iterator[Finding]:
    queues = _queue_of(plan)
    for work in plan.workloads:
        if (work.namespace, work.queue) in queues:
            continue
        here = [name for namespace, name in queues if namespace == work.namespace]
        elsewhere = [namespace for namespace, name in queues if name == work.queue]
        hint = f"There is one in {listing(elsewhere)}. " if elsewhere else did_you_mean(work.queue, here)
        yield Finding(
            place=work.place.at("queue"),
            says=f"no local queue of namespace {work.namespace} is named {work.queue}.",
            remedy=f"{hint}Local queues of {work.namespace}: {listing(here)}.",
        )


@rule(
    "workload-priority-exists",
    summary="a workload's priority is declared",
    why="Kueue makes no Workload of it, and it stays suspended with no word but in Kueue's own log.",
    source='Kueue documentation "Workload Priority Class", read 2026-11',
)
def _workload_priority_exists(plan: Plan) -> Iterator[Finding]:
    known = [priority.name for priority in plan.priorities]
    for work in plan.workloads:
        if work.priority is not None and work.priority not in known:
            yield Finding(
                place=work.place.at("priority"),
                says=f"no priority is named {work.priority}.",
                remedy=f"{did_you_mean(work.priority, known)}Priorities: {listing(known)}.",
            )


@rule(
    "workload-flavor-in-queue",
    summary="a workload's flavor is one of its queue's",
    why="Its pods select nodes of the flavor, so no other quota of the queue can admit it.",
    source=_KUEUE,
)
def _workload_flavor_in_queue(plan: Plan) -> Iterator[Finding]:
    queues = _queue_of(plan)
    known = [flavor.name for flavor in plan.flavors]
    for work in plan.workloads:
        queue = queues.get((work.namespace, work.queue))
        held = known if queue is None else [share.name for share in queue.flavors]
        if work.flavor not in known:
            says, hint = f"no flavor is named {work.flavor}.", did_you_mean(work.flavor, held)
        elif work.flavor not in held and set(held) <= set(known):
            says, hint = f"{work.queue} leads to no quota of {work.flavor}.", ""
        else:
            continue
        yield Finding(place=work.place.at("flavor"), says=says, remedy=f"{hint}Flavors it can use: {listing(held)}.")


@rule(
    "workload-can-ever-fit",
    summary="a workload asks for no more chips than its queue can ever have",
    why="It would wait for ever, and under StrictFIFO everything behind it too.",
    source=_KUEUE,
)
def _workload_can_ever_fit(plan: Plan) -> Iterator[Finding]:
    queues = _queue_of(plan) if plan.has_whole_ledger else {}
    for work in plan.workloads:
        queue = queues.get((work.namespace, work.queue))
        shares = () if queue is None else queue.flavors
        share = next((share for share in shares if share.name == work.flavor and share.chips), None)
        if queue is None or share is None or work.chips <= share.chips:
            continue
        yield Finding(
            place=work.place.at("slices"),
            says=f"{_slices(work.slices)} of {work.flavor} are {work.chips} chips, but {queue.name} has {share.chips}; "
            f"{_never(queue)}",
            remedy=_fitting(work, share),
        )


def _slices(count: int) -> str:
    return "1 slice" if count == 1 else f"{count} slices"


def _never(queue: QueuePlan) -> str:
    behind = ", and so would everything behind it" if queue.strategy == "StrictFIFO" else ""
    return f"it would wait for ever{behind}."


def _fitting(work: JobSetPlan, share: QueueFlavorPlan) -> str:
    """Fewer slices, or the larger quota: which is stated, or follows from the slices that are declared."""
    most = share.chips * work.slices // work.chips
    more = f"declare {_slices(work.slices)}" if share.is_derived else f"raise the quota to {work.chips}"
    return f"Ask for {_slices(most)} or fewer, or {more}." if most else f"{more[0].upper()}{more[1:]}."


@rule(
    "workload-pod-names",
    summary="a workload's name leaves room for those of its pods",
    why="JobSet refuses a name whose longest pod name is no DNS label.",
    source="JobSet 0.12.0, pkg/webhooks/jobset_webhook.go",
)
def _workload_pod_names(plan: Plan) -> Iterator[Finding]:
    for work in plan.workloads:
        if _DNS_1035.fullmatch(work.name) is None:
            yield Finding(
                place=work.place.at("name"),
                says=f"{work.name} begins with a digit, and a JobSet's name begins with a letter.",
                remedy=f"Such as run-{work.name}.",
            )
        pod = names.longest_pod(work.name, work.slices, work.hosts)
        excess = len(pod) - gke.KUBERNETES_LABEL_LENGTH
        if work.hosts and excess > 0:
            yield Finding(
                place=work.place.at("name"),
                says=f"its longest pod name, {pod}, has {len(pod)} characters; it may have "
                f"{gke.KUBERNETES_LABEL_LENGTH} at most.",
                remedy=f"Shorten the name by {excess}.",
            )


@rule(
    "multislice-is-multi-host",
    summary="workloads of several slices run on multi-host slices of a generation that has multislice",
    why="Slices exchange data through their hosts' runtime, which single-host pools and some generations do not have.",
    source='GKE documentation "TPU multislice", read 2026-11',
)
def _multislice_is_multi_host(plan: Plan) -> Iterator[Finding]:
    flavors = {flavor.name: flavor for flavor in plan.flavors}
    for work in plan.workloads:
        flavor = flavors.get(work.flavor)
        if work.slices == 1 or flavor is None or not flavor.hosts:
            continue
        generation = tpu.generation_of(flavor.machine_type)
        if flavor.hosts == 1:
            reason, instead = "each is a single host", "slices of several hosts"
        elif not generation.has_multislice:
            reason, instead = f"{generation.marketing} has no multislice", "another generation"
        else:
            continue
        yield Finding(
            place=work.place.at("slices"),
            says=f"{work.slices} slices of {work.flavor} cannot work together: {reason}.",
            remedy=f"Ask for 1 slice, or declare {instead}.",
        )


@rule(
    "image-is-pinned",
    summary="images have a tag that is not moved",
    why="What ran yesterday may not be what runs after a restart.",
    source='Kubernetes documentation "Images", read 2026-11',
)
def _image_is_pinned(plan: Plan) -> Iterator[Finding]:
    for work in plan.workloads:
        _, _, tag = work.image.rpartition("/")[2].partition(":")
        if tag in ("", "latest"):
            yield Finding(
                place=work.place.at("image"),
                says=f"{work.image} names no fixed version.",
                remedy="Add the tag of a release, or a digest.",
                severity=Severity.WARNING,
            )


WORKLOAD_RULES: Final = (
    _workload_queue_exists,
    _workload_priority_exists,
    _workload_flavor_in_queue,
    _workload_can_ever_fit,
    _workload_pod_names,
    _multislice_is_multi_host,
    _image_is_pinned,
)
