"""Rules about what Kueue reads of a run: its queue and its priority, as labels of the run itself."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.facts.apis.served import KUEUE_RELEASES
from components.model.findings import Finding, Severity, did_you_mean, listing
from components.model.rule import Edit, Family
from components.model.rules.priority import outranked, run_states_its_priority
from policies.objects.belonging import labels_of, queue_of
from policies.objects.judging import object_rule, read_in_world, world_rule
from policies.objects.pods import MAKERS, RUNS, pod_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.places import Place
    from policies.objects.values import Part
    from policies.objects.world import Object, World

_QUEUES: Final = 'Kueue documentation "Local Queue", read 2026-11'
_PRIORITIES: Final = 'Kueue documentation "Workload Priority Class", read 2026-11'
_CONSTANTS: Final = "Kueue 0.16.2 and 0.19.2, pkg/controller/constants/constants.go"
_POD_PRIORITY: Final = 'Kubernetes documentation "Pod Priority and Preemption", read 2026-11'
_MEANT: Final = tuple(key for key in gke.KUEUE_KEYS if key not in gke.KUEUE_OWN_KEYS)
"""What somebody may have meant to write."""
_LABELS: Final = ("metadata", "labels")
_LABELLED: Final = (*RUNS, kinds.CRON_JOB)
_JOB_TEMPLATES: Final = {kinds.JOBSET: ("template",), kinds.CRON_JOB: ("spec", "jobTemplate")}
"""Where a kind has the template of its Jobs, from the part that names a group of pods."""
_ANNOTATIONS: Final = ("metadata", "annotations")


def _templates(owner: Object) -> Iterator[Part]:
    """What of a run has metadata of its own: the templates of its Jobs, and of their pods."""
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
    "queue-is-a-label-of-the-run",
    summary="a run names its queue in a label of its own",
    why="Kueue reads labels of the run only: it starts outside of every quota, or stays suspended for ever.",
    source=_QUEUES,
    family=Family.QUOTA,
    kinds=_LABELLED,
    fix=_queue_label,
)
def _queue_is_a_label_of_the_run(owner: Object) -> Iterator[Finding]:
    for place, value, word in _misplaced(owner, gke.LABEL_QUEUE_NAME):
        yield Finding(
            place=place,
            says=f"{value} is named in {word}, which Kueue does not read.",
            remedy=_move(owner, gke.LABEL_QUEUE_NAME, value),
            is_about_key=True,
        )


@object_rule(
    "priority-is-a-label-of-the-run",
    summary="a run names its priority in a label of its own",
    why="Kueue reads labels of the run only, and queues it as one without a priority.",
    source=_PRIORITIES,
    family=Family.QUOTA,
    kinds=_LABELLED,
)
def _priority_is_a_label_of_the_run(owner: Object) -> Iterator[Finding]:
    for place, value, word in _misplaced(owner, gke.LABEL_WORKLOAD_PRIORITY):
        yield Finding(
            place=place,
            says=f"{value} is named in {word}, which Kueue does not read.",
            remedy=_move(owner, gke.LABEL_WORKLOAD_PRIORITY, value),
            is_about_key=True,
        )


@world_rule(
    "priority-label-is-kueues",
    summary="the priority label of a run names a WorkloadPriorityClass, not a PriorityClass",
    why="Kueue finds no such class and makes no Workload; the run stays suspended with no word but in Kueue's log.",
    source=_PRIORITIES,
    family=Family.QUOTA,
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
    "queued-priority-is-the-queues",
    summary="runs in a queue take their priority from a WorkloadPriorityClass",
    why="Kueue takes that of the pods' PriorityClass, and the scheduler then evicts pods by it as well.",
    source=_PRIORITIES,
    family=Family.QUOTA,
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
        yield from outranked(_priorities(world), queue.name, owner.place.at(*_LABELS, gke.LABEL_WORKLOAD_PRIORITY))


@lru_cache(maxsize=1)
def _priorities(world: World) -> Mapping[str, int]:
    """The value of each WorkloadPriorityClass; every run without a priority asks for them.

    Raises:
        UndecidedError, MalformedError: a class cannot be read.
    """
    return {each.name: each.count("value") for each in world.of(kinds.WORKLOAD_PRIORITY)}


def _has_pod_priority(owner: Object) -> bool:
    return any(group.template.text("spec", "priorityClassName") is not None for group in pod_groups(owner))


@object_rule(
    "kueue-has-the-label",
    summary="labels and annotations of Kueue's domain are ones that Kueue has",
    why="Kueue ignores others: whatever they were meant to do does not happen.",
    source=_CONSTANTS,
    family=Family.QUOTA,
    kinds=MAKERS,
    severity=Severity.WARNING,
)
def _kueue_has_the_label(owner: Object) -> Iterator[Finding]:
    for part in (owner, *_templates(owner)):
        for path in (_LABELS, _ANNOTATIONS):
            for key in part.labels(*path):
                if key.startswith(gke.KUEUE_DOMAIN) and key not in gke.KUEUE_KEYS:
                    yield Finding(
                        place=part.place.at(*path, key),
                        says=f"{KUEUE_RELEASES} knows no such key.",
                        remedy=f"{did_you_mean(key, _MEANT)}Remove it; a run is Kueue's by its label "
                        f"{gke.LABEL_QUEUE_NAME}.",
                        is_about_key=True,
                    )


@world_rule(
    "pod-priority-exists",
    summary="pods name a PriorityClass that is declared",
    why="The API server refuses the pods, and Kueue makes no Workload of the run.",
    source=_POD_PRIORITY,
    family=Family.QUOTA,
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
            yield Finding(
                place=group.template.place.at("spec", "priorityClassName"),
                says=f"no PriorityClass here is named {name}.",
                remedy=f"{did_you_mean(name, known)}PriorityClasses: {listing(known)}.",
            )


RUN_LABEL_RULES: Final = (
    _queue_is_a_label_of_the_run,
    _priority_is_a_label_of_the_run,
    _priority_label_is_kueues,
    _queued_priority_is_the_queues,
    _run_states_its_priority,
    _kueue_has_the_label,
    _pod_priority_exists,
)
