"""Managed Lustre instances: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform

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


def _capacity(says: str, remedy: str) -> list[Told]:
    return [Told(rule="lustre-fits-tier", place="lustre[0].capacity_gib", says=says, remedy=remedy)]


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "an instance below the least of its throughput": (
        with_lustre(throughput=125, capacity_gib=9000),
        _capacity(
            "no instance of 125 MBps per TiB has 9000 GiB: it has 72000 to 80064000 in steps of 72000.", "Set 72000."
        ),
    ),
    "an instance between two steps": (
        with_lustre(capacity_gib=10000),
        _capacity(
            "no instance of 1000 MBps per TiB has 10000 GiB: it has 9000 to 10008000 in steps of 9000.",
            "Set 9000 or 18000.",
        ),
    ),
    "a large instance between two steps": (
        with_lustre(capacity_gib=1_539_000),
        _capacity(
            "no instance of 1000 MBps per TiB has 1539000 GiB: it has 9000 to 10008000 in steps of 72000.",
            "Set 1530000 or 1584000.",
        ),
    ),
    "an instance in another region": (
        with_lustre(location="us-central1-a"),
        [
            Told(
                rule="lustre-is-where-nodes-are",
                place="lustre[0].location",
                says="us-central1-a is not in us-west4, the region of the cluster.",
                remedy="Name a zone, such as us-west4-a.",
                severity="warning",
            ),
        ],
    ),
    "two file systems of one name": (
        with_lustre().add("lustre", **{**INSTANCE, "name": "second", "claims": [{"name": "second"}]}),
        [
            Told(
                rule="lustre-filesystems-differ",
                place="lustre[1].filesystem",
                says="the file system of scratch is also named scratch.",
                remedy="Choose another name.",
                severity="warning",
            ),
        ],
    ),
    "two instances of one name": (
        with_lustre().add("lustre", **{**INSTANCE, "filesystem": "other", "claims": [{"name": "second"}]}),
        [
            Told(
                rule="names-differ",
                place="lustre[1].name",
                says="the Managed Lustre instance name scratch is taken by lustre[0].",
                remedy="Choose another name.",
            ),
        ],
    ),
    "APIs without those of the instance": (
        with_lustre().set(services=["compute", "container", "lustre"]),
        [
            Told(
                rule="lustre-apis-are-on",
                place="services",
                says="servicenetworking is missing, which Managed Lustre needs.",
                remedy="Add the names, unless the APIs are on already.",
                severity="warning",
            ),
        ],
    ),
    "a version from before the port of instances": (
        with_lustre().set("cluster", minimum_version="1.33.2-gke.4654999"),
        [
            Told(
                rule="version-floor",
                place="cluster.minimum_version",
                says="1.33.2-gke.4654999 is older than the first version with Managed Lustre at its usual port.",
                remedy="Set 1.33.2-gke.4655000 or newer, or leave the version to the release channel.",
            ),
        ],
    ),
    "addresses of services among those of pods": (
        with_lustre().set("network", private_services_cidr="10.4.16.0/20"),
        [
            Told(
                rule="ranges-are-disjoint",
                place="network.private_services_cidr",
                says="10.4.16.0/20 overlaps pods_cidr, which is 10.4.0.0/16.",
                remedy="Choose a range outside of 10.4.0.0/16.",
            ),
        ],
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
