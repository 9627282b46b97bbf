"""Separates drift from expected changes: what autoscalers and Kueue change, and what ends by itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import Struct

from components.model.facts import gke, kinds
from policies.report.events import Op, Preview, Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.facts.kinds import Kind

_RUNS: Final = (kinds.JOBSET, kinds.JOB)
_INJECTED: Final = re.compile(
    rf"\.template\.(?:spec\.(?:{'|'.join(gke.INJECTED_FIELDS)})|metadata\.(?:labels|annotations))(?=[.\[]|$)"
)
"""The fields to which Kueue adds, in the path of a property."""
_KEY: Final = re.compile(r'\.?(?P<name>[^.\[\]"]+)|\[(?P<index>\d+)\]|\["(?P<quoted>(?:[^"\\]|\\.)*)"\]')
_TTL: Final = "ttlSecondsAfterFinished"
_AUTOSCALER: Final = "the cluster autoscaler sets it"
_SUSPENDS: Final = "Kueue suspends and resumes workloads"
_INJECTS: Final = "Kueue adds what the flavors of an admitted workload require"
_STATUS: Final = "it is status, which nobody declares"
_ENDED: Final = f"it has ended, and {_TTL} removes it"
GONE: Final = ""
"""The path that means the resource as a whole."""


class Difference(Struct, frozen=True, kw_only=True):
    """A resource that differs from its declaration."""

    step: Step
    expected: Mapping[str, str]
    """Expected paths, each with the reason; `GONE` for a deleted resource."""
    drifted: tuple[str, ...]
    """The other paths, in order; `GONE` for a deleted resource, or if the changed paths are unknown."""

    @property
    def is_run(self) -> bool:
        """Whether it is work that an update starts."""
        return any(_is(self.step, kind) for kind in _RUNS)


def differences(refresh: Preview) -> list[Difference]:
    """Every difference, by URN."""
    return [_difference(step) for step in refresh.of(*(op for op in Op if op is not Op.SAME))]


def _difference(step: Step) -> Difference:
    paths = sorted(step.changed) if step.op is Op.UPDATE and step.changed else [GONE]
    expected = {path: why for path in paths for why in _reasons(step, path)}
    return Difference(step=step, expected=expected, drifted=tuple(path for path in paths if path not in expected))


def _reasons(step: Step, path: str) -> Iterator[str]:
    """Why it was expected; nothing if it was not."""
    declared: Mapping[str, Any] = {} if step.before is None else step.before.inputs
    if _is(step, kinds.NODE_POOL) and path in gke.AUTOSCALED and declared.get("autoscaling"):
        yield _AUTOSCALER
    elif step.type.startswith("kubernetes:") and re.match(r"status(?:[.\[]|$)", path):
        yield _STATUS
    elif any(_is(step, kind) for kind in _RUNS):
        yield from _of_a_run(step, path, declared)


def _of_a_run(step: Step, path: str, declared: Mapping[str, Any]) -> Iterator[str]:
    if path == GONE:
        if step.op is Op.DELETE and _at(declared, f"spec.{_TTL}") is not None:
            yield _ENDED
    elif _at(declared, f'metadata.labels["{gke.LABEL_QUEUE_NAME}"]') is not None:
        if path == f"spec.{gke.FIELD_SUSPEND}":
            yield _SUSPENDS
        elif _INJECTED.search(path) and _at(declared, path) is None:
            yield _INJECTS


def _is(step: Step, kind: Kind) -> bool:
    """Whether it is of a kind, in any version of its API group."""
    if kind.type_:
        return step.type == kind.type_
    return step.type.startswith(f"kubernetes:{kind.group}/") and step.type.endswith(f":{kind.name}")


def _at(inputs: Mapping[str, Any], path: str) -> Any:  # noqa: ANN401  any property
    """The property of a path as the engine writes it; None for one that is not there.

    >>> _at({"a": {"b.c/d": [1, 2]}}, 'a["b.c/d"][1]')
    2
    """
    found: Any = inputs
    for key in _KEY.finditer(path):
        if isinstance(found, dict):
            found = cast("dict[str, Any]", found).get(key["name"] or key["quoted"])
        elif isinstance(found, list) and key["index"] and int(key["index"]) < len(cast("list[Any]", found)):
            found = cast("list[Any]", found)[int(key["index"])]
        else:
            return None
    return found
