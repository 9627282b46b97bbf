"""The cluster that components add to, as they need it: AnyCluster declares it, GivenCluster has just that.

The platform's own cluster is in cluster.py. A given one exists outside of the component that adds to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pulumi
from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pulumi_gcp as gcp

    from components.model.plan.cloud import ClusterPlan


class AnyCluster(Protocol):
    """A cluster that components add to."""

    @property
    def plan(self) -> ClusterPlan:
        """Which cluster it is."""
        ...

    @property
    def name(self) -> pulumi.Input[str]:
        """Its name, once it is there."""
        ...

    @property
    def created(self) -> gcp.container.Cluster | None:
        """The resource, where this stack made it."""
        ...

    @property
    def prerequisites(self) -> list[pulumi.Resource]:
        """The resources that must exist before something that is done for the cluster."""
        ...

    def inside(self, parent: pulumi.Resource, *, after: Sequence[pulumi.Resource] = ()) -> pulumi.ResourceOptions:
        """Options of a child of `parent` that is in the cluster."""
        ...


class GivenCluster(Struct, frozen=True, kw_only=True):
    """An existing cluster, reached by the Kubernetes provider of whoever adds to it."""

    plan: ClusterPlan
    after: Sequence[pulumi.Resource] = ()
    """The resources that everything in it depends on."""

    @property
    def name(self) -> pulumi.Input[str]:
        """As it was stated."""
        return self.plan.name

    @property
    def created(self) -> gcp.container.Cluster | None:
        """Nothing: somebody else made it."""
        return None

    @property
    def prerequisites(self) -> list[pulumi.Resource]:
        """The resources that the user wants to exist first."""
        return list(self.after)

    def inside(self, parent: pulumi.Resource, *, after: Sequence[pulumi.Resource] = ()) -> pulumi.ResourceOptions:
        """Options of a child of `parent` that is in the cluster."""
        return pulumi.ResourceOptions(parent=parent, depends_on=[*self.after, *after])
