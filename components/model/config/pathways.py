"""What can be configured of Pathways: one program that drives all slices through a proxy."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from components.model.config.failures import ALL_COUNT
from components.model.config.pods import PodKeys
from components.model.config.section import Count, Distinct, OptionalCount, Section
from components.model.config.values import AmountText, BucketName, KubernetesName, Matching, ResourceName, Text
from components.model.config.workloads import Run
from components.model.facts import pathways

_Tag = Annotated[
    str,
    AfterValidator(
        Matching(
            r"[A-Za-z0-9_][-.A-Za-z0-9_]{0,127}",
            "is not the tag of an image",
            "Up to 128 letters, digits, hyphens, underscores and dots, not beginning with a hyphen or a dot.",
        )
    ),
]


class PathwaysHead(Section):
    """The pod with the program, the resource manager and the proxy, on an ordinary node."""

    pool: KubernetesName | None = None
    """The node pool of the pod; by default Kueue picks the nodes, by the queue's flavor of ordinary resources."""
    server: dict[ResourceName, AmountText] = Field(default_factory=lambda: dict(pathways.SERVER_RESOURCES))
    """The resources of the resource manager; by default those that Google's controller gives it."""
    proxy: dict[ResourceName, AmountText] = Field(default_factory=lambda: dict(pathways.PROXY_RESOURCES))
    """The resources of the proxy; by default those that Google's controller gives it."""


class Pathways(PodKeys, Run):
    """A JAX program that runs once, on an ordinary node, and uses the chips of all slices through Pathways."""

    exactly_one = (("flavor", "flavors"), ("script", "command"))
    instead = ALL_COUNT

    kind: Literal["pathways"]
    """A JAX program that runs once and uses all slices through Pathways."""
    flavor: KubernetesName | None = None
    """Name of the flavor of its slices."""
    flavors: Annotated[tuple[KubernetesName, ...], Field(min_length=1), Distinct] | None = None
    """Instead of `flavor`: several flavors. Kueue takes the first flavor of the queue that has room."""
    slices: Count
    """Slices that it uses, all at once."""
    script: Text | None = None
    """Lines for bash, run once, in the head."""
    command: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    """A program and its arguments, run once, in the head."""
    resources: dict[ResourceName, AmountText] = Field(default_factory=lambda: {"cpu": "4", "memory": "16G"})
    """Resources of the program, as requests and as limits."""
    version: _Tag
    """The release of Pathways: the tag of its images, such as 20260128-jax_0.9.0. It must fit the program's JAX."""
    scratch_bucket: BucketName
    """The bucket for temporary files, such as compiled programs; a folder in it has the name of the workload."""
    head: PathwaysHead = PathwaysHead()
    max_restarts: OptionalCount = 0
    """How often a failed workload starts again, head and slices together."""
    host_network: bool | None = None
    """Whether its pods are on the network of their hosts. By default they are if the workload has several slices, on
    Standard. To Google Cloud such pods are the node, and not their service account."""
