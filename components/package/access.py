"""How a component reaches the cluster that it adds to: by its user's Kubernetes provider, or by one of its own."""

from collections.abc import Mapping, Sequence

import pulumi

from components.cluster import kubeconfig_of_existing, provider_of
from components.given_cluster import GivenCluster
from components.lookups import missing_cluster
from components.model.plan import Plan
from components.package.planning import RefusedError, in_inputs


def given_cluster(plan: Plan, opts: pulumi.ResourceOptions | None) -> GivenCluster:
    """The planned cluster; everything in it comes after the dependencies of the component."""
    return GivenCluster(plan=plan.cluster, after=_before(opts))


def inside(
    name: str, plan: Plan, component: pulumi.Resource, opts: pulumi.ResourceOptions | None
) -> pulumi.ResourceOptions:
    """Options of a child of `component` whose own children are in the cluster.

    When the user names no Kubernetes provider, the cluster is looked up; the provider that is made for it has the name
    of the component, which is unique.

    Raises:
        RefusedError: there is no such cluster, or Google Cloud does not show it.
    """
    if _names_kubernetes(opts):
        return pulumi.ResourceOptions(parent=component)
    if missing := missing_cluster(plan, parent=component):
        raise RefusedError(name, in_inputs([missing]))
    kubeconfig = kubeconfig_of_existing(plan.cluster, plan.project, parent=component)
    provider = provider_of(name, plan.cluster, kubeconfig, parent=component)
    return pulumi.ResourceOptions(parent=component, providers={"kubernetes": provider})


def _names_kubernetes(opts: pulumi.ResourceOptions | None) -> bool:
    providers = () if opts is None or opts.providers is None else opts.providers
    named = providers.values() if isinstance(providers, Mapping) else providers
    return any(each.package == "kubernetes" for each in named)


def _before(opts: pulumi.ResourceOptions | None) -> Sequence[pulumi.Resource]:
    """The resources that the component depends on."""
    named = None if opts is None else opts.depends_on
    if named is None or isinstance(named, pulumi.Resource):
        return () if named is None else (named,)
    if not isinstance(named, Sequence) or not all(isinstance(each, pulumi.Resource) for each in named):
        raise TypeError("depends_on of this component must list resources, and none that are known later.")
    return [each for each in named if isinstance(each, pulumi.Resource)]
