"""Rules about whom nodes run as, and which rights of it their pods get."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.findings import Finding, Severity
from components.model.rule import Family
from policies.objects.belonging import cluster_of, is_autopilot
from policies.objects.judging import Settings, guard_rule, object_rule, world_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Key
    from policies.objects.world import Object, World

_LEAST: Final = 'GKE documentation "Harden your cluster\'s security", read 2026-11'
_IDENTITY: Final = 'GKE documentation "Authenticate to Google Cloud APIs from GKE workloads", read 2026-11'
_SCOPES: Final = ("oauthScopes",)
_MADE_NODES: Final[tuple[Key, ...]] = ("clusterAutoscaling", "autoProvisioningDefaults")
_WHOLE_SCOPES: Final = (gke.SCOPE_CLOUD_PLATFORM, "cloud-platform")
"""Its name, and the alias that the provider takes for it."""
_DEFAULT_ACCOUNT: Final = "default"
_DEFAULT_DOMAIN: Final = "-compute@developer.gserviceaccount.com"
_MODE: Final[tuple[Key, ...]] = ("workloadMetadataConfig", "mode")


def _stated_settings(each: Object) -> Iterator[tuple[Key, ...]]:
    """Where an object may configure its nodes."""
    yield ("nodeConfig",)
    if each.kind is kinds.CLUSTER:
        yield _MADE_NODES
        for index in range(len(each.parts("nodePools"))):
            yield ("nodePools", index, "nodeConfig")


def _nodes(each: Object) -> Iterator[tuple[Key, ...]]:
    """Where an object should configure its nodes: for every way in which it creates some."""
    if each.kind is kinds.NODE_POOL:
        yield ("nodeConfig",)
        return
    inline = range(len(each.parts("nodePools")))
    if is_autopilot(each):
        yield _MADE_NODES
    elif inline:
        yield from (("nodePools", index, "nodeConfig") for index in inline)
    else:
        yield ("nodeConfig",)
    if each.flag("clusterAutoscaling", "enabled") is True:
        yield _MADE_NODES


@object_rule(
    "node-scopes-are-whole",
    summary="nodes have the access scope cloud-platform, if any is stated",
    why="Scopes limit what IAM grants: a job's write to Cloud Storage fails with 403, and scopes of a living pool "
    "cannot be changed.",
    source='Compute Engine documentation "Service accounts", read 2026-11',
    family=Family.GUARDRAILS,
    kinds=(kinds.NODE_POOL, kinds.CLUSTER),
)
def _node_scopes_are_whole(each: Object) -> Iterator[Finding]:
    for path in _stated_settings(each):
        scopes = each.texts(*path, *_SCOPES)
        if scopes and not any(scope in _WHOLE_SCOPES for scope in scopes):
            yield Finding(
                place=each.place.at(*path, *_SCOPES),
                says="whatever the node's account may do, these scopes allow no more than they name.",
                remedy=f"Set {gke.SCOPE_CLOUD_PLATFORM}, and grant the account by IAM what it needs.",
            )


@object_rule(
    "node-account-is-not-the-default",
    summary="nodes do not run as the project's default service account",
    why="That account can often edit the whole project, and so can every pod that gets hold of it.",
    source=_LEAST,
    family=Family.GUARDRAILS,
    kinds=(kinds.NODE_POOL, kinds.CLUSTER),
    severity=Severity.WARNING,
)
def _node_account_is_not_the_default(each: Object) -> Iterator[Finding]:
    for path in _stated_settings(each):
        account = each.text(*path, "serviceAccount")
        if account is not None and (account == _DEFAULT_ACCOUNT or account.endswith(_DEFAULT_DOMAIN)):
            yield Finding(
                place=each.place.at(*path, "serviceAccount"),
                says=f"{account} is the project's default account.",
                remedy="Name an account of the nodes' own, with the role roles/container.defaultNodeServiceAccount.",
            )


@guard_rule(
    "nodes-have-their-own-account",
    setting="has_default_identity",
    summary="nodes name a service account where the environment does not allow the default one",
    why="Without one they run as the project's default account, which can often edit the whole project.",
    source=_LEAST,
    family=Family.GUARDRAILS,
    kinds=(kinds.NODE_POOL, kinds.CLUSTER),
)
def _nodes_have_their_own_account(each: Object, settings: Settings) -> Iterator[Finding]:
    for path in () if settings.has_default_identity else dict.fromkeys(_nodes(each)):
        if not each.has(*path, "serviceAccount"):
            yield Finding(
                place=each.place.at(*path, "serviceAccount"),
                says="none is named, so nodes run as the project's default account.",
                remedy="Name an account of the nodes' own, with the role roles/container.defaultNodeServiceAccount.",
            )


@object_rule(
    "pods-do-not-act-as-their-node",
    summary="pods reach the GKE metadata server, not that of their node",
    why="The node's own metadata server gives every pod the token of the node's account.",
    source=_IDENTITY,
    family=Family.GUARDRAILS,
    kinds=(kinds.NODE_POOL, kinds.CLUSTER),
    severity=Severity.WARNING,
)
def _pods_do_not_act_as_their_node(each: Object) -> Iterator[Finding]:
    for path in _stated_settings(each):
        if each.text(*path, *_MODE) == "GCE_METADATA":
            yield Finding(
                place=each.place.at(*path, *_MODE),
                says="GCE_METADATA shows pods the token of their node.",
                remedy="Set GKE_METADATA.",
            )


@world_rule(
    "metadata-server-has-identities",
    summary="nodes with the GKE metadata server are in a cluster with Workload Identity",
    why="The mode needs a workload pool of the cluster; without one the API refuses the node pool.",
    source="hashicorp/terraform-provider-google-beta @93c65b2d, workload_metadata_config",
    family=Family.GUARDRAILS,
    kinds=(kinds.NODE_POOL,),
    needs=(kinds.CLUSTER,),
)
def _metadata_server_has_identities(pool: Object, world: World) -> Iterator[Finding]:
    if pool.text("nodeConfig", *_MODE) != "GKE_METADATA":
        return
    cluster = cluster_of(pool, world)
    if cluster is None or is_autopilot(cluster) or cluster.has("workloadIdentityConfig", "workloadPool"):
        return
    yield Finding(
        place=pool.place.at("nodeConfig", *_MODE),
        says=f"{cluster} has no Workload Identity.",
        remedy="Set workloadIdentityConfig.workloadPool in the cluster.",
    )


NODE_IDENTITY_RULES: Final = (
    _node_scopes_are_whole,
    _node_account_is_not_the_default,
    _nodes_have_their_own_account,
    _pods_do_not_act_as_their_node,
    _metadata_server_has_identities,
)
