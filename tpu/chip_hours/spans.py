"""From the lines of a record to spans: a Workload does one thing with some chips from one moment to another."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Final, TypeAlias

from tpu.trace.lines import (
    Admitted,
    Asked,
    Evicted,
    Finished,
    Gone,
    OfWorkload,
    Paused,
    Ready,
    Reclaimed,
    Released,
    Reserved,
    Resumed,
    Unready,
)
from tpu.trace.requests import ACCELERATORS, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tpu.trace.lines import Assignment
    from tpu.trace.reading import Remarks

NO_FLAVOR: Final = "-"
"""The flavor of chips that nobody has assigned yet."""
Where: TypeAlias = tuple[str, str]
"""Flavor and resource."""


class Part(Enum):
    """What a Workload does with chips."""

    WAITING = "waiting"
    """It asks for them."""
    RESERVED = "reserved"
    """It has their quota, and not all of its pods run."""
    USED = "used"
    """Its pods run on them."""
    LOST = "lost"
    """Its pods ran on them, and were evicted: what they did since their last checkpoint is lost."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose chips they are."""

    team: str
    queue: str
    """The ClusterQueue where it is known, else the LocalQueue."""
    job: str
    """The job with its namespace."""
    uid: str


@dataclass(frozen=True, slots=True)
class Span:
    """Chips of one flavor from one moment to another, in milliseconds since the epoch."""

    start: int
    end: int
    part: Part
    owner: Owner
    flavor: str
    resource: str
    chips: int


@dataclass(slots=True)
class _Life:
    """A Workload as far as the record has been read."""

    owner: Owner
    asked: Counter[Where]
    at: int
    """The moment of its last line."""
    since: int
    """Since when it does what it does."""
    assignments: tuple[Assignment, ...] = ()
    held: Counter[Where] = field(default_factory=Counter["Where"])
    """The chips whose quota it has; empty while it waits."""
    is_ready: bool = False
    was_ready: bool = False
    is_evicted: bool = False
    is_paused: bool = False
    admitted: int | None = None
    admission: list[Span] = field(default_factory=list["Span"])
    """The spans of its present admission, whose end says whether they were lost."""

    @property
    def is_holding(self) -> bool:
        """Whether it has quota."""
        return bool(self.assignments)


