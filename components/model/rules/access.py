"""Rules about who owns the cluster and its network, and who reaches the control plane."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.findings import Finding, Severity, listing
from components.model.plan.cloud import ClustersNetworkPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan

_PRIVATE: Final = 'GKE documentation "Customize your network isolation", read 2026-11'


@rule(
    "network-is-the-clusters",
    summary="a created cluster is in a stated network, an existing one in its own",
    why="A cluster cannot change its network, and without one Google's default would be taken unasked.",
    source="GKE API, Cluster.network",
    family=Family.GUARDRAILS,
)
def _network_is_the_clusters(plan: Plan) -> Iterator[Finding]:
    has_network = not isinstance(plan.network, ClustersNetworkPlan)
    if plan.cluster.is_existing and has_network:
        yield Finding(
            place=plan.network.place,
            says=f"the cluster {plan.cluster.name} exists and is in the network that it is in.",
            remedy="Remove the key: the cluster is asked for its network.",
            is_about_key=True,
        )
    elif not plan.cluster.is_existing and not has_network:
        yield Finding(
            place=plan.network.place,
            says="the cluster is to be created, but in no network.",
            remedy="Add network: either name, nodes_cidr, pods_cidr and services_cidr, or existing.",
            is_about_key=True,
        )


@rule(
    "existing-cluster-is-left-alone",
    summary="nothing is declared that only the owner of an existing cluster can do",
    why="The stack does not change a cluster that it did not make.",
    source="components/cluster.py",
    family=Family.GUARDRAILS,
)
def _existing_cluster_is_left_alone(plan: Plan) -> Iterator[Finding]:
    cluster = plan.cluster
    if not cluster.is_existing:
        return
    if cluster.auto_provisioning is not None:
        yield Finding(
            place=cluster.auto_provisioning.place,
            says=f"node auto-provisioning is a setting of the cluster {cluster.name}, which exists.",
            remedy="Remove the key, and have whoever owns the cluster set it.",
            is_about_key=True,
        )
    pools = {"node_pools": plan.node_pools, "tpu_slices": plan.slice_pools} if cluster.mode == "standard" else {}
    needs = [key for key, value in pools.items() if value]
    needs += ["control_plane_cidr"] if cluster.control_plane_cidr is not None else []
    if needs and cluster.identity is None:
        yield Finding(
            place=cluster.place,
            says=f"node_service_account is missing, which {listing(needs)} cannot do without.",
            remedy="Add the address of the service account that the cluster's nodes run as.",
        )


@rule(
    "private-endpoint-is-reachable",
    summary="a private control plane has private nodes and networks from which it may be reached",
    why="The API refuses it with public nodes; without a network nobody, this program included, could reach it.",
    source=_PRIVATE,
    family=Family.GUARDRAILS,
    kinds=(kinds.CLUSTER,),
)
def _private_endpoint_is_reachable(plan: Plan) -> Iterator[Finding]:
    cluster = plan.cluster
    if not cluster.private_endpoint:
        return
    if not cluster.private_nodes:
        nodes, endpoint = cluster.place.word("private_nodes"), cluster.place.word("private_endpoint")
        yield Finding(
            place=cluster.place.at("private_endpoint"),
            says="a private control plane needs private nodes.",
            remedy=f"Set {nodes}: true, or {endpoint}: false.",
        )
    if not cluster.authorized_networks:
        yield Finding(
            place=cluster.place.at("private_endpoint"),
            says="the control plane has no public address, and no network may reach its private one.",
            remedy=f"Add {cluster.place.word('authorized_networks')}: the ranges from which this program and its users "
            "come.",
        )


@rule(
    "authorized-networks-restrict",
    summary="authorized networks are not every address",
    why="A list that contains every address looks like protection, but protects nothing.",
    source=_PRIVATE,
    family=Family.GUARDRAILS,
    kinds=(kinds.CLUSTER,),
)
def _authorized_networks_restrict(plan: Plan) -> Iterator[Finding]:
    for each in plan.cluster.authorized_networks:
        if IPv4Network(each.cidr).prefixlen == 0:
            yield Finding(
                place=each.place.at("cidr"),
                says=f"{each.cidr} is every address.",
                remedy=f"Name the ranges of your own, or {plan.cluster.place.word('leave authorized_networks out')}.",
            )


@rule(
    "control-plane-is-closed",
    summary="the control plane has no public address, or states the networks that may reach it",
    why="Otherwise everybody reaches it: a stolen credential, or a flaw in the API server, is enough to get in.",
    source=_PRIVATE,
    family=Family.GUARDRAILS,
    severity=Severity.WARNING,
)
def _control_plane_is_closed(plan: Plan) -> Iterator[Finding]:
    cluster = plan.cluster
    if not (cluster.is_existing or cluster.private_endpoint or cluster.authorized_networks):
        yield Finding(
            place=cluster.place.at("authorized_networks"),
            says="not stated, so every address of the internet reaches the control plane.",
            remedy="State the ranges from which this program and its users come. private_endpoint: true also takes the "
            "public address away.",
        )


ACCESS_RULES: Final = (
    _network_is_the_clusters,
    _existing_cluster_is_left_alone,
    _private_endpoint_is_reachable,
    _authorized_networks_restrict,
    _control_plane_is_closed,
)
