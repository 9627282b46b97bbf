"""The kinds of single values that only pods and what they read have, as `values.py` has those of everything."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from components.model.config.values import QUALIFIED_NAME, Matching

AnnotationKey = Annotated[
    str,
    AfterValidator(
        Matching(
            QUALIFIED_NAME,
            "is not a key that Kubernetes takes for an annotation",
            "Such as team, or example.com/team.",
        )
    ),
]
ObjectName = Annotated[
    str,
    AfterValidator(
        Matching(
            r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*",
            "is not a name that Kubernetes takes",
            "Lower-case letters, digits, hyphens and dots, beginning and ending with a letter or digit.",
        )
    ),
]
KeyName = Annotated[
    str,
    AfterValidator(
        Matching(
            r"(?!\.\.?$)(?!\.\.)[-._A-Za-z0-9]{1,253}",
            "is not a key of a Secret or a ConfigMap",
            "Up to 253 letters, digits, hyphens, underscores and dots, not beginning with two dots.",
        )
    ),
]
"""Source: k8s.io/apimachinery 0.36, pkg/util/validation (IsConfigMapKey)."""
SecretId = Annotated[
    str,
    AfterValidator(
        Matching(
            r"[-_A-Za-z0-9]{1,255}",
            "is not the name of a secret of Secret Manager",
            "Up to 255 letters, digits, hyphens and underscores.",
        )
    ),
]
"""Source: Secret Manager API, projects.secrets.create, read 2026-11."""
RoleName = Annotated[
    str,
    AfterValidator(
        Matching(
            r"((projects|organizations)/[-a-z0-9.:]+/)?roles/[A-Za-z0-9_.]+",
            "is not the name of a role",
            "Such as roles/bigquery.dataViewer.",
        )
    ),
]
SecretVersion = Annotated[
    str,
    AfterValidator(Matching(r"latest|[1-9][0-9]*", "is not a version of a secret", "A number in quotes, or latest.")),
]
PodFieldPath = Annotated[
    str,
    AfterValidator(
        Matching(
            r"metadata\.(name|namespace|uid|(labels|annotations)\['[^']+'\])|spec\.(nodeName|serviceAccountName)"
            r"|status\.(hostIP|hostIPs|podIP|podIPs)",
            "is not a field of a pod that a variable can have",
            "One of metadata.name, metadata.namespace, metadata.uid, metadata.labels['KEY'], "
            "metadata.annotations['KEY'], spec.nodeName, spec.serviceAccountName, status.hostIP and status.podIP.",
        )
    ),
]
"""Source: Kubernetes 1.36, pkg/apis/core/validation (validEnvDownwardAPIFieldPathExpressions)."""
SubPath = Annotated[
    str,
    AfterValidator(
        Matching(
            r"(?!/)(?!(.*/)?\.\.(/|$)).+",
            "is not a folder inside a volume",
            "A relative path without .., such as checkpoints/run-1.",
        )
    ),
]
