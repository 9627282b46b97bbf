"""Where an object belongs: the cluster of a node pool and its kind, the queue of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from policies.objects.values import UndecidedError

if TYPE_CHECKING:
    from policies.objects.world import Object, World

_QUEUE: Final = "queue"


def is_autopilot(cluster: Object) -> bool:
    """Whether GKE makes the cluster's nodes."""
    return cluster.flag("enableAutopilot") is True


def cluster_of(pool: Object, world: World) -> Object | None:
    """The cluster that a node pool names, by its name or its id; None where it is not among the objects.

    At a first preview neither the pool's cluster nor the cluster's name may be known: then it is the only cluster.

    Raises:
        UndecidedError: which of several clusters it is, is not known yet.
        MalformedError: the name is not text.
    """
    clusters = world.of(kinds.CLUSTER)
    only = clusters[0] if len(clusters) == 1 else None
    try:
        stated = pool.string("cluster")
    except UndecidedError:
        if only is None:
            raise
        return only
    name = stated.rpartition("/")[2]
    if only is not None and not only.name:
        return only
    return next((each for each in clusters if each.name == name), None)


def labels_of(run: Object) -> tuple[str, ...]:
    """Where Kueue reads the labels of a run."""
    return kinds.labels_at(run.kind)


def queue_name(run: Object) -> str | None:
    """The LocalQueue that the label of a run names."""
    if _QUEUE not in run.derived:
        run.derived[_QUEUE] = run.text(*labels_of(run), gke.LABEL_QUEUE_NAME)
    return run.derived[_QUEUE]


def queue_of(run: Object, world: World) -> Object | None:
    """The ClusterQueue that a run is submitted to; None where it is in none, or in one that is not here.

    Raises:
        UndecidedError, MissingError: it may be one that is not known yet, or that is elsewhere.
    """
    name = queue_name(run)
    local = None if name is None else world.named(kinds.LOCAL_QUEUE, name, run.namespace)
    return None if local is None else world.named(kinds.CLUSTER_QUEUE, local.string("spec", "clusterQueue"))