class Lives:
    """Reads lines in the order of the record, and gives the spans of each Workload once they are certain."""

    def __init__(self, remarks: Remarks) -> None:
        self._remarks = remarks
        self._lives: dict[str, _Life] = {}

    def take(self, line: OfWorkload) -> Iterator[Span]:
        """Take in a line: the spans that it ends for good."""
        if isinstance(line, Asked):
            self._ask(line)
            return
        life = self._lives.get(line.uid)
        if life is None:
            self._remarks.note("line", "about a Workload whose request is not in the record; left out")
            return
        at = self._forward(life, line.at)
        match line:
            case Reserved():
                if life.is_holding:
                    self._remarks.note("reservation", "the record lacks the end of the one before")
                    yield from self._release(life, at)
                yield from self._reserve(life, line, at)
            case Released():
                yield from self._release(life, at)
            case Finished() | Gone():
                yield from self._end(life, at, is_over=isinstance(line, Finished))
                del self._lives[line.uid]
            case Paused() | Resumed():
                yield from self._pause(life, at, is_paused=isinstance(line, Paused))
            case _:
                self._go_on(life, line, at)

    def rest(self, until: int) -> Iterator[Span]:
        """What goes on still, as far as `until`."""
        for life in self._lives.values():
            yield from self._end(life, max(until, life.at), is_over=False)

    def _ask(self, line: Asked) -> None:
        if line.uid in self._lives:
            self._remarks.note("Workload", "asked twice in the record; the first time counts")
            return
        if line.cluster_queue is None:
            self._remarks.note("Workload", "no such LocalQueue in the cluster")
        asked: Counter[Where] = Counter()
        for pods in line.pod_sets:
            for resource in ACCELERATORS:
                asked[NO_FLAVOR, resource] += pods.count * whole(pods.requests, resource)
        queue = line.queue if line.cluster_queue is None else line.cluster_queue
        job = f"{line.namespace}/{line.job.partition('/')[2]}"
        self._lives[line.uid] = _Life(Owner(line.team, queue, job, line.uid), +asked, line.at, line.at)

    def _forward(self, life: _Life, at: int) -> int:
        """The moment of a line, or that of the line before where the clock went back."""
        if at < life.at:
            self._remarks.note("line", "the moment is before that of the line before; the later one counts")
        life.at = max(life.at, at)
        return life.at

    def _reserve(self, life: _Life, line: Reserved, at: int) -> Iterator[Span]:
        yield from self._waited(life, at)
        life.owner = replace(life.owner, queue=line.cluster_queue)
        life.assignments, life.since = line.pod_sets, at
        life.held = _held(line.pod_sets, {})
        life.is_ready = life.was_ready = life.is_evicted = False
        life.admitted, life.admission = None, []

    def _go_on(self, life: _Life, line: OfWorkload, at: int) -> None:
        """What happens within an admission."""
        if not life.is_holding:
            if isinstance(line, Evicted):
                self._remarks.note("eviction", "the record does not have the admission that it ended")
            else:
                self._remarks.note("line", "about an admission that the record does not have; left out")
            return
        if isinstance(line, Admitted):
            life.admitted = at
        elif isinstance(line, Evicted):
            life.is_evicted = True
        elif isinstance(line, Ready | Unready | Reclaimed):
            self._step(life, at)
            if isinstance(line, Reclaimed):
                life.held = _held(life.assignments, line.pods)
            else:
                life.is_ready = isinstance(line, Ready)
                life.was_ready = life.was_ready or life.is_ready

    def _step(self, life: _Life, at: int) -> None:
        """Close what it did until now within its admission."""
        part = Part.USED if life.is_ready else Part.RESERVED
        life.admission += _spans(life, life.held, part, at)
        life.since = at

    def _release(self, life: _Life, at: int) -> Iterator[Span]:
        if not life.is_holding:
            return
        self._step(life, at)
        life.is_evicted = True
        yield from self._settled(life)
        life.assignments, life.held = (), Counter()

    def _end(self, life: _Life, at: int, *, is_over: bool) -> Iterator[Span]:
        if not life.is_holding:
            yield from self._waited(life, at)
            return
        self._step(life, at)
        if is_over and not life.was_ready:
            yield from self._guessed(life, at)
        else:
            yield from self._settled(life)

    def _guessed(self, life: _Life, at: int) -> Iterator[Span]:
        """The spans of an admission whose job ended, though nobody saw its pods: they ran since it was admitted."""
        self._remarks.note("Workload", "nobody saw when the pods started; used since the admission")
        admitted = at if life.admitted is None else life.admitted
        for each in life.admission:
            middle = min(max(admitted, each.start), each.end)
            yield replace(each, end=middle)
            yield replace(each, start=middle, part=Part.USED)

    def _settled(self, life: _Life) -> Iterator[Span]:
        """The spans of an admission at its end: what was used is lost where it was evicted."""
        for each in life.admission:
            yield replace(each, part=Part.LOST) if life.is_evicted and each.part is Part.USED else each
        life.admission = []

    def _pause(self, life: _Life, at: int, *, is_paused: bool) -> Iterator[Span]:
        if not life.is_holding:
            yield from self._waited(life, at)
        life.is_paused = is_paused

    def _waited(self, life: _Life, at: int) -> Iterator[Span]:
        """What it waited for until now, unless somebody had paused it."""
        if not life.is_paused:
            yield from _spans(life, life.asked, Part.WAITING, at)
        life.since = at


def _spans(life: _Life, chips: Counter[Where], part: Part, at: int) -> list[Span]:
    if at == life.since:
        return []
    return [
        Span(life.since, at, part, life.owner, flavor, resource, count)
        for (flavor, resource), count in chips.items()
        if count
    ]


def _held(assignments: Iterable[Assignment], reclaimed: dict[str, int]) -> Counter[Where]:
    """The chips of an admission, without those of pods whose quota is free."""
    found: Counter[Where] = Counter()
    for each in assignments:
        left = max(0, each.count - reclaimed.get(each.name, 0))
        for resource in ACCELERATORS:
            if resource in each.flavors and each.count:
                found[each.flavors[resource], resource] += whole(each.usage, resource) * left // each.count
    return +found
