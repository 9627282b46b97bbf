"""Rules about what workloads request of their queue beyond chips; the chip ledger counts chips."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.findings import Finding, listing
from components.model.rule import Family
from policies.objects.belonging import labels_of, queue_name, queue_of
from policies.objects.judging import world_rule
from policies.objects.kueue_config import FRAMEWORKS, counting, frameworks
from policies.objects.pods import pod_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from policies.objects.values import Part
    from policies.objects.world import Object, World

_QUEUE: Final = 'Kueue documentation "ClusterQueue", read 2026-11'


@world_rule(
    "slice-requests-are-covered",
    summary="queues cover every resource that their workloads request, not only chips",
    why="Kueue never admits a workload that requests a resource without quota in its queue.",
    source=_QUEUE,
    family=Family.QUOTA,
    kinds=kinds.QUEUED_KINDS,
    needs=(kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE),
)
def _slice_requests_are_covered(run: Object, world: World) -> Iterator[Finding]:
    groups = tuple(pod_groups(run))
    if not any(group.chips for group in groups):
        return  # the ledger's
    queue = queue_of(run, world)
    if queue is None:
        return
    covered = list(
        dict.fromkeys(name for part in queue.parts("spec", "resourceGroups") for name in part.texts("coveredResources"))
    )
    counts = counting(world)
    if not covered or counts.ignores_undeclared:
        return
    for container in (each for group in groups for each in group.all_containers):
        for asked, place_of in _asked(container):
            for resource in (name for name in counts.names(asked) if name not in covered):
                yield Finding(
                    place=container.place.at("resources", place_of, asked),
                    says=f"{queue.name} has no quota of {resource}; {run.name} would wait for ever.",
                    remedy=f"Do not request it, or cover it in {queue.name}. Covered: {listing(covered)}.",
                    is_about_key=True,
                )


@world_rule(
    "run-selects-a-held-flavor",
    summary="a workload selects the nodes of a flavor of its queue",
    why="Kueue looks for a flavor whose labels match the pods' selector, and does not admit the workload without one.",
    source="Kueue 0.16.2 and 0.19.2, pkg/scheduler/flavorassigner/flavorassigner.go",
    family=Family.QUOTA,
    kinds=kinds.QUEUED_KINDS,
    needs=(kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE, kinds.RESOURCE_FLAVOR),
)
def _run_selects_a_held_flavor(run: Object, world: World) -> Iterator[Finding]:
    queue = queue_of(run, world)
    if queue is None:
        return
    groups = queue.parts("spec", "resourceGroups")
    for pods in pod_groups(run):
        asked = {resource for each in pods.containers for resource, _ in _asked(each)}
        requests = {counted for resource in asked for counted in counting(world).names(resource)}
        for group in groups:
            if requests.isdisjoint(group.texts("coveredResources")):
                continue
            names = [flavor.string("name") for flavor in group.parts("flavors")]
            refused = [_refusal(pods.selector, world.named(kinds.RESOURCE_FLAVOR, name)) for name in names]
            if refused and all(key is not None for key in refused):
                yield Finding(
                    place=pods.selected_at(),
                    says=f"it matches none of the flavors of {queue_name(run)}: "
                    f"{listing(names)} {'has' if len(names) == 1 else 'have'} another "
                    f"{listing(sorted({key for key in refused if key is not None}))}.",
                    remedy="Select the nodes of one of them, or submit to another queue.",
                )


def _refusal(selector: Mapping[str, str], flavor: Object | None) -> str | None:
    """The first label of the flavor that the selector rules out; None where there is none, and for unknown flavors."""
    labels = {} if flavor is None else flavor.labels("spec", "nodeLabels")
    return next((key for key, value in selector.items() if labels.get(key, value) != value), None)


def _asked(container: Part) -> Iterator[tuple[str, str]]:
    """Resources that a container requests, and whether by a request or by a limit in its place."""
    seen: set[str] = set()
    for kind in ("requests", "limits"):
        stated = container.part("resources", kind)
        for resource in () if stated is None else stated.value:
            amount = container.quantity("resources", kind, resource)
            if amount is not None and amount.milli and resource not in seen:
                yield resource, kind
            seen.add(resource)


@world_rule(
    "queued-kind-is-managed",
    summary="Kueue manages the kinds of workloads that are in its queues",
    why="Kueue leaves other kinds alone: they start at once, without quota. By default it manages only Jobs.",
    source="Kueue 0.16.2 and 0.19.2, apis/config/v1beta2/defaults.go",
    family=Family.QUOTA,
    kinds=kinds.QUEUED_KINDS,
)
def _queued_kind_is_managed(run: Object, world: World) -> Iterator[Finding]:
    managed, framework = frameworks(world), FRAMEWORKS[run.kind]
    if managed is None or framework in managed:
        return
    if queue_name(run) is not None:
        yield Finding(
            place=run.place.at(*labels_of(run), gke.LABEL_QUEUE_NAME),
            says=f"the configuration of Kueue lists only {listing(managed)}.",
            remedy=f"Add {framework} to integrations.frameworks of that configuration.",
        )


RUN_QUOTA_RULES: Final = (_slice_requests_are_covered, _run_selects_a_held_flavor, _queued_kind_is_managed)
