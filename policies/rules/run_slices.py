"""Rules about slices of a run: that each of its Jobs has one of its own, that they work together, and are there."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds, tpu
from components.model.facts.failures import BACKOFF_LIMIT
from components.model.findings import Finding, Severity, counted, listing
from components.model.rule import Family
from components.model.rules.run import apart, job_stays_in_a_slice, multislice_is_multi_host, spread
from policies.objects.judging import object_rule, read_in_world, world_rule
from policies.objects.pods import RUNS, pod_groups, tpu_groups
from policies.objects.requested_slices import (
    comes_undeclared,
    is_multi_host,
    is_topology_aware,
    labels_by_flavor,
    labels_wanted,
    serving,
)
from policies.objects.shapes import part_asked_for, shape_for, shape_of
from policies.objects.single_values import variables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.places import Place
    from policies.objects.pods import PodGroup
    from policies.objects.world import Object, World

_MULTISLICE_VARIABLES: Final = "MEGASCALE_"
_MULTISLICE: Final = 'GKE documentation "TPU multislice", read 2026-11'


@object_rule(
    "slices-are-exclusive",
    summary="a JobSet of several multi-host slices keeps each of its Jobs in a slice of its own",
    why="The scheduler knows no slices: pods of two Jobs mix in one, and neither makes a mesh.",
    source="JobSet 0.12.0, pkg/webhooks/pod_mutating_webhook.go",
    family=Family.TOPOLOGY,
    kinds=(kinds.JOBSET,),
)
def _slices_are_exclusive(owner: Object) -> Iterator[Finding]:
    for group in tpu_groups(owner):
        if group.replicas < 2 or not is_multi_host(group) or is_topology_aware(group):  # noqa: PLR2004  several
            continue
        key, place = _exclusive(group)
        if key is None:
            says = f"nothing keeps the {group.replicas} Jobs of {group.name} in slices of their own."
        elif not _tells_slices_apart(key):
            says = f"{key} does not tell slices apart."
        else:
            continue
        remedy = f"Set {gke.LABEL_NODE_POOL}: every multi-host slice is a node pool."
        yield Finding(place=place, says=says, remedy=remedy)


def _exclusive(group: PodGroup) -> tuple[str | None, Place]:
    """The label by which the Jobs of a group are kept apart, None where they are not, and where it is stated.

    What a replicated job states goes before what the JobSet does.
    """
    path = ("metadata", "annotations", gke.ANNOTATION_EXCLUSIVE_TOPOLOGY)
    own = group.part.text("template", *path)
    if own is not None:
        return own, group.part.place.at("template", *path)
    return group.owner.text(*path), group.owner.place.at(*path)


@object_rule(
    "exclusive-pods-are-not-replaced",
    summary="a Job with a slice to itself replaces no failed pod: backoffLimit is 0",
    why="The failed first pod stays beside its replacement. JobSet finds two leaders and refuses every other pod of "
    "the Job for ever, and the JobSet neither fails nor restarts.",
    source="JobSet 0.11.0 and 0.12.0, leaderPodForFollower in pkg/webhooks; mended after 0.12.0 by "
    "kubernetes-sigs/jobset#1276",
    family=Family.TOPOLOGY,
    kinds=(kinds.JOBSET,),
)
def _exclusive_pods_are_not_replaced(owner: Object) -> Iterator[Finding]:
    for group in pod_groups(owner):
        # A container that fails under OnFailure, which is JobSet's default, starts again in its pod.
        is_replaced = group.template.text("spec", "restartPolicy") == "Never"
        job, completions = group.job, group.completions
        has_followers = group.parallelism > 1 or (completions is not None and completions > 1)
        if job is None or not (is_replaced and has_followers and _is_kept_by_webhook(group)):
            continue
        limit, per_index = job.whole("backoffLimit"), job.whole("backoffLimitPerIndex")
        if 0 in (limit, per_index):
            continue
        key, limit = ("backoffLimit", limit) if per_index is None else ("backoffLimitPerIndex", per_index)
        stated = f"not stated, so {BACKOFF_LIMIT}" if limit is None else str(limit)
        yield Finding(
            place=job.place.at(key),
            says=f"{stated}: once the first pod of {group.name} is replaced, JobSet refuses all others.",
            remedy=f"Set {key}: 0. The Job then fails, and the JobSet starts all of its Jobs again: "
            "failurePolicy.maxRestarts says how often.",
        )


def _is_kept_by_webhook(group: PodGroup) -> bool:
    """Whether JobSet's webhook places the pods: by the annotation of the JobSet, of its Jobs or of their pods.

    It leaves pods alone whose nodes have been labelled for them.
    """
    places = ((group.owner, ()), (group.part, ("template",)), (group.template, ()))
    stated = [part.labels(*path, "metadata", "annotations") for part, path in places]
    return any(gke.ANNOTATION_EXCLUSIVE_TOPOLOGY in each for each in stated) and not any(
        gke.ANNOTATION_NODE_SELECTOR_STRATEGY in each for each in stated
    )


def _tells_slices_apart(key: str) -> bool:
    return key == gke.LABEL_NODE_POOL or key.startswith(gke.SLICE_LABELS_PREFIX)


@read_in_world(multislice_is_multi_host, kinds=(kinds.JOBSET,))
def _multislice_is_multi_host(owner: Object, world: World) -> Iterator[Finding]:
    for group in tpu_groups(owner):
        shape = shape_for(labels_wanted(group, world), group.chips)
        if shape is not None and (shape.hosts > 1 or _work_together(group)):
            place = group.part.place.at("replicas")
            yield from apart(group.replicas, shape.topology, shape.hosts, shape.machine.name, place)


def _work_together(group: PodGroup) -> bool:
    """Whether pods say that they exchange data with other slices: by the port or the variables of multislice."""
    ports = {port.whole("containerPort") for each in group.containers for port in each.parts("ports")}
    names = (name for each in group.containers for name, _ in variables(each))
    return gke.PORT_MULTISLICE in ports or any(name.startswith(_MULTISLICE_VARIABLES) for name in names)


@read_in_world(job_stays_in_a_slice, kinds=RUNS, needs=(kinds.NODE_POOL,))
def _job_stays_in_a_slice(owner: Object, world: World) -> Iterator[Finding]:
    remedy = "make it a JobSet of one Job with" if owner.kind is kinds.JOB else "add"
    for group in tpu_groups(owner):
        for wanted in () if group.replicas != 1 or _is_kept(group) else labels_by_flavor(group, world):
            yield from spread(
                _alike(wanted, group.chips, world),
                group.name,
                group.selected_at(),
                remedy=f"Select one of them ({gke.LABEL_NODE_POOL}: {{}}), or {remedy} the annotation "
                f"{gke.ANNOTATION_EXCLUSIVE_TOPOLOGY}: {gke.LABEL_NODE_POOL}.",
            )


def _alike(wanted: Mapping[str, str], chips: int, world: World) -> list[str]:
    """The pools that hold one multi-host slice each, of those that the labels name."""
    shape = shape_for(wanted, chips)
    if shape is None or shape.kind is tpu.HostKind.SINGLE:
        return []
    return [pool.name for pool in serving(wanted, world).get(shape.machine.name, ())]


def _is_kept(group: PodGroup) -> bool:
    """Whether something keeps the pods of one slice together; for a selected pool, the pools that serve show it."""
    return is_topology_aware(group) or (group.owner.kind is kinds.JOBSET and _exclusive(group)[0] is not None)


@world_rule(
    "run-has-enough-slices",
    summary="a run without a queue asks for no more slices than the pools that serve it have",
    why="Some of its pods would stay Pending for ever, while the others hold their slices.",
    source=_MULTISLICE,
    family=Family.TOPOLOGY,
    kinds=(kinds.JOBSET,),
    needs=(kinds.NODE_POOL,),
    severity=Severity.WARNING,
)
def _run_has_enough_slices(owner: Object, world: World) -> Iterator[Finding]:
    if world.of(kinds.CLUSTER_QUEUE):
        return
    asked: defaultdict[tuple[frozenset[tuple[str, str]], str], list[PodGroup]] = defaultdict(list)
    for group in (each for each in tpu_groups(owner) if part_asked_for(each) is None):
        shape = shape_of(group)
        if shape is not None and shape.kind is tpu.HostKind.MULTI and not comes_undeclared(group.selector, world):
            asked[frozenset(group.selector.items()), shape.machine.name].append(group)
    for (labels, machine_type), groups in asked.items():
        pools = serving(dict(labels), world).get(machine_type, ())
        there, wanted = sum(pool.slices for pool in pools), sum(group.replicas for group in groups)
        if wanted > there > 0:
            yield Finding(
                place=groups[0].part.place.at("replicas"),
                says=f"{counted(wanted, 'slice')}, but {listing([pool.name for pool in pools])} "
                f"{'has' if len(pools) == 1 else 'have'} {there}.",
                remedy=f"Ask for {there} or fewer, or declare {counted(wanted - there, 'pool')} more.",
            )


RUN_SLICE_RULES: Final = (
    _slices_are_exclusive,
    _exclusive_pods_are_not_replaced,
    _multislice_is_multi_host,
    _job_stays_in_a_slice,
    _run_has_enough_slices,
)
