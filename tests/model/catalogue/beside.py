"""Pods beside slices, of replicated jobs and heads: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.model.catalogue.disk import DISK
from tests.model.catalogue.head import pathways, ray
from tests.stacks import Stack, Told, a_platform, in_existing_cluster

_WRITTEN = {"claim": "model", "path": "/model"}
_DATA = {"name": "data", "image": "registry.example/data:1.0"}
_OTHER = {"name": "logger", "image": "registry.example/logger:1.0"}
_SHARE = "Set access: ReadOnlyMany on the disk when it is filled, or mount a share."
_POOL = {"machine_type": "c3-standard-44"}


def _beside(**keys: object) -> Stack:
    """The small platform with a replicated job beside its slices, which no queue holds back."""
    job = {**_DATA, **keys}
    stack = a_platform().set(controllers={"kueue": {"install": False}}, queues=[], priorities=[])
    return (
        stack.drop("workloads", 0, "queue").drop("workloads", 0, "priority").set("workloads", 0, replicated_jobs=[job])
    )


def _led(stack: Stack, **disk: object) -> Stack:
    """With a disk for its head, on nodes that can attach it."""
    return stack.set(disks=[{**DISK, **disk}]).set("node_pools", 1, **_POOL)


def _told(rule: str, place: str, says: str, remedy: str) -> list[Told]:
    return [Told(rule=rule, place=place, says=says, remedy=remedy)]


def _floor(stated: str, what: str, version: str) -> list[Told]:
    return _told(
        "version-floor",
        "cluster.minimum_version",
        f"{stated} is older than the first version with {what}.",
        f"Set {version} or newer, or leave the version to the release channel.",
    )


def _half_a_byte(place: str) -> list[Told]:
    says = "512m of memory is 0.512 bytes."
    return _told("bytes-are-many", place, says, "Write 512Mi or 512Gi, if that is meant.")


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "a profile beside slices on a version from before the profiles": (
        _beside(mounts=[{"bucket": "data", "path": "/data", "profile": "training"}])
        .set(buckets=[{"name": "data", "location": "us-west4"}])
        .set("cluster", minimum_version="1.32.2-gke.1297000"),
        _floor("1.32.2-gke.1297000", "all options of the profiles of buckets", "1.32.2-gke.1297001"),
    ),
    "a bucket beside slices that is not declared": (
        _beside(mounts=[{"bucket": "data", "path": "/data"}]),
        _told(
            "mounted-bucket-is-declared",
            "workloads[0].replicated_jobs[0].mounts[0].bucket",
            "no bucket is named data.",
            "Buckets: none. Without a location, one that exists is meant.",
        ),
    ),
    "a secret of Secret Manager beside slices on a version from before the add-on": (
        _beside(mounts=[{"secret_manager": "hf-token", "path": "/secrets"}])
        .set("workloads", 0, privileged=True)
        .set("cluster", minimum_version="1.27.9-gke.1092000"),
        _floor("1.27.9-gke.1092000", "the Secret Manager add-on", "1.27.14-gke.1042001"),
    ),
    "checkpoints beside slices": (
        _beside(mounts=[{"checkpoints": True, "path": "/checkpoints"}]),
        _told(
            "checkpoints-are-set-up",
            "workloads[0].replicated_jobs[0].mounts[0].checkpoints",
            "the cluster has no multi-tier checkpointing.",
            "Add cluster.checkpoints with a bucket and local_gib, or mount a bucket with profile: checkpointing.",
        ),
    ),
    "a disk that slices and a pod beside them write": (
        _beside(mounts=[_WRITTEN])
        .set(disks=[DISK])
        .set("node_pools", 0, **_POOL)
        .set("workloads", 0, mounts=[_WRITTEN], slices=1),
        [
            told
            for place in ("workloads[0].mounts[0].claim", "workloads[0].replicated_jobs[0].mounts[0].claim")
            for told in _told(
                "written-disk-is-on-one-node",
                place,
                "3 pods of train mount the disk model, and one node at a time can attach it.",
                _SHARE,
            )
        ],
    ),
    "a disk that the head of a Ray cluster and its workers write": (
        _led(ray(mounts=[_WRITTEN])),
        _told(
            "written-disk-is-on-one-node",
            "workloads[0].mounts[0].claim",
            "5 pods of rl mount the disk model, and one node at a time can attach it.",
            _SHARE,
        ),
    ),
    "a disk that nodes of the pool of a head cannot attach": (
        _led(pathways(head={"pool": "heads"}, mounts=[_WRITTEN])).set("node_pools", 1, machine_type="n2-standard-64"),
        _told(
            "disk-is-attachable",
            "workloads[0].mounts[0].claim",
            "n2-standard-64 cannot attach Hyperdisk ML, which model is on.",
            "Use another kind of storage, or machines with Hyperdisk ML.",
        ),
    ),
    "half a byte for the head of a Ray cluster": (
        ray(head={"resources": {"cpu": "4", "memory": "512m"}}),
        _half_a_byte("workloads[0].head.resources.memory"),
    ),
    "half a byte for the proxy of Pathways": (
        pathways(head={"proxy": {"cpu": "4", "memory": "512m"}}),
        _half_a_byte("workloads[0].head.proxy.memory"),
    ),
    "a sidecar with the name of a container of Pathways": (
        pathways(sidecars=[{**_OTHER, "name": "pathways-rm"}]),
        _told(
            "containers-differ",
            "workloads[0].sidecars[0].name",
            "the name pathways-rm is taken by a container of Pathways.",
            "Choose another name.",
        ),
    ),
    "a sidecar with the name of a container of Ray": (
        ray(sidecars=[{**_OTHER, "name": "ray-worker"}]),
        _told(
            "containers-differ",
            "workloads[0].sidecars[0].name",
            "the name ray-worker is taken by the workload's own container.",
            "Choose another name.",
        ),
    ),
    "roles that do not reach a program on the network of its node": (
        pathways(service_account="trainer").set(
            service_accounts=[{"name": "trainer", "roles": ["roles/bigquery.dataViewer"]}]
        ),
        _told(
            "identity-reaches-pods",
            "workloads[0].service_account",
            "its pods are on the network of their hosts, where roles/bigquery.dataViewer of the account do not reach "
            "them.",
            "Set host_network: false, or grant them to the service account of the nodes.",
        ),
    ),
    "more than a host has for a worker of Ray": (
        ray(resources={"cpu": "200"})
        .set("flavors", 1, labels={})
        .set("queues", 0, "flavors", 1, resources={"cpu": "1000", "memory": "20Gi"}),
        _told(
            "requests-fit-the-host",
            "workloads[0].resources.cpu",
            "200 of cpu are more than the 111650m that ct5lp-hightpu-4t leaves to pods.",
            "Set 111650m or less; all containers of the pod count.",
        ),
    ),
}
SOUND: dict[str, Stack] = {
    "a claim of somebody else in a cluster that exists": in_existing_cluster().set(
        "workloads", 0, mounts=[{"claim": "datasets", "path": "/data"}]
    ),
    "a disk that the head of Pathways writes": _led(pathways(mounts=[_WRITTEN])),
    "a disk that a pod beside slices writes": _beside(mounts=[_WRITTEN])
    .set(disks=[DISK])
    .set("node_pools", 0, **_POOL),
    "a variable of hosts in the program of Pathways": pathways(env={"TPU_WORKER_ID": "0"}),
    "a sidecar beside the program of Pathways": pathways(sidecars=[_OTHER]),
}
