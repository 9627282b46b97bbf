"""From a Workload, as the API server has it, to the lines that a record lacks, by what it says already.

Only the Workload's own conditions and times are read, never events, which a cluster forgets after an hour. They say
when quota was reserved last, and when the Workload was evicted last; an eviction that happened before these while
nobody watched is written with `late`.

Source: Kueue 0.19.2, pkg/workload/workload.go (SetQuotaReservation, UnsetQuotaReservationWithCondition) and
pkg/workload/evict/evict.go: an eviction sets Evicted, and QuotaReserved becomes False once the job has stopped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from components.kubeapi import Api, ApiError
from components.kubeapi.documents import Document, condition, entries, is_true, section
from components.kubeapi.owners import OWNERS
from tpu.trace.lines import (
    REQUIRED,
    Admitted,
    Asked,
    Assignment,
    Evicted,
    Finished,
    Gone,
    Line,
    OfWorkload,
    Paused,
    PodSet,
    PriorityClass,
    Ready,
    Reclaimed,
    Released,
    Reserved,
    Resumed,
    Seen,
    Unready,
    moment,
)
from tpu.trace.requests import requests_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_RESERVED: Final = "QuotaReserved"
_READY: Final = "PodsReady"
_UNKNOWN: Final = "Unknown"


_FLAGS: Final[dict[type[OfWorkload], tuple[str, bool]]] = {
    Admitted: ("is_admitted", True),
    Ready: ("is_ready", True),
    Unready: ("is_ready", False),
    Paused: ("is_paused", True),
    Resumed: ("is_paused", False),
    Finished: ("is_over", True),
    Gone: ("is_over", True),
}
"""By line: the field of `Known` that it sets."""


@dataclass(slots=True)
class Known:
    """The last state of one Workload."""

    reserved: int | None = None
    """When its quota was reserved; None while it has none."""
    evicted: int | None = None
    """When it was evicted last."""
    is_admitted: bool = False
    is_ready: bool = False
    is_paused: bool = False
    is_over: bool = False
    reclaimed: dict[str, int] = field(default_factory=dict[str, int])

    version: int = 0
    """The resourceVersion of the Workload from which the last line was written."""

    def take(self, line: OfWorkload) -> None:
        """Take in one line."""
        self.version = self.version if line.version is None else int(line.version)
        if type(line) in _FLAGS:
            name, value = _FLAGS[type(line)]
            setattr(self, name, value)
        elif isinstance(line, Reserved | Released):
            self.reserved, self.reclaimed = line.at if isinstance(line, Reserved) else None, {}
            self.is_admitted = self.is_ready = False
        elif isinstance(line, Evicted):
            self.evicted = line.at
        elif isinstance(line, Reclaimed):
            self.reclaimed = line.pods


class Knowledge:
    """The state of every Workload of a record, and where the recorder goes on."""

    def __init__(self) -> None:
        self.workloads: dict[str, Known] = {}
        """By uid."""
        self.version: str | None = None
        """The resourceVersion up to which the record has everything."""
        self.at = 0
        """The latest moment in the record."""

    def take(self, line: Line) -> None:
        """Take in one line."""
        self.at = max(self.at, line.at)
        if isinstance(line, Seen):
            self.version = line.version
        elif isinstance(line, OfWorkload):
            self.workloads.setdefault(line.uid, Known()).take(line)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a Workload does not say itself."""

    team_of: Callable[[Document], str]
    """The team of a Workload."""
    cluster_queue_of: Callable[[str, str], str | None]
    """The ClusterQueue of a LocalQueue, by namespace and name."""
    shown: Callable[[int], int]
    """The moment that a record has for one of the API server: another one where time is simulated."""
    now: int
    """The moment of the record at which the Workload was seen."""


def is_variant(workload: Document) -> bool:
    """Whether Kueue made it to try one flavor for another Workload, which has the result in its own status."""
    owners = entries(workload, "metadata", "ownerReferences")
    return bool(owners) and owners[0].get("kind") == "Workload"


