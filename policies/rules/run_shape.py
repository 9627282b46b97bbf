"""Rules about the shape of work on slices: a pod for each host, all chips of a host for each pod, slices kept apart.

The hosts of a slice start together, exchange data as one mesh, and end together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds, tpu
from components.model.findings import Finding, counted, listing
from components.model.rule import Family
from policies.objects.judging import object_rule
from policies.objects.pods import (
    GROUPED,
    MAKERS,
    RUNS,
    ask_for,
    asks_for,
    chips_of,
    is_for_any_pod,
    pod_groups,
    tpu_groups,
)
from policies.objects.shapes import shape_in_common, shape_of, shapes_left, shapes_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.pods import PodGroup
    from policies.objects.values import Part
    from policies.objects.world import Object

_GKE_TPUS: Final = 'GKE documentation "About TPUs in GKE", read 2026-11'
_JOBS: Final = 'Kubernetes documentation "Jobs", read 2026-11'
_EXTENDED: Final = 'Kubernetes documentation "Advertise Extended Resources for a Node", read 2026-11'
_INDEXED: Final = "Indexed"
_JOBS_OF: Final = (*RUNS, kinds.CRON_JOB)
"""Kinds that make Jobs."""
_SLICE: Final = (gke.LABEL_TPU_TOPOLOGY, gke.LABEL_TPU_ACCELERATOR)


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
        possible = sorted({shape.machine.chips for shape in shapes_left(group.selector)})
        if possible and group.chips not in possible:
            asking = [container for container in group.containers if chips_of(container)]
            topology = group.selector[gke.LABEL_TPU_TOPOLOGY]
            valid = listing([str(chips) for chips in possible], "or")
            together = f" in {len(asking)} containers" if len(asking) > 1 else ""
            yield Finding(
                place=asking[0].place.at("resources", "limits", gke.RESOURCE_TPU),
                says=f"a pod asks for {counted(group.chips, 'chip')}{together}; a host of a {topology} slice has "
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


@object_rule(
    "slice-pods-ask-for-chips",
    summary="pods that select a TPU slice ask for chips",
    why="GKE keeps TPU nodes for pods that ask for chips: other pods stay Pending, or run without a TPU.",
    source=_GKE_TPUS,
    family=Family.TOPOLOGY,
    kinds=MAKERS,
)
def _slice_pods_ask_for_chips(owner: Object) -> Iterator[Finding]:
    for group in pod_groups(owner):
        key = next((key for key in _SLICE if key in group.selector), None)
        if key is None or is_for_any_pod(group.template, gke.RESOURCE_TPU):
            continue
        if any(asks_for(container, gke.RESOURCE_TPU) for container in group.all_containers):
            continue
        possible = sorted({shape.machine.chips for shape in shapes_of(group.selector)})
        amount = f": {possible[0]}" if len(possible) == 1 else ""
        yield Finding(
            place=group.selected_at(key),
            says=f"the pods of {group.name} select TPU nodes and ask for no chips.",
            remedy=ask_for(owner, gke.RESOURCE_TPU, amount),
        )


def _jobs_on_slices(owner: Object) -> Iterator[tuple[PodGroup, Part, tpu.Shape]]:
    """The groups of a run whose pods share a slice that they select, each with the spec of its Job."""
    for group in tpu_groups(owner):
        shape = shape_of(group)
        if group.job is not None and shape is not None and shape.kind is tpu.HostKind.MULTI:
            yield group, group.job, shape


_COUNTED: Final = {
    "parallelism": ("at a time", "parallelism and completions"),
    "size": ("in a group", "size"),
    "numOfHosts": ("in a replica", "numOfHosts"),
}
"""The pods that a key counts, in words, and what to change."""


@object_rule(
    "slice-has-a-pod-per-host",
    summary="a Job, or a group of pods, on a multi-host slice runs as many pods at a time as the slice has hosts",
    why="With fewer the runtime waits for the missing hosts for ever; for more there is no host.",
    source=_GKE_TPUS,
    family=Family.TOPOLOGY,
    kinds=GROUPED,
)
def _slice_has_a_pod_per_host(owner: Object) -> Iterator[Finding]:
    more = "" if owner.kind in (kinds.JOB, kinds.CRON_JOB) else "; more slices are more replicas"
    for group in tpu_groups(owner):
        part, key = group.job_key
        shape = shape_in_common(group)
        if part is None or shape is None or not _shares_a_slice(owner, shape) or group.parallelism == shape.hosts:
            continue
        which, keys = _COUNTED[key]
        yield Finding(
            place=part.place.at(key),
            says=f"{counted(group.parallelism, 'pod')} {which}; a {shape.topology} slice of hosts with "
            f"{counted(group.chips, 'chip')} is {counted(shape.hosts, 'host')}.",
            remedy=f"Set {keys} to {shape.hosts + group.beside}{more}.",
        )


def _shares_a_slice(owner: Object, shape: tpu.Shape) -> bool:
    """Whether the pods of a group make one slice: of several hosts, or of the hosts that Ray states for it."""
    return shape.kind is tpu.HostKind.MULTI or owner.kind in kinds.RAY_KINDS


@object_rule(
    "slice-has-numbered-pods",
    summary="pods of a Deployment run on slices of one host",
    why="The hosts of a slice form a mesh by the numbers and the names of their pods; those of a Deployment have none.",
    source=_GKE_TPUS,
    family=Family.TOPOLOGY,
    kinds=(kinds.DEPLOYMENT,),
)
def _slice_has_numbered_pods(owner: Object) -> Iterator[Finding]:
    for group in tpu_groups(owner):
        shape = shape_of(group)
        if shape is not None and shape.kind is tpu.HostKind.MULTI:
            yield Finding(
                place=group.selected_at(gke.LABEL_TPU_TOPOLOGY),
                says=f"a {shape.topology} slice of hosts with {counted(group.chips, 'chip')} is {shape.hosts} hosts, "
                f"and the pods of {owner.name} cannot find each other.",
                remedy=f"Make it a LeaderWorkerSet with size: {shape.hosts}, or select a slice of one host.",
            )


@object_rule(
    "slice-ends-as-one",
    summary="a Job on a multi-host slice is complete when all pods that it runs at a time have succeeded",
    why="Otherwise it ends with the first pod, or starts again on a part of the slice.",
    source=_JOBS,
    family=Family.TOPOLOGY,
    kinds=_JOBS_OF,
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
    kinds=_JOBS_OF,
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


RUN_SHAPE_RULES: Final = (
    _pod_takes_its_whole_host,
    _tpu_request_is_limit,
    _chips_are_whole,
    _slice_pods_ask_for_chips,
    _slice_has_a_pod_per_host,
    _slice_has_numbered_pods,
    _slice_ends_as_one,
    _hosts_are_numbered,
)
