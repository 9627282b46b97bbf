"""What every Kubernetes document says of itself."""

from __future__ import annotations

from typing import Final, NotRequired, TypedDict

SKIP_AWAIT: Final = {"pulumi.com/skipAwait": "true"}
"""Annotation on what exists long before it is ready: a run waits for quota, nodes and its own end."""
RUN_OF_A_JOB: Final = {**SKIP_AWAIT, "pulumi.com/deletionPropagationPolicy": "background"}
"""Annotations on a Job. Nobody awaits its end, which includes the one by deletion; so it is gone at once when it is
deleted, and its pods after it, and a successor of its name does not meet it."""


class Metadata(TypedDict):
    """Name of an object, and what is attached to it."""

    name: str
    namespace: NotRequired[str]
    labels: NotRequired[dict[str, str]]
    annotations: NotRequired[dict[str, str]]


class TemplateMetadata(TypedDict):
    """What is attached to the pods of a template."""

    labels: dict[str, str]