def lines_of(workload: Document, known: Known | None, view: View, pods_ready: int | None = None) -> list[OfWorkload]:
    """What the record lacks about a Workload, in the order in which it happened.

    Args:
        workload: as the API server has it.
        known: what the record has of it; None for nothing.
        view: the rest.
        pods_ready: when its pods started, for clusters in which Kueue does not follow them.
    """
    found: list[OfWorkload] = []
    state, version = Known() if known is None else known, str(workload["metadata"]["resourceVersion"])
    if int(version) < state.version:  # the API server repeats the past
        return []
    if known is None:
        found.append(_asked(workload, view))
    if not state.is_over:
        found += _Reading(workload, state, view, pods_ready).lines()
    return [line.model_copy(update={"version": version}) for line in found]


class _Reading:
    """One Workload and the state that the record has of it."""

    def __init__(self, workload: Document, known: Known, view: View, pods_ready: int | None) -> None:
        self._workload, self._known, self._view, self._pods_ready = workload, known, view, pods_ready
        self._uid: str = workload["metadata"]["uid"]
        self._reserved = self._since(_RESERVED)
        self._evicted = self._since("Evicted")
        if self._evicted is not None and known.evicted is not None and self._evicted <= known.evicted:
            self._evicted = None  # the record has it

    def lines(self) -> Iterator[OfWorkload]:
        held = self._known.reserved
        is_new = self._reserved is not None and self._reserved != held
        if held is not None and self._reserved != held:
            yield from self._end(held)
        elif self._evicted is not None and not is_new:
            yield self._eviction(self._evicted)
        if is_new and self._reserved is not None:
            yield from self._begin(self._reserved)
        yield from self._course(is_new=is_new)
        if is_new and self._evicted is not None and self._reserved is not None and self._evicted >= self._reserved:
            yield self._eviction(self._evicted)
        over = self._since("Finished")
        if over is None:
            yield from self._unstamped(is_new=is_new)
        else:
            yield Finished(at=over, uid=self._uid, reason=str(condition(self._workload, "Finished").get("reason")))

    def _end(self, held: int) -> Iterator[OfWorkload]:
        """The end of the admission that the record has."""
        released = self._transition(_RESERVED) if self._reserved is None else self._reserved
        is_written = self._known.evicted is not None and self._known.evicted >= held
        if not is_written:
            is_this = self._evicted is not None and held <= self._evicted <= released
            yield self._eviction(self._evicted if is_this and self._evicted else released, is_late=not is_this)
        yield Released(at=released, uid=self._uid)

    def _begin(self, reserved: int) -> Iterator[OfWorkload]:
        admission = section(self._workload, "status", "admission")
        sets = {each["name"]: each for each in entries(self._workload, "spec", "podSets")}
        yield Reserved(
            at=reserved,
            uid=self._uid,
            cluster_queue=str(admission.get("clusterQueue", "")),
            pod_sets=tuple(
                Assignment(
                    name=each["name"],
                    count=int(each.get("count", sets.get(each["name"], {}).get("count", 1))),
                    flavors=dict(section(each, "flavors")),
                    usage={name: str(amount) for name, amount in section(each, "resourceUsage").items()},
                )
                for each in entries(admission, "podSetAssignments")
            ),
        )

    def _course(self, *, is_new: bool) -> Iterator[OfWorkload]:
        """How the present admission goes on."""
        if self._reserved is None:
            return
        admitted = self._since("Admitted")
        if admitted is not None and (is_new or not self._known.is_admitted):
            yield Admitted(at=admitted, uid=self._uid)
        is_ready = self._known.is_ready and not is_new
        stated = condition(self._workload, _READY).get("status")
        ready = self._since(_READY) if stated else self._pods_ready
        if ready is not None and not is_ready and ready >= self._reserved:
            yield Ready(at=ready, uid=self._uid)
        elif stated == "False" and is_ready:
            yield Unready(at=self._transition(_READY), uid=self._uid)

    def _unstamped(self, *, is_new: bool) -> Iterator[OfWorkload]:
        """Changes whose moment the Workload does not have: that at which they are seen, after all others."""
        reclaimed = {each["name"]: int(each["count"]) for each in entries(self._workload, "status", "reclaimablePods")}
        is_other = is_new or reclaimed != self._known.reclaimed
        if self._reserved is not None and self._evicted is None and reclaimed and is_other:
            yield Reclaimed(at=self._view.now, uid=self._uid, pods=reclaimed)
        is_paused = section(self._workload, "spec").get("active") is False
        if is_paused != self._known.is_paused:
            kind = Paused if is_paused else Resumed
            yield kind(at=self._view.now, uid=self._uid)

    def _eviction(self, at: int, *, is_late: bool = False) -> Evicted:
        stated = condition(self._workload, "Evicted")
        reason = _UNKNOWN if is_late else str(stated.get("reason", _UNKNOWN))
        message = "" if is_late else str(stated.get("message", ""))
        return Evicted(at=at, uid=self._uid, reason=reason, message=message, late=is_late)

    def _since(self, type_: str) -> int | None:
        """Since when a condition is True; None while it is not."""
        return self._transition(type_) if is_true(self._workload, type_) else None

    def _transition(self, type_: str) -> int:
        stamp = condition(self._workload, type_).get("lastTransitionTime")
        return self._view.now if stamp is None else self._view.shown(moment(stamp))


