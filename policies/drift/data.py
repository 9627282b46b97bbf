"""The drift as data that programs read as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from policies.drift.differences import GONE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from policies.drift.differences import Difference


def data_of(found: Sequence[Difference], stack: str) -> dict[str, Any]:
    """The drift, and what was expected to move, by resource.

    `op` is `update` or `delete`. The property paths are empty for a resource that is gone, or whose provider does not
    name the properties. An expected change without a `path` is that of the whole resource.
    """
    return {
        "stack": stack,
        "drifted": [
            {**_resource(each), "paths": [path for path in each.drifted if path != GONE]}
            for each in found
            if each.drifted
        ],
        "expected": [
            {**_resource(each), **({} if path == GONE else {"path": path}), "why": why}
            for each in found
            for path, why in each.expected.items()
        ],
    }


def _resource(each: Difference) -> dict[str, str]:
    return {"urn": each.step.urn, "type": each.step.type, "name": each.step.name, "op": each.step.op.value}
