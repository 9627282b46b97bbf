"""Managed Lustre instances: broken stacks by the rules that find them, and sound ones."""

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


BROKEN: dict[str, dict[str, Stack]] = {
    "lustre-fits-tier": {
        "an instance below the least of its throughput": with_lustre(throughput=125, capacity_gib=9000),
        "an instance between two steps": with_lustre(capacity_gib=10000),
        "a large instance between two steps": with_lustre(capacity_gib=1_539_000),
    },
    "lustre-is-where-nodes-are": {
        "an instance in another region": with_lustre(location="us-central1-a"),
    },
    "lustre-filesystems-differ": {
        "two file systems of one name": with_lustre().add(
            "lustre", **{**INSTANCE, "name": "second", "claims": [{"name": "second"}]}
        ),
    },
    "names-differ": {
        "two instances of one name": with_lustre().add(
            "lustre", **{**INSTANCE, "filesystem": "other", "claims": [{"name": "second"}]}
        ),
    },
    "lustre-apis-are-on": {
        "APIs without those of the instance": with_lustre().set(services=["compute", "container", "lustre"]),
    },
    "version-floor": {
        "a version from before the port of instances": with_lustre().set(
            "cluster", minimum_version="1.33.2-gke.4654999"
        ),
    },
    "ranges-are-disjoint": {
        "addresses of services among those of pods": with_lustre().set("network", private_services_cidr="10.4.16.0/20"),
    },
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
