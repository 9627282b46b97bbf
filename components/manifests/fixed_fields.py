"""Fields that the API server refuses to change, and for which no provider replaces the object by itself.

The program writes each of them. The options of the resource say what happens when the stack file changes one: without
them the update fails halfway, after it has made other changes. A test changes every field of the objects of every stack
on a real API server (`tests/control_plane/test_server_answers.py`): the table has exactly the fields that are refused
there, and that the official provider would change all the same.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Fixed(NamedTuple):
    """Paths of fields of a kind, as the engine's options take them."""

    replaced: tuple[str, ...] = ()
    """A change replaces the object."""
    kept: tuple[str, ...] = ()
    """The object stays as it is: the field matters only when the object is created."""


_FIXED: Final = {
    ("scheduling.k8s.io", "PriorityClass"): Fixed(replaced=("value",)),
    ("kueue.x-k8s.io", "LocalQueue"): Fixed(replaced=("spec.clusterQueue",)),
    ("kueue.x-k8s.io", "AdmissionCheck"): Fixed(replaced=("spec.controllerName",)),
    # Kueue lets a queue go once no workload holds quota of it (0.19, pkg/webhooks/clusterqueue_webhook.go).
    ("kueue.x-k8s.io", "ClusterQueue"): Fixed(replaced=("spec.concurrentAdmissionPolicy",)),
    # Of a disk: the zone whose nodes can attach it.
    ("", "PersistentVolume"): Fixed(replaced=("spec.nodeAffinity",)),
    # A bound claim of a share that grows may write all of it, and its volume would not take another claim.
    ("", "PersistentVolumeClaim"): Fixed(kept=("spec.resources",)),
}


def fixed_fields(api_version: str, kind: str) -> Fixed:
    """The fixed fields of a kind; none for most kinds."""
    return _FIXED.get((api_version.rpartition("/")[0], kind), Fixed())
