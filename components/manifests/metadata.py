"""The metadata of every Kubernetes document."""

from __future__ import annotations

from typing import Final, NotRequired, TypedDict

SKIP_AWAIT: Final = {"pulumi.com/skipAwait": "true"}
"""Annotation on an object that exists long before it is ready: a run waits for quota, nodes and its own end."""
_GONE_AT_ONCE: Final = {"pulumi.com/deletionPropagationPolicy": "background"}
RUN_OF_A_JOB: Final = {**SKIP_AWAIT, **_GONE_AT_ONCE}
"""Annotations on a Job. The provider does not wait for its end, nor for its deletion. So a deleted Job is gone at once,
its pods follow, and a new Job of the same name does not collide with it."""
AWAITED_JOB: Final = {"pulumi.com/timeoutSeconds": "1800", **_GONE_AT_ONCE}
"""Annotations on a Job that later workloads wait for: it counts as made when it is complete, and an update whose Job
fails, or is not complete within half an hour, fails. The provider's own ten minutes are short for quota, a node and an
image."""

WAIT_UNTIL_ACTIVE: Final = {"pulumi.com/waitFor": "condition=Active", "pulumi.com/timeoutSeconds": "300"}
"""Annotations on a ClusterQueue. The update waits until Kueue serves the queue, so that Kueue admits later workloads in
the order of their declaration. If Kueue does not serve it, the update fails with Kueue's reason."""


class Metadata(TypedDict):
    """Name of an object, and what is attached to it."""

    name: str
    namespace: NotRequired[str]
    labels: NotRequired[dict[str, str]]
    annotations: NotRequired[dict[str, str]]


class TemplateMetadata(TypedDict):
    """What is attached to the pods or Jobs of a template."""

    labels: NotRequired[dict[str, str]]
    annotations: NotRequired[dict[str, str]]
