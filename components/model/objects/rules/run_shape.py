"""Rules about the shape of work on slices: a pod for each host, all chips of a host for each pod, slices kept apart.

The hosts of a slice start together, exchange data as one mesh, and end together.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from components.model import gke, tpu
from components.model.findings import Finding, Severity, listing
from components.model.objects import kinds
from components.model.objects.asked import (
    comes_undeclared,
    is_multi_host,
    is_topology_aware,
    labels_by_flavor,
    labels_wanted,
    serving,
    shape_for,
    shape_of,
    shapes_of,
)
from components.model.objects.judging import Family, object_rule, world_rule
from components.model.objects.pods import MAKERS, RUNS, chips_of, pod_groups, tpu_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.findings import Place
    from components.model.objects.pods import PodGroup
    from components.model.objects.values import Part
    from components.model.objects.world import Object, World

_GKE_TPUS: Final = 'GKE documentation "About TPUs in GKE", read 2026-11'
_MULTISLICE: Final = 'GKE documentation "TPU multislice", read 2026-11'
_JOBS: Final = 'Kubernetes documentation "Jobs", read 2026-11'
_EXTENDED: Final = 'Kubernetes documentation "Advertise Extended Resources for a Node", read 2026-11'
_INDEXED: Final = "Indexed"


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


@object_rule(
    "pod-takes-its-whole-host",
    summary="the containers of a pod on a slice ask for all chips of a host together, and for no more",
    why="A host serves one pod: with fewer chips the runtime finds no mesh, and for more there is no node.",
    source=_GKE_TPUS,
    family=Family.TOPOLOGY,
    kinds=MAKERS,
)
def _pod_takes_its_whole_host(owner: Object) -> Iterator[Finding]:
    for group in tpu_groups(owner):
        possible = sorted({shape.machine.chips for shape in shapes_of(group.selector)})
        if possible and group.chips not in possible:
            asking = [container for container in group.containers if chips_of(container)]
            topology = group.selector[gke.LABEL_TPU_TOPOLOGY]
            valid = listing([str(chips) for chips in possible], "or")
            together = f" in {len(asking)} containers" if len(asking) > 1 else ""
            yield Finding(
                place=asking[0].place.at("resources", "limits", gke.RESOURCE_TPU),
                says=f"a pod asks for {_counted(group.chips, 'chip')}{together}; a host of a {topology} slice has "
                f"{valid}.",
                remedy=f"Set {valid}.",
            )


@object_rule(
    "tpu-request-is-limit",
    summary="containers ask for as many chips as they are limited to",
    why="The API server refuses chips without a limit, and a request that is not the limit.",
    source=_EXTENDED,
    family=Family.TOPOLOGY,
    kinds=MAKERS,
)
def _tpu_request_is_limit(owner: Object) -> Iterator[Finding]:
    for container in (each for group in pod_groups(owner) for each in group.all_containers):
        request = container.quantity("resources", "requests", gke.RESOURCE_TPU)
        limit = container.quantity("resources", "limits", gke.RESOURCE_TPU)
        if request is not None and (limit is None or limit.milli != request.milli):
            yield Finding(
                place=container.place.at("resources", "requests", gke.RESOURCE_TPU),
                says=f"{request} are requested, and the limit is {'not stated' if limit is None else limit}.",
                remedy=f"State limits: {{{gke.RESOURCE_TPU}: {limit or request}}} and no request.",
            )


@object_rule(
    "chips-are-whole",
    summary="containers ask for whole chips",
    why="The API server refuses a part of an extended resource.",
    source=_EXTENDED,
    family=Family.TOPOLOGY,
    kinds=MAKERS,
)
def _chips_are_whole(owner: Object) -> Iterator[Finding]:
    for container in (each for group in pod_groups(owner) for each in group.all_containers):
        for kind in ("requests", "limits"):
            amount = container.quantity("resources", kind, gke.RESOURCE_TPU)
            if amount is not None and amount.milli % 1000:
                yield Finding(
                    place=container.place.at("resources", kind, gke.RESOURCE_TPU),
                    says=f"{amount} is not a whole number of chips.",
                    remedy=f"Such as {amount.milli // 1000 + 1}.",
                )


def _jobs_on_slices(owner: Object) -> Iterator[tuple[PodGroup, Part, tpu.Shape]]:
    """The groups of a run whose pods share a slice that they select, each with the spec of its Job."""
    for group in tpu_groups(owner):
        shape = shape_of(group)
        if group.job is not None and shape is not None and shape.kind is tpu.HostKind.MULTI:
            yield group, group.job, shape


@object_rule(
    "slice-has-a-pod-per-host",
    summary="a Job on a multi-host slice runs as many pods at a time as the slice has hosts",
    why="With fewer the runtime waits for the missing hosts for ever; for more there is no host.",
    source=_GKE_TPUS,
    family=Family.TOPOLOGY,
    kinds=RUNS,
)
def _slice_has_a_pod_per_host(owner: Object) -> Iterator[Finding]:
    for group, job, shape in _jobs_on_slices(owner):
        if group.parallelism != shape.hosts:
            yield Finding(
                place=job.place.at("parallelism"),
                says=f"{_counted(group.parallelism, 'pod')} at a time; a {shape.topology} slice of hosts with "
                f"{_counted(group.chips, 'chip')} is {shape.hosts} hosts.",
                remedy=f"Set parallelism and completions to {shape.hosts}"
                f"{'' if owner.kind is kinds.JOB else '; more slices are more replicas'}.",
            )


@object_rule(
    "slice-ends-as-one",
    summary="a Job on a multi-host slice is complete when all pods that it runs at a time have succeeded",
    why="Otherwise it ends with the first pod, or starts again on a part of the slice.",
    source=_JOBS,
    family=Family.TOPOLOGY,
    kinds=RUNS,
)
def _slice_ends_as_one(owner: Object) -> Iterator[Finding]:
    for group, job, shape in _jobs_on_slices(owner):
        completions = group.completions
        if completions not in (group.parallelism, shape.hosts):
            yield Finding(
                place=job.place.at("completions"),
                says=f"{'no' if completions is None else completions} completions, but "
                f"{group.parallelism} pods run at a time.",
                remedy=f"Set {shape.hosts}.",
            )


@object_rule(
    "hosts-are-numbered",
    summary="a Job on a multi-host slice is Indexed",
    why="GKE takes a host's place in the mesh (TPU_WORKER_ID) from the index of its pod.",
    source=_GKE_TPUS,
    family=Family.TOPOLOGY,
    kinds=RUNS,
)
def _hosts_are_numbered(owner: Object) -> Iterator[Finding]:
    by_default = _INDEXED if owner.kind is kinds.JOBSET else "NonIndexed"
    for _, job, shape in _jobs_on_slices(owner):
        mode = job.text("completionMode") or by_default
        if mode != _INDEXED:
            yield Finding(
                place=job.place.at("completionMode"),
                says=f"{mode}, so its {shape.hosts} pods have no numbers.",
                remedy=f"Set {_INDEXED}.",
            )


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


def _tells_slices_apart(key: str) -> bool:
    return key == gke.LABEL_NODE_POOL or key.startswith(gke.SLICE_LABELS_PREFIX)


@world_rule(
    "multislice-is-multi-host",
    summary="workloads of several slices run on multi-host slices of a generation that has multislice",
    why="Slices exchange data through their hosts' runtime, which single-host pools and some generations do not have.",
    source=_MULTISLICE,
    family=Family.TOPOLOGY,
    kinds=(kinds.JOBSET,),
)
def _multislice_is_multi_host(owner: Object, world: World) -> Iterator[Finding]:
    for group in tpu_groups(owner):
        shape = shape_for(labels_wanted(group, world), group.chips)
        if shape is None or group.replicas < 2:  # noqa: PLR2004  several
            continue
        generation = tpu.generation_of(shape.machine.name)
        if shape.kind is tpu.HostKind.SINGLE:
            reason, instead = "each is a single host", "a topology of several hosts"
        elif not generation.has_multislice:
            reason, instead = f"{generation.marketing} has no multislice", "another generation"
        else:
            continue
        yield Finding(
            place=group.part.place.at("replicas"),
            says=f"{group.replicas} slices of {shape.topology} cannot work together: {reason}.",
            remedy=f"Ask for 1 slice, or for {instead}.",
        )


@world_rule(
    "job-stays-in-a-slice",
    summary="a run of one multi-host slice says what keeps its pods in it where there are several slices alike",
    why="The scheduler may spread its pods, and hosts of two slices are no mesh.",
    source=_JOBS,
    family=Family.TOPOLOGY,
    kinds=RUNS,
    needs=(kinds.NODE_POOL,),
    severity=Severity.WARNING,
)
def _job_stays_in_a_slice(owner: Object, world: World) -> Iterator[Finding]:
    for group in tpu_groups(owner):
        if group.replicas != 1 or _is_kept(group):
            continue
        for wanted in labels_by_flavor(group, world):
            alike = _alike(wanted, group.chips, world)
            if len(alike) > 1:
                remedy = "make it a JobSet of one Job with" if owner.kind is kinds.JOB else "add"
                yield Finding(
                    place=group.template.place.at("spec", "nodeSelector"),
                    says=f"{listing(alike)} are alike, and the pods of {group.name} may be spread over them.",
                    remedy=f"Select one of them ({gke.LABEL_NODE_POOL}: {alike[0]}), or {remedy} the annotation "
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
    for group in tpu_groups(owner):
        shape = shape_of(group)
        if shape is not None and shape.kind is tpu.HostKind.MULTI and not comes_undeclared(group.selector, world):
            asked[frozenset(group.selector.items()), shape.machine.name].append(group)
    for (labels, machine_type), groups in asked.items():
        pools = serving(dict(labels), world).get(machine_type, ())
        there, wanted = sum(pool.slices for pool in pools), sum(group.replicas for group in groups)
        if wanted > there > 0:
            yield Finding(
                place=groups[0].part.place.at("replicas"),
                says=f"{_counted(wanted, 'slice')}, but {listing([pool.name for pool in pools])} "
                f"{'has' if len(pools) == 1 else 'have'} {there}.",
                remedy=f"Ask for {there} or fewer, or declare {_counted(wanted - there, 'pool')} more.",
            )


RUN_SHAPE_RULES: Final = (
    _pod_takes_its_whole_host,
    _tpu_request_is_limit,
    _chips_are_whole,
    _slice_has_a_pod_per_host,
    _slice_ends_as_one,
    _hosts_are_numbered,
    _slices_are_exclusive,
    _multislice_is_multi_host,
    _job_stays_in_a_slice,
    _run_has_enough_slices,
)
