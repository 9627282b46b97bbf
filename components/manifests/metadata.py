"""What every Kubernetes document says of itself."""

from __future__ import annotations

from typing import Final, NotRequired, TypedDict

SKIP_AWAIT: Final = {"pulumi.com/skipAwait": "true"}
"""Annotation on what exists long before it is ready: a run waits for quota, nodes and its own end."""
_GONE_AT_ONCE: Final = {"pulumi.com/deletionPropagationPolicy": "background"}
RUN_OF_A_JOB: Final = {**SKIP_AWAIT, **_GONE_AT_ONCE}
"""Annotations on a Job. Nobody awaits its end, which includes the one by deletion; so it is gone at once when it is
deleted, and its pods after it, and a successor of its name does not meet it."""
AWAITED_JOB: Final = {"pulumi.com/timeoutSeconds": "1800", **_GONE_AT_ONCE}
"""Annotations on a Job that others come after: it counts as made when it is complete, and an update whose Job fails, or
is not complete within half an hour, fails. The provider's own ten minutes are short for quota, a node and an image."""

WAIT_UNTIL_ACTIVE: Final = {"pulumi.com/waitFor": "condition=Active", "pulumi.com/timeoutSeconds": "300"}
"""Annotations on a ClusterQueue: work that is declared after it meets a Kueue that hands out its quota, in the order of
its declaration; and a queue that Kueue does not serve fails the update that made it, with Kueue's reason."""


class Metadata(TypedDict):
    """Name of an object, and what is attached to it."""

    name: str
    namespace: NotRequired[str]
    labels: NotRequired[dict[str, str]]
    annotations: NotRequired[dict[str, str]]


class TemplateMetadata(TypedDict):
    """What is attached to the pods of a template."""

    labels: dict[str, str]
