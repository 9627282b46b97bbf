"""What can be configured of workloads: runs to completion."""

from __future__ import annotations

from typing import Literal

from components.model.config.section import Count, OptionalCount, Section
from components.model.config.values import KubernetesName, Text
from components.model.gke import DEFAULT_NAMESPACE


class JobSet(Section):
    """A multislice workload: one Job per slice, one pod per host."""

    kind: Literal["jobset"]
    name: KubernetesName
    namespace: KubernetesName = DEFAULT_NAMESPACE
    queue: KubernetesName
    """A LocalQueue of the namespace."""
    priority: KubernetesName | None = None
    flavor: KubernetesName
    """What its slices are, by the name of a flavor."""
    slices: Count
    image: Text
    script: Text
    """Lines for bash, run on every host."""
    max_restarts: OptionalCount = 0
    """How often a failed run starts again, all slices together."""
