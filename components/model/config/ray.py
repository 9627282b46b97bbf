"""What can be configured of Ray: a RayJob whose workers are the hosts of slices."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from components.model.config.failures import ALL_COUNT
from components.model.config.pods import PodKeys
from components.model.config.section import Count, Distinct, OptionalCount, Section
from components.model.config.values import AmountText, KubernetesName, ReleaseNumber, ResourceName, Text
from components.model.config.workloads import Run


class RayHead(Section):
    """The head of the Ray cluster, on an ordinary node."""

    pool: KubernetesName | None = None
    """The node pool of the pod; by default Kueue picks the nodes, by the queue's flavor of ordinary resources."""
    resources: dict[ResourceName, AmountText] = Field(default_factory=lambda: {"cpu": "4", "memory": "16Gi"})
    """The resources of the head, as requests and as limits."""


class Ray(PodKeys, Run):
    """A Ray program on whole slices: a RayJob, whose cluster is made for it and deleted at its end."""

    exactly_one = (("flavor", "flavors"), ("script", "command"))
    instead = ALL_COUNT

    kind: Literal["ray"]
    """A Ray program on whole slices, as a RayJob."""
    flavor: KubernetesName | None = None
    """Name of the flavor of its slices."""
    flavors: Annotated[tuple[KubernetesName, ...], Field(min_length=1), Distinct] | None = None
    """Instead of `flavor`: several flavors. Kueue takes the first flavor of the queue that has room."""
    slices: Count
    """Slices that it uses, all at once; each host of a slice is a Ray worker."""
    script: Text | None = None
    """Lines for bash, run once, on the head."""
    command: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    """A program and its arguments, run once, on the head."""
    ray_version: ReleaseNumber | None = None
    """The release of Ray in the image, such as 2.52.0, by which the Ray operator decides what the image can do."""
    head: RayHead = RayHead()
    max_restarts: OptionalCount = 0
    """How often a failed workload starts again, each time with a new Ray cluster."""
