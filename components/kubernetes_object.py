"""A Kubernetes document as a resource, exactly as `manifests/` wrote it.

The SDK's own classes take a kind's fields one by one, and its class for custom kinds takes metadata and spec only,
while a WorkloadPriorityClass has its fields beside them. This one registers any kind under the type that the SDK would
use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pulumi

from components.manifests.fixed_fields import fixed_fields

if TYPE_CHECKING:
    from collections.abc import Mapping


class KubernetesObject(pulumi.CustomResource):
    """One object in the cluster of the Kubernetes provider that its component was given.

    A field that the API server refuses to change is changed by a new object in the place of the old one, or stays.
    """

    def __init__(self, name: str, document: Mapping[str, Any], opts: pulumi.ResourceOptions) -> None:
        """Registers the document under the engine's name `name`."""
        type_ = f"kubernetes:{_group_version(document)}:{document['kind']}"
        super().__init__(type_, name, dict(document), pulumi.ResourceOptions.merge(opts, _of_fixed_fields(document)))


def _of_fixed_fields(document: Mapping[str, Any]) -> pulumi.ResourceOptions:
    replaced, kept = fixed_fields(str(document["apiVersion"]), str(document["kind"]))
    if not replaced:
        return pulumi.ResourceOptions(ignore_changes=list(kept))
    return pulumi.ResourceOptions(
        replace_on_changes=list(replaced), delete_before_replace=True, ignore_changes=list(kept)
    )


def _group_version(document: Mapping[str, Any]) -> str:
    """The API group as the SDK's type tokens write it, in which the core group has a name."""
    version = str(document["apiVersion"])
    return version if "/" in version else f"core/{version}"
