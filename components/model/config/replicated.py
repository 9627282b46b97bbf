"""What can be configured of the replicated jobs beside the slices of a JobSet, and of the order in which Jobs start."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from components.model.config.pods import PodKeys
from components.model.config.section import Count, OptionalCount, Section
from components.model.config.values import ImageReference, KubernetesName, Text


class DependsOn(Section):
    """A replicated job that another one waits for."""

    name: KubernetesName
    """Name of a replicated job of the same JobSet; that of the slices is `slice`."""
    status: Literal["Ready", "Complete"]
    """Ready: the pods of all of its Jobs are ready, or have ended. Complete: all of its Jobs are complete."""


Dependencies = Annotated[tuple[DependsOn, ...], Field(min_length=1)]


class ReplicatedJob(PodKeys):
    """Jobs beside the slices, on ordinary nodes: such as a coordinator, a data loader or an evaluation."""

    at_most_one = (("script", "command"), ("script", "args"))

    name: KubernetesName
    """Name of the replicated job; it is part of the names of its pods."""
    image: ImageReference
    """Image of its containers."""
    replicas: Count = 1
    """How many Jobs, all at once."""
    pods: Count = 1
    """Pods of one Job, all at once."""
    script: Text | None = None
    """Lines for bash, run in every pod."""
    command: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    """A program and its arguments, run in every pod."""
    args: tuple[Text, ...] | None = None
    """Arguments of the image's own program, or of `command`."""
    depends_on: Dependencies | None = None
    """The replicated jobs that it waits for; by default it starts at once."""
    backoff_limit: OptionalCount = 0
    """How often failed pods are replaced before the Job fails, and with it what `failure_policy` says."""
