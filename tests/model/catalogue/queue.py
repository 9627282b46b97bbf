"""Queues: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform


def _without_kueue() -> Stack:
    """The small platform without Kueue and without anything that only Kueue knows."""
    return a_platform().set(controllers={"kueue": {"install": False}}, queues=[]).drop("workloads", 0, "queue")


def _with_resources(**share: object) -> Stack:
    """The small platform with a second queue, of ordinary resources, whose flavor has these keys beside its name."""
    return (
        a_platform()
        .add("flavors", name="any")
        .add("queues", name="batch", flavors=[{"name": "any", **share}], local_queues=[{"name": "batch"}])
    )


def _queued() -> Stack:
    """The small platform on queued flex-start slices of v6e."""
    shape = {"machine_type": "ct6e-standard-4t", "topology": "2x4", "capacity": "flex-start"}
    return (
        a_platform()
        .set("cluster", location="us-east5")
        .set("node_pools", 0, zones=["us-east5-a"])
        .set("tpu_slices", 0, zone="us-east5-a", queued=True, max_run_seconds=604800, **shape)
        .set("flavors", 0, **shape)
        .set("workloads", 0, slices=1)
    )


BROKEN: dict[str, dict[str, Stack]] = {
    "kueue-is-installed": {
        "queues without Kueue": _without_kueue().set(queues=a_platform().platform["queues"]),
        "a queued workload without Kueue": _without_kueue().set("workloads", 0, queue="research"),
    },
    "kueue-is-installed, admission-check-is-used": {
        "cohorts and checks without Kueue": _without_kueue().set(
            cohorts=[{"name": "all"}], admission_checks=[{"name": "nodes"}]
        ),
    },
    "queue-flavor-exists": {
        "a queue with a flavor that is not declared": a_platform().set("queues", 0, "flavors", 0, name="v5e-2x2"),
    },
    "quota-fits-flavor": {
        "chips of a flavor of ordinary nodes": _with_resources(),
        "resources of a flavor of slices": a_platform()
        .add("flavors", name="any")
        .add("queues", name="batch", flavors=[{"name": "v5e-2x4", "resources": {"cpu": "1"}}]),
        "chips among ordinary resources": _with_resources(resources={"cpu": "10", "google.com/tpu": "8"}),
    },
    "resource-is-covered-once": {
        "two flavors that cover different resources": _with_resources(resources={"cpu": "10", "memory": "10Gi"})
        .add("flavors", name="t4")
        .add("queues", 1, "flavors", name="t4", resources={"cpu": "4", "nvidia.com/gpu": "4"}),
    },
    "flavor-has-few-labels": {
        "a flavor of nine labels": _with_resources(resources={"cpu": "10"}).set(
            "flavors", 1, labels={f"team-{number}": "a" for number in range(9)}
        ),
    },
    "admission-check-exists": {
        "an admission check that does not exist": a_platform()
        .set(admission_checks=[{"name": "nodes"}])
        .set("queues", 0, "flavors", 0, admission_checks=["nodes", "node"]),
    },
    "admission-check-is-used": {
        "an admission check that nobody asks": a_platform().set(admission_checks=[{"name": "nodes"}]),
    },
    "queued-slices-are-asked-for, queued-may-be-refused": {
        "queued slices that nobody asks for": _queued(),
        "queued slices that are asked for of another class": _queued()
        .set(admission_checks=[{"name": "room", "provisioning": {"class_name": "check-capacity.example.com"}}])
        .set("queues", 0, "flavors", 0, admission_checks=["room"]),
    },
    "queue-is-drained": {
        "a queue that is removed while it works": a_platform().after(
            queues=[{"name": "research", "stop": None}, {"name": "applied", "stop": None}]
        ),
        "a queue that is removed while it is held": a_platform().after(queues=[{"name": "applied", "stop": "hold"}]),
        "the last queue, removed with Kueue": _without_kueue().after(queues=[{"name": "research", "stop": None}]),
    },
}
SOUND: dict[str, Stack] = {
    "no Kueue and nothing for it": _without_kueue(),
    "a queue of ordinary resources": _with_resources(resources={"cpu": "10", "memory": "10Gi"}),
    "two flavors that cover the same resources": _with_resources(resources={"cpu": "10", "memory": "10Gi"})
    .add("flavors", name="spot", labels={"cloud.google.com/gke-spot": "true"})
    .add("queues", 1, "flavors", name="spot", resources={"memory": "4Gi", "cpu": "4"}),
    "two flavors that have no resource in common": _with_resources(resources={"cpu": "10"})
    .add("flavors", name="t4")
    .add("queues", 1, "flavors", name="t4", resources={"nvidia.com/gpu": "4"}),
    "an admission check that a queue asks": a_platform()
    .set(admission_checks=[{"name": "nodes"}])
    .set("queues", 0, "flavors", 0, admission_checks=["nodes"]),
    "a queue that was drained and is removed": a_platform().after(queues=[{"name": "applied", "stop": "drain"}]),
    "a queue that stays": a_platform().after(queues=[{"name": "research", "stop": None}]),
    "a queue that is drained now": a_platform()
    .set("queues", 0, stop="drain")
    .after(queues=[{"name": "research", "stop": None}]),
    "outputs of no known shape": a_platform().after(queues="none"),
}
