"""What a change does to the work in the cluster: for each piece, the gravest thing that happens to it."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from components.model.running import State, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_HAS_PODS: Final = (State.RUNS, State.UNKNOWN)
_IN_QUEUE: Final = (State.WAITS, State.RESERVES)
_LIVES: Final = (*_HAS_PODS, *_IN_QUEUE)


class _Fate(Struct, frozen=True):
    text: str
    states: tuple[State, ...]
    """To work in which states it can happen."""
    is_end: bool = True
    """Whether pods end, or work goes; else it only does not get on."""
    is_of_object: bool = False
    """Whether it happens to the object, whatever that does."""


class Fate(Enum):
    """What happens to work; the gravest first."""

    DELETED = _Fate("is deleted", _LIVES, is_of_object=True)
    AGAIN = _Fate(
        "is stopped and runs again from its beginning, even if it had finished",
        (*_LIVES, State.FINISHED),
        is_of_object=True,
    )
    NODES = _Fate("loses its nodes", _HAS_PODS)
    EVICTED = _Fate("is evicted and waits in its queue", _HAS_PODS)
    PREEMPTED = _Fate("is preempted", _HAS_PODS)
    RESTARTED = _Fate("gets new pods", _HAS_PODS)
    RESERVATION = _Fate("loses the quota that it holds, and waits in its queue", (State.RESERVES,))
    STRANDED = _Fate("waits for ever", _IN_QUEUE, is_end=False)
    UNTENDED = _Fate("goes on, and nobody restarts it", (*_LIVES,), is_end=False)
    DATA = _Fate("loses what it mounts", _HAS_PODS, is_end=False)

    @property
    def text(self) -> str:
        """The clause that follows the work's name."""
        return self.value.text


_GRAVITY: Final = tuple(Fate)


class Cause(Struct, frozen=True, kw_only=True):
    """Something in a change that hits work."""

    fate: Fate
    because: str
    """A clause, such as "the node pool v5e2 is deleted"."""
    hits: Callable[[Work], bool]
    is_certain: bool = True
    """Whether it hits all of them; else the cloud or a controller chooses."""


class Ending(Struct, frozen=True, kw_only=True):
    """What happens to one piece of work."""

    work: Work
    fate: Fate
    because: str
    is_certain: bool
    is_declared: bool
    """Whether the stack made it."""


def endings_of(work: Iterable[tuple[Work, bool]], causes: Iterable[Cause]) -> Iterator[Ending]:
    """The gravest ending of each piece of work, certain ones first; nothing for work that no cause hits.

    Args:
        work: each piece, and whether the stack declares it.
        causes: of the change.
    """
    every = tuple(causes)
    for each, is_declared in work:
        found = [ending for cause in every if (ending := _ending(each, cause, is_declared=is_declared)) is not None]
        if found:
            yield min(found, key=lambda one: (not (one.is_certain and one.fate.value.is_end), _GRAVITY.index(one.fate)))


def _ending(work: Work, cause: Cause, *, is_declared: bool) -> Ending | None:
    fate = cause.fate.value
    if work.state not in fate.states or not cause.hits(work):
        return None
    is_certain = cause.is_certain and (fate.is_of_object or work.state is not State.UNKNOWN)
    return Ending(work=work, fate=cause.fate, because=cause.because, is_certain=is_certain, is_declared=is_declared)
