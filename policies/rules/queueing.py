"""Rules about workloads in queues: the labels that Kueue reads, priorities, quota, partial admission and Ray.

A WorkloadPriorityClass of Kueue may have any name and value; rules over a plan check who preempts whom, and chips.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.facts.apis.served import KUEUE_RELEASES
from components.model.findings import Finding, Severity, about_key, counted, did_you_mean, listing, unlisted
from components.model.rule import Edit, Family
from components.model.rules.priority import (
    missing_priority,
    priority_is_users,
    run_states_its_priority,
    system_priority,
)
from policies.objects.judging import object_rule, read_in_object, read_in_world, world_rule
from policies.objects.kueue_config import FRAMEWORKS, counting, frameworks
from policies.objects.ownership import labels_of, queue_name, queue_of
from policies.objects.pods import MAKERS, RUNS, pod_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.places import Place
    from policies.objects.values import Part
    from policies.objects.world import Object, World

FAMILY: Final = Family.QUOTA

_QUEUES: Final = 'Kueue documentation "Local Queue", read 2026-11'
_PRIORITIES: Final = 'Kueue documentation "Workload Priority Class", read 2026-11'
_CONSTANTS: Final = "Kueue 0.16.2 and 0.19.2, pkg/controller/constants/constants.go"
_POD_PRIORITY: Final = 'Kubernetes documentation "Pod Priority and Preemption", read 2026-11'
_KNOWN_KEYS: Final = tuple(key for key in gke.KUEUE_KEYS if key not in gke.KUEUE_OWN_KEYS)
"""The keys that somebody may have meant to write."""
_LABELS: Final = ("metadata", "labels")
_LABELLED: Final = (*RUNS, kinds.CRON_JOB)
_JOB_TEMPLATES: Final = {kinds.JOBSET: ("template",), kinds.CRON_JOB: ("spec", "jobTemplate")}
"""Where a kind has the template of its Jobs, from the part that names a group of pods."""
_ANNOTATIONS: Final = ("metadata", "annotations")
_QUEUE: Final = 'Kueue documentation "ClusterQueue", read 2026-11'
_SYSTEM_CLASSES: Final = ("system-cluster-critical", "system-node-critical")
"""The classes that every cluster has; a dump shows them."""
_JOB_SPECS: Final = {kinds.JOB: (), kinds.CRON_JOB: ("spec", "jobTemplate")}
"""Where a kind describes its Job."""
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,18}")
"""The text that Go reads as a number."""
_RAY_SPECS: Final = {
    kinds.RAY_CLUSTER: ("spec",),
    kinds.RAY_JOB: ("spec", "rayClusterSpec"),
}
"""Where a kind describes its cluster."""
_ELASTIC: Final = f"{gke.KUEUE_DOMAIN}elastic-job"
_ENDS: Final = "shutdownAfterJobFinishes"
_SELECTS: Final = "clusterSelector"
_SCALES: Final = "enableInTreeAutoscaling"


@world_rule(
    summary="queues cover every resource that their workloads request, not only chips",
    why="Kueue never admits a workload that requests a resource without quota in its queue.",
    source=_QUEUE,
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
                yield about_key(
                    place=container.place.at("resources", place_of, asked),
                    says=f"{queue.name} has no quota of {resource}; {run.name} would wait for ever.",
                    remedy=f"Do not request it, or cover it in {queue.name}. Covered: {listing(covered)}.",
                )


@world_rule(
    summary="a workload selects the nodes of a flavor of its queue",
    why="Kueue looks for a flavor whose labels match the pods' selector, and does not admit the workload without one.",
    source="Kueue 0.16.2 and 0.19.2, pkg/scheduler/flavorassigner/flavorassigner.go",
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
    summary="Kueue manages the kinds of workloads that are in its queues",
    why="Kueue leaves other kinds alone: they start at once, without quota. By default it manages only Jobs.",
    source="Kueue 0.16.2 and 0.19.2, apis/config/v1beta2/defaults.go",
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


def _templates(owner: Object) -> Iterator[Part]:
    """The parts of a run with metadata of their own: the templates of its Jobs, and of their pods."""
    for group in pod_groups(owner):
        job = group.part.part(*_JOB_TEMPLATES[owner.kind]) if owner.kind in _JOB_TEMPLATES else None
        if job is not None:
            yield job
        if owner.kind is not kinds.POD:
            yield group.template


def _misplaced(owner: Object, key: str) -> Iterator[tuple[Place, str, str]]:
    """Where a key that belongs on the run stands instead, with its value and a word for the place."""
    if owner.text(*labels_of(owner), key) is not None:
        return
    for part in (owner, *_templates(owner)):
        for path in (_ANNOTATIONS, _LABELS):
            value = part.text(*path, key)
            if value is not None:
                label = f"a label of the {owner.kind.name}" if part is owner else "a label of a template"
                yield part.place.at(*path, key), value, label if path is _LABELS else "an annotation"


def _move(owner: Object, key: str, value: str) -> str:
    return f"Move it to {'.'.join(labels_of(owner))} of the {owner.kind.name}: {key}: {value}."


def _queue_label(run: Object) -> Iterator[Edit]:
    """The queue that an annotation of the run names, or a label of a CronJob, as the label that Kueue reads."""
    home = (*labels_of(run), gke.LABEL_QUEUE_NAME)
    for path in (_ANNOTATIONS, _LABELS):
        stated = (*path, gke.LABEL_QUEUE_NAME)
        queue = run.text(*stated)
        if queue is not None and stated != home:
            yield Edit(home, queue)
            yield Edit(stated, None)


@object_rule(
    summary="a run names its queue in a label of its own",
    why="Kueue reads labels of the run only: it starts outside of every quota, or stays suspended for ever.",
    source=_QUEUES,
    kinds=_LABELLED,
    fix=_queue_label,
)
def _queue_is_a_label_of_the_run(owner: Object) -> Iterator[Finding]:
    for place, value, word in _misplaced(owner, gke.LABEL_QUEUE_NAME):
        yield about_key(
            place=place,
            says=f"{value} is named in {word}, which Kueue does not read.",
            remedy=_move(owner, gke.LABEL_QUEUE_NAME, value),
        )


@object_rule(
    summary="a run names its priority in a label of its own",
    why="Kueue reads labels of the run only, and queues it as one without a priority.",
    source=_PRIORITIES,
    kinds=_LABELLED,
)
def _priority_is_a_label_of_the_run(owner: Object) -> Iterator[Finding]:
    for place, value, word in _misplaced(owner, gke.LABEL_WORKLOAD_PRIORITY):
        yield about_key(
            place=place,
            says=f"{value} is named in {word}, which Kueue does not read.",
            remedy=_move(owner, gke.LABEL_WORKLOAD_PRIORITY, value),
        )


@world_rule(
    summary="the priority label of a run names a WorkloadPriorityClass, not a PriorityClass",
    why="Kueue finds no such class and makes no Workload; the run stays suspended with no word but in Kueue's log.",
    source=_PRIORITIES,
    kinds=RUNS,
)
def _priority_label_is_kueues(owner: Object, world: World) -> Iterator[Finding]:
    name = owner.text(*_LABELS, gke.LABEL_WORKLOAD_PRIORITY)
    # Where there is any WorkloadPriorityClass, the rule about names reports one that is missing.
    if name is None or world.of(kinds.WORKLOAD_PRIORITY):
        return
    if world.named(kinds.PRIORITY_CLASS, name) is not None:
        yield Finding(
            place=owner.place.at(*_LABELS, gke.LABEL_WORKLOAD_PRIORITY),
            says=f"{name} is a PriorityClass, and the label names a WorkloadPriorityClass.",
            remedy=f"Declare a WorkloadPriorityClass {name} with the same value.",
        )


@object_rule(
    summary="runs in a queue take their priority from a WorkloadPriorityClass",
    why="Kueue takes that of the pods' PriorityClass, and the scheduler then evicts pods by it as well.",
    source=_PRIORITIES,
    kinds=RUNS,
    severity=Severity.ADVICE,
)
def _queued_priority_is_the_queues(owner: Object) -> Iterator[Finding]:
    labels = (*_LABELS, gke.LABEL_QUEUE_NAME), (*_LABELS, gke.LABEL_WORKLOAD_PRIORITY)
    if owner.text(*labels[0]) is None or owner.text(*labels[1]) is not None:
        return
    for group in pod_groups(owner):
        name = group.template.text("spec", "priorityClassName")
        if name is not None:
            yield Finding(
                place=group.template.place.at("spec", "priorityClassName"),
                says=f"{name} decides who is evicted in the queue, and which pods the scheduler evicts too.",
                remedy=f"Name a WorkloadPriorityClass in the label {gke.LABEL_WORKLOAD_PRIORITY}.",
            )


@read_in_world(
    run_states_its_priority,
    kinds=RUNS,
    needs=(kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE, kinds.WORKLOAD_PRIORITY),
)
def _run_states_its_priority(owner: Object, world: World) -> Iterator[Finding]:
    if owner.text(*_LABELS, gke.LABEL_WORKLOAD_PRIORITY) is not None or _has_pod_priority(owner):
        return
    queue = queue_of(owner, world)
    if queue is not None and queue.string("spec", "preemption", "withinClusterQueue", default="Never") != "Never":
        place = owner.place.at(*_LABELS, gke.LABEL_WORKLOAD_PRIORITY)
        yield from missing_priority(_priorities(world), queue.name, place)


@lru_cache(maxsize=1)
def _priorities(world: World) -> Mapping[str, int]:
    """The value of each WorkloadPriorityClass; every run without a priority asks for them."""
    return {each.name: each.count("value") for each in world.of(kinds.WORKLOAD_PRIORITY)}


def _has_pod_priority(owner: Object) -> bool:
    return any(group.template.text("spec", "priorityClassName") is not None for group in pod_groups(owner))


@object_rule(
    summary="labels and annotations of Kueue's domain are ones that Kueue has",
    why="Kueue ignores others: whatever they were meant to do does not happen.",
    source=_CONSTANTS,
    kinds=MAKERS,
    severity=Severity.WARNING,
)
def _kueue_has_the_label(owner: Object) -> Iterator[Finding]:
    for part in (owner, *_templates(owner)):
        for path in (_LABELS, _ANNOTATIONS):
            for key in part.labels(*path):
                if key.startswith(gke.KUEUE_DOMAIN) and key not in gke.KUEUE_KEYS:
                    yield about_key(
                        place=part.place.at(*path, key),
                        says=f"{KUEUE_RELEASES} knows no such key.",
                        remedy=f"{did_you_mean(key, _KNOWN_KEYS)}Remove it; a run is Kueue's by its label "
                        f"{gke.LABEL_QUEUE_NAME}.",
                    )


@world_rule(
    summary="pods name a PriorityClass that is declared",
    why="The API server refuses the pods, and Kueue makes no Workload of the run.",
    source=_POD_PRIORITY,
    kinds=MAKERS,
    needs=(kinds.PRIORITY_CLASS,),
    severity=Severity.WARNING,
)
def _pod_priority_exists(owner: Object, world: World) -> Iterator[Finding]:
    for group in pod_groups(owner):
        name = group.template.text("spec", "priorityClassName")
        if name is None or name.startswith(gke.SYSTEM_PRIORITY_PREFIX):
            continue
        if world.named(kinds.PRIORITY_CLASS, name) is None:
            known = [each.name for each in world.of(kinds.PRIORITY_CLASS)]
            yield unlisted(
                group.template.place.at("spec", "priorityClassName"),
                "PriorityClass here",
                name,
                known,
                "PriorityClasses",
            )


@read_in_object(priority_is_users, kinds=(kinds.PRIORITY_CLASS,))
def _priority_is_users(priority: Object) -> Iterator[Finding]:
    if priority.name not in _SYSTEM_CLASSES:
        place = priority.place.with_key_names(name=("metadata", "name"))
        yield from system_priority(priority.name, priority.count("value"), place)


@object_rule(
    summary=f"pods have a priority of at least {gke.AUTOSCALER_PRIORITY_FLOOR}, so that nodes are made for them",
    why="The cluster autoscaler leaves pods of a lower priority aside: slices that come with the work never come.",
    source='GKE documentation "About GKE cluster autoscaling", read 2026-11',
    kinds=(kinds.PRIORITY_CLASS,),
    severity=Severity.WARNING,
)
def _priority_brings_nodes(priority: Object) -> Iterator[Finding]:
    value = priority.whole("value")
    if value is not None and value < gke.AUTOSCALER_PRIORITY_FLOOR:
        yield Finding(
            place=priority.place.at("value"),
            says=f"no node is made for pods of priority {value}.",
            remedy=f"Set {gke.AUTOSCALER_PRIORITY_FLOOR} or more, unless these pods are to wait for idle nodes.",
        )


@world_rule(
    summary="one PriorityClass at most is that of pods that name none",
    why="The API server refuses a second one.",
    source=_POD_PRIORITY,
    kinds=(kinds.PRIORITY_CLASS,),
)
def _default_priority_is_one(priority: Object, world: World) -> Iterator[Finding]:
    if not priority.flag("globalDefault"):
        return
    before: list[str] = []
    for each in world.of(kinds.PRIORITY_CLASS):
        if each is priority:
            break
        if each.flag("globalDefault"):
            before.append(each.name)
    if before:
        yield Finding(
            place=priority.place.at("globalDefault"),
            says=f"{listing(before)} is the default already.",
            remedy="Set globalDefault: false for all but one.",
        )


@object_rule(
    summary="the number of pods with which Kueue may start a Job is at least 1, and less than the Job has",
    why="Kueue's webhook refuses the Job. It reads the annotation of Jobs alone: on another kind it has no effect.",
    source="Kueue 0.16.2 and 0.19.2, pkg/controller/jobs/job, job_webhook.go",
    kinds=kinds.QUEUED_KINDS,
    also_warns=True,
)
def _min_parallelism_is_below_the_pods(run: Object) -> Iterator[Finding]:
    start = _JOB_SPECS.get(run.kind, ())
    path = (*start, "metadata", "annotations", gke.ANNOTATION_MIN_PARALLELISM)
    stated = run.text(*path)
    if stated is None:
        return
    place = run.place.at(*path)
    if run.kind not in _JOB_SPECS:
        yield about_key(
            place=place,
            says=f"it has no effect on a {run.kind.name}.",
            remedy="Remove the annotation.",
            severity=Severity.WARNING,
        )
        return
    spec = (*start, "spec")
    parallelism = run.whole(*spec, "parallelism")
    parallelism = 1 if parallelism is None else parallelism
    completions = run.whole(*spec, "completions")
    yield from _judged(run, place, stated, parallelism if completions is None else min(parallelism, completions))


def _judged(run: Object, place: Place, stated: str, pods: int) -> Iterator[Finding]:
    """The fault of a number that is stated for a Job of as many pods at a time."""
    if _NUMBER.fullmatch(stated) is None:
        says = f"{stated} is not a whole number."
    elif int(stated) < 1:
        says = f"{stated} is less than one pod."
    elif int(stated) >= pods:
        says = f"{stated} is not less than the {counted(pods, 'pod')} that {run.name} runs at a time."
    else:
        return
    most = pods - 1
    remedy = f'Set "{most}"{" or less" if most > 1 else ""}.' if most > 0 else "Remove the annotation."
    yield Finding(place=place, says=says, remedy=remedy)


@object_rule(
    summary="a queued RayJob makes a cluster and deletes it when it ends, and a queued Ray cluster keeps its size",
    why="Kueue's webhook refuses it: the cluster would keep its quota, outgrow it, or have none.",
    source="Kueue 0.16.2 and 0.19.2, pkg/controller/jobs/rayjob and raycluster",
    kinds=tuple(_RAY_SPECS),
)
def _queued_ray_gives_back(owner: Object) -> Iterator[Finding]:
    cluster = owner.part(*_RAY_SPECS[owner.kind])
    if queue_name(owner) is None or cluster is None:
        return
    if owner.has("spec", _SELECTS):
        yield about_key(
            place=owner.place.at("spec", _SELECTS),
            says=f"{owner.name} has a cluster of its own, rayClusterSpec.",
            remedy="Remove one of the two. Without rayClusterSpec it uses no quota of the queue.",
        )
        return
    if owner.kind is kinds.RAY_JOB and not owner.flag("spec", _ENDS):
        yield Finding(
            place=owner.place.at("spec", _ENDS),
            says=f"not true, so the cluster of {owner.name} would keep its quota.",
            remedy="Set true.",
        )
    yield from _growing(owner, cluster)


def _growing(owner: Object, cluster: Part) -> Iterator[Finding]:
    if cluster.flag(_SCALES) and not owner.has("metadata", "annotations", _ELASTIC):
        yield Finding(
            place=cluster.place.at(_SCALES),
            says=f"{owner.name} is in a queue, which gives it a fixed number of pods.",
            remedy="Remove the key.",
        )