def _asked(workload: Document, view: View) -> Asked:
    metadata, spec = workload["metadata"], section(workload, "spec")
    owner = next(iter(entries(metadata, "ownerReferences")), {"kind": "Workload", "name": metadata["name"]})
    priority, queue = section(spec, "priorityClassRef"), str(spec.get("queueName", ""))
    return Asked(
        at=view.shown(moment(metadata["creationTimestamp"])),
        uid=metadata["uid"],
        namespace=metadata["namespace"],
        name=metadata["name"],
        job=f"{owner['kind']}/{owner['name']}",
        team=view.team_of(workload),
        queue=queue,
        cluster_queue=view.cluster_queue_of(metadata["namespace"], queue),
        priority=int(spec.get("priority", 0)),
        priority_class=PriorityClass(**priority) if priority else None,
        pod_sets=tuple(_pod_set(each) for each in entries(spec, "podSets")),
        max_seconds=spec.get("maximumExecutionTimeSeconds"),
    )


def _pod_set(document: Document) -> PodSet:
    pod = section(document, "template", "spec")
    affinity: dict[str, Any] = section(pod, "affinity", "nodeAffinity", REQUIRED)
    topology: dict[str, Any] = section(document, "topologyRequest")
    return PodSet(
        name=document["name"],
        count=int(document.get("count", 1)),
        min_count=document.get("minCount"),
        requests=requests_of(pod),
        node_selector=dict(section(pod, "nodeSelector")),
        node_affinity=affinity or None,
        tolerations=tuple(entries(pod, "tolerations")),
        topology=topology or None,
    )


_LABELS: Final = {each.kind.name: each.name_label for each in OWNERS if each.ends}
"""On the pods of a job, by the job's kind: a label whose value is the job's name."""


def needs_pods(workload: Document) -> bool:
    """Whether only its pods say when it started: it is admitted, and Kueue does not follow its pods."""
    return is_true(workload, "Admitted") and not condition(workload, _READY)


def started(api: Api, workload: Document) -> int | None:
    """When the last of its pods started; None while some have not, or where nobody can know it.

    Nobody can where the kind of its job is unknown, or the credentials do not allow to list pods.

    Raises:
        kubeapi.ApiError, kubeapi.UnreachableError: the pods could not be read.
    """
    owner = next(iter(entries(workload, "metadata", "ownerReferences")), Document())
    label = _LABELS.get(str(owner.get("kind")))
    if label is None:
        return None
    path = f"/api/v1/namespaces/{workload['metadata']['namespace']}/pods"
    try:
        pods = api.items(path, {"labelSelector": f"{label}={owner['name']}"})
    except ApiError as error:
        if error.is_forbidden:
            return None
        raise
    moments = [_started(pod) for pod in pods]
    known = [each for each in moments if each is not None]
    needed = sum(int(each.get("count", 1)) for each in entries(workload, "spec", "podSets"))
    return max(known) if known and len(known) >= needed else None


def _started(pod: Document) -> int | None:
    """When the first of its containers started; None for a pod that has not started, or is being deleted."""
    if pod["metadata"].get("deletionTimestamp"):
        return None
    states = [section(each, "state") for each in entries(pod, "status", "containerStatuses")]
    stamps = [
        section(state, name).get("startedAt") for state in states for name in ("running", "terminated") if name in state
    ]
    found = [moment(stamp) for stamp in stamps if stamp]
    return min(found, default=None)
