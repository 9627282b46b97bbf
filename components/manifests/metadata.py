"""The type of all Kubernetes documents, and the annotations that the engine reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

Manifest = dict[str, Any]
"""A document, or a mapping in it. `tests/manifests/test_fields.py` compares documents with the fields of their APIs."""

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


def without_none(fields: Mapping[str, Any]) -> Manifest:
    """The fields that have a value; None leaves a field out.

    >>> without_none({"name": "ml", "labels": None})
    {'name': 'ml'}
    """
    return {key: value for key, value in fields.items() if value is not None}
