"""Managed Lustre instances: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform

INSTANCE = {
    "name": "scratch",
    "location": "us-west4-a",
    "filesystem": "scratch",
    "throughput": 1000,
    "capacity_gib": 18000,
    "claims": [{"name": "scratch"}],
}


def with_lustre(**settings: object) -> Stack:
    """The small platform with an instance."""
    return a_platform().set(lustre=[{**INSTANCE, **settings}])


BROKEN: dict[str, tuple[Stack, list[str]]] = {
    "an instance below the least of its throughput": (
        with_lustre(throughput=125, capacity_gib=9000),
        ["lustre-fits-tier: lustre[0].capacity_gib"],
    ),
    "an instance between two steps": (with_lustre(capacity_gib=10000), ["lustre-fits-tier: lustre[0].capacity_gib"]),
    "a large instance between two steps": (
        with_lustre(capacity_gib=1_539_000),
        ["lustre-fits-tier: lustre[0].capacity_gib"],
    ),
    "an instance in another region": (
        with_lustre(location="us-central1-a"),
        ["lustre-is-where-nodes-are: lustre[0].location"],
    ),
    "two file systems of one name": (
        with_lustre().add("lustre", **{**INSTANCE, "name": "second", "claims": [{"name": "second"}]}),
        ["lustre-filesystems-differ: lustre[1].filesystem"],
    ),
    "two instances of one name": (
        with_lustre().add("lustre", **{**INSTANCE, "filesystem": "other", "claims": [{"name": "second"}]}),
        ["names-differ: lustre[1].name"],
    ),
    "APIs without those of the instance": (
        with_lustre().set(services=["compute", "container", "lustre"]),
        ["lustre-apis-are-on: services"],
    ),
    "a version from before the port of instances": (
        with_lustre().set("cluster", minimum_version="1.33.2-gke.4654999"),
        ["version-floor: cluster.minimum_version"],
    ),
    "addresses of services among those of pods": (
        with_lustre().set("network", private_services_cidr="10.4.16.0/20"),
        ["ranges-are-disjoint: network.private_services_cidr"],
    ),
}
SOUND: dict[str, Stack] = {
    "an instance": with_lustre(),
    "an instance of the largest steps": with_lustre(capacity_gib=1_584_000),
    "an instance with the APIs that it needs": with_lustre().set(
        services=["compute", "container", "lustre", "servicenetworking"]
    ),
    "an instance in a network with a range for services": with_lustre().set(
        "network", private_services_cidr="10.9.0.0/20"
    ),
    "an instance in a network that exists": with_lustre().set(network={"existing": "default"}),
    "an instance for two namespaces": with_lustre(claims=[{"name": "a"}, {"name": "a", "namespace": "research"}]),
}
