"""Rules about the pods of a workload and the hosts of its slices: a pod for each host, and one Job for each slice.

The hosts of a slice start together, exchange data as one mesh, and end together.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds, pathways, tpu
from components.model.facts.failures import BACKOFF_LIMIT
from components.model.findings import Finding, Severity, counted, listing
from components.model.rule import Family
from components.model.rules.run import (
    impossible_multislice,
    indistinct_pools,
    job_stays_in_a_slice,
    multislice_is_multi_host,
)
from policies.objects.judging import object_rule, read_in_world, world_rule
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
from policies.objects.requested_slices import (
    comes_undeclared,
    is_multi_host,
    is_topology_aware,
    labels_by_flavor,
    labels_wanted,
    serving,
)
from policies.objects.shapes import part_asked_for, shape_for, shape_in_common, shape_of, shapes_left, shapes_of
from policies.objects.values import Part, variables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.places import Place
    from policies.objects.pods import PodGroup
    from policies.objects.world import Object, World

FAMILY: Final = Family.TOPOLOGY

_GKE_TPUS: Final = 'GKE documentation "About TPUs in GKE", read 2026-11'
_JOBS: Final = 'Kubernetes documentation "Jobs", read 2026-11'
_EXTENDED: Final = 'Kubernetes documentation "Advertise Extended Resources for a Node", read 2026-11'
_INDEXED: Final = "Indexed"
_JOBS_OF: Final = (*RUNS, kinds.CRON_JOB)
"""Kinds that make Jobs."""
_SLICE: Final = (gke.LABEL_TPU_TOPOLOGY, gke.LABEL_TPU_ACCELERATOR)
_MULTISLICE_VARIABLES: Final = "MEGASCALE_"
_MULTISLICE: Final = 'GKE documentation "TPU multislice", read 2026-11'


@object_rule(
    summary="the containers of a pod on a slice ask for all chips of a host together, and for no more",
    why="A host serves one pod: with fewer chips the runtime finds no mesh, and for more there is no node.",
    source=_GKE_TPUS,
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
    summary="containers ask for as many chips as they are limited to",
    why="The API server refuses chips without a limit, and a request that is not the limit.",
    source=_EXTENDED,
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
    summary="containers ask for whole chips",
    why="The API server refuses a part of an extended resource.",
    source=_EXTENDED,
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
    summary="pods that select a TPU slice ask for chips",
    why="GKE keeps TPU nodes for pods that ask for chips: other pods stay Pending, or run without a TPU.",
    source=_GKE_TPUS,
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
    summary="a Job, or a group of pods, on a multi-host slice runs as many pods at a time as the slice has hosts",
    why="With fewer the runtime waits for the missing hosts for ever; for more there is no host.",
    source=_GKE_TPUS,
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
    summary="pods of a Deployment run on slices of one host",
    why="The hosts of a slice form a mesh by the numbers and the names of their pods; those of a Deployment have none.",
    source=_GKE_TPUS,
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
    summary="a Job on a multi-host slice is complete when all pods that it runs at a time have succeeded",
    why="Otherwise it ends with the first pod, or starts again on a part of the slice.",
    source=_JOBS,
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
    summary="a Job on a multi-host slice is Indexed",
    why="GKE takes a host's place in the mesh (TPU_WORKER_ID) from the index of its pod.",
    source=_GKE_TPUS,
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


@object_rule(
    summary="a JobSet of several multi-host slices keeps each of its Jobs in a slice of its own",
    why="The scheduler knows no slices: pods of two Jobs mix in one, and neither makes a mesh.",
    source="JobSet 0.12.0, pkg/webhooks/pod_mutating_webhook.go",
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
    summary="a Job with a slice to itself replaces no failed pod: backoffLimit is 0",
    why="The failed first pod stays beside its replacement. JobSet finds two leaders and refuses every other pod of "
    "the Job for ever, and the JobSet neither fails nor restarts.",
    source="JobSet 0.11.0 and 0.12.0, leaderPodForFollower in pkg/webhooks; mended after 0.12.0 by "
    "kubernetes-sigs/jobset#1276",
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
        if shape is not None and (shape.hosts > 1 or _work_together(group)) and not _has_pathways(group):
            place = group.part.place.at("replicas")
            yield from impossible_multislice(group.replicas, shape.topology, shape.hosts, shape.machine.name, place)


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
            yield from indistinct_pools(
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
    summary="a run without a queue asks for no more slices than the pools that serve it have",
    why="Some of its pods would stay Pending for ever, while the others hold their slices.",
    source=_MULTISLICE,
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


def _has_pathways(group: PodGroup) -> bool:
    """Whether pods run the server of Pathways, which has a way of its own between slices."""
    return any(_is_pathways(container) for container in group.all_containers)


def _is_pathways(container: Part) -> bool:
    return container.string("image", default="").startswith(pathways.SERVER_REPOSITORY)


@object_rule(
    summary="the resource manager of Pathways knows the slices of its workers",
    why="The program waits for devices for ever where their type or their number is another one.",
    source="google/pathways-job, internal/controller/pathwaysjob_controller.go, read 2026-11",
    kinds=(kinds.JOBSET,),
)
def _pathways_knows_its_slices(owner: Object) -> Iterator[Finding]:
    for group in tpu_groups(owner):
        shape = shape_of(group)
        if shape is None:
            continue
        wanted = {
            "--instance_type": pathways.instance_type(shape.machine.name, shape.topology),
            "--instance_count": str(group.replicas),
        }
        for place, option, stated in _of_resource_managers(owner):
            if not wanted[option]:
                yield Finding(
                    place=place,
                    says=f"Pathways does not run on {shape.machine.name}, which the workers have.",
                    remedy="Select slices of another machine type.",
                )
            elif stated != wanted[option]:
                yield Finding(
                    place=place,
                    says=f"it is {stated}, and the workers have {counted(group.replicas, 'slice')} of "
                    f"{shape.topology} of {shape.machine.name}.",
                    remedy=f"Write {option}={wanted[option]}.",
                )


def _of_resource_managers(owner: Object) -> Iterator[tuple[Place, str, str]]:
    """The options that describe the slices to resource managers of Pathways, each with its place and its value."""
    for container in (each for group in pod_groups(owner) for each in group.all_containers):
        if _is_pathways(container):
            for index, word in enumerate(container.texts("args")):
                option, _, value = word.partition("=")
                if option in ("--instance_type", "--instance_count"):
                    yield container.place.at("args", index), option, value
