"""The work in the cluster: what `tpu running` wrote, and without it what the state declares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import MsgspecError
from msgspec.structs import replace

from components.model.facts import gke, kinds
from components.model.running import Running, State, Work, decoded
from policies.report.events import UnreadableError, text_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from components.model.plan import Plan
    from policies.objects.world import Object
    from policies.report.sides import Side

NOT_GIVEN: Final = Running(not_asked="nobody asked the cluster, as tpu running does")
OWNING: Final = (*kinds.QUEUED_KINDS, kinds.RAY_SERVICE, kinds.DEPLOYMENT, kinds.STATEFUL_SET, kinds.POD)
"""Kinds of objects that are work: they have pods."""


def running_in(file: Path) -> Running:
    """The contents of a file; an empty one is of a command that was interrupted.

    Raises:
        OSError: it cannot be read.
        UnreadableError: it is not the output of `tpu running`.
    """
    text = text_in(file)
    if not text.strip():
        return Running(not_asked="tpu running ended without a result; its own output says why")
    try:
        return decoded(text)
    except MsgspecError as error:
        raise UnreadableError(f"{file} is not the output of `tpu running`: {error}") from error


def declared(side: Side) -> dict[str, Work]:
    """The work that a side declares, by URN: what it does is not known, and it may be on every pool of its flavors."""
    details = dict(_details(side.plan))
    return {
        urn: _of(seen.object, details.get(urn))
        for urn, seen in side.named.items()
        if seen.object.kind in OWNING and seen.unread is None
    }


def _of(one: Object, details: Work | None) -> Work:
    plain = Work(
        kind=one.kind.name, namespace=one.namespace or gke.DEFAULT_NAMESPACE, name=one.name, state=State.UNKNOWN
    )
    return plain if details is None else replace(details, kind=plain.kind, namespace=plain.namespace, name=plain.name)


def _details(plan: Plan) -> Iterator[tuple[str, Work]]:
    """The plan's details of each run, by URN."""
    behind: dict[tuple[str, str | None], str] = {
        (each.namespace, each.name): each.queue for queue in plan.queues for each in queue.local_queues
    }
    priorities: dict[str | None, int] = {each.name: each.value for each in plan.priorities}
    serving = {flavor.name: flavor.pools for flavor in plan.flavors}
    chips = {run.place.origin: run for run in plan.tpu_runs}
    for run in plan.runs:
        on_slices = chips.get(run.place.origin)
        flavors = () if on_slices is None else on_slices.flavors
        pools = [pool for flavor in flavors for pool in serving.get(flavor, ())]
        if on_slices is not None and not flavors and on_slices.node_selector:
            wanted = on_slices.node_selector.items()
            pools += [pool.name for pool in plan.slice_pools if wanted <= pool.labels.items()]
        yield (
            run.place.origin,
            Work(
                kind="",
                namespace=run.namespace,
                name=run.name,
                state=State.UNKNOWN,
                local_queue="" if run.queue is None else run.queue,
                queue=behind.get((run.namespace, run.queue), ""),
                flavors=tuple(sorted(flavors)),
                chips=0 if on_slices is None else on_slices.chips,
                priority=priorities.get(run.priority, 0),
                pools=tuple(sorted(set(pools))),
            ),
        )
