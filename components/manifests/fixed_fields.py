"""Fields that the API server refuses to change, and that no provider replaces an object for by itself.

Each is a property that the program writes. A change of it needs a new object, which the resource asks for by its own
options: without them the update fails halfway, with what came before it made. Kept by
`tests/control_plane/test_server_answers.py`, which changes every field of every object of every stack on a real API
server: this table has what is refused there, and the official provider would try, and no more.
"""

from __future__ import annotations

from typing import Final

_FIXED: Final = {
    ("scheduling.k8s.io", "PriorityClass"): ("value",),
    ("kueue.x-k8s.io", "AdmissionCheck"): ("spec.controllerName",),
    ("kueue.x-k8s.io", "LocalQueue"): ("spec.clusterQueue",),
}


def fixed_fields(api_version: str, kind: str) -> tuple[str, ...]:
    """The paths of the fields of a kind, as the engine's `replace_on_changes` takes them; none for most kinds."""
    return _FIXED.get((api_version.rpartition("/")[0], kind), ())
