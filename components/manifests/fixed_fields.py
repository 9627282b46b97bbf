"""Fields that the API server refuses to change, and that no provider makes a new object for by itself.

Each is one that the program writes. Where the stack file changes it, the resource's own options say what becomes of
it: without them the update fails halfway, with what came before it made. A test changes every field of the objects of
every stack on a real API server (`tests/control_plane/test_server_answers.py`): the table has what is refused there and
what the official provider would try all the same, and no more.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Fixed(NamedTuple):
    """Paths of fields of a kind, as the engine's options take them."""

    replaced: tuple[str, ...] = ()
    """A change makes a new object in the place of the old one."""
    kept: tuple[str, ...] = ()
    """The object stays as it is: what the field says matters at its creation alone."""


_FIXED: Final = {
    ("scheduling.k8s.io", "PriorityClass"): Fixed(replaced=("value",)),
    ("kueue.x-k8s.io", "LocalQueue"): Fixed(replaced=("spec.clusterQueue",)),
    # A bound claim of a share that grows may write all of it, and its volume would not take another claim.
    ("", "PersistentVolumeClaim"): Fixed(kept=("spec.resources",)),
}


def fixed_fields(api_version: str, kind: str) -> Fixed:
    """The fixed fields of a kind; none for most kinds."""
    return _FIXED.get((api_version.rpartition("/")[0], kind), Fixed())
