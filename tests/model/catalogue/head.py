"""Pathways and Ray: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform

_POOL = {"name": "heads", "machine_type": "n2-standard-64", "nodes": 1, "zones": ["us-west4-a"]}
_IMAGE = "registry.example/train:1.0"


def _with(work: dict[str, object]) -> Stack:
    """The small platform with a pool for heads, and a queue that has quota for them."""
    return (
        a_platform()
        .add("node_pools", **_POOL)
        .set(buckets=[{"name": "ml-scratch", "location": "us-west4"}])
        .add("flavors", name="cpu", labels={"cloud.google.com/gke-nodepool": "heads"})
        .add("queues", 0, "flavors", name="cpu")
        .set(workloads=[{"image": _IMAGE, "queue": "research", "priority": "normal", "slices": 2, **work}])
    )


def pathways(**keys: object) -> Stack:
    """A sound platform with a Pathways workload on two slices."""
    work: dict[str, object] = {
        "name": "pw",
        "kind": "pathways",
        "flavor": "v5e-2x4",
        "script": "sleep 60",
        "version": "20260128-jax_0.9.0",
        "scratch_bucket": "ml-scratch",
    }
    return _with({**work, **keys})


def ray(**keys: object) -> Stack:
    """A sound platform with a Ray workload on two slices."""
    return _with({"name": "rl", "kind": "ray", "flavor": "v5e-2x4", "script": "sleep 60", **keys})


def _other_shape() -> Stack:
    """Flavors of equal hosts whose slices Pathways calls by different names."""
    shape = {"machine_type": "ct5lp-hightpu-4t", "topology": "2x4"}
    return (
        pathways(slices=1)
        .add("tpu_slices", name="v6e", slices=1, machine_type="ct6e-standard-4t", topology="2x4", zone="us-west4-a")
        .add("flavors", name="v6e", **{**shape, "machine_type": "ct6e-standard-4t"})
        .add("queues", 0, "flavors", name="v6e")
        .drop("workloads", 0, "flavor")
        .set("workloads", 0, flavors=["v5e-2x4", "v6e"])
    )


def _on_autopilot(stack: Stack) -> Stack:
    return (
        stack.drop("node_pools")
        .drop("tpu_slices")
        .set("cluster", mode="autopilot")
        .set("flavors", 1, labels={})
        .set("queues", 0, "flavors", 0, chips=16)
    )


def _twice() -> Stack:
    stack = pathways(slices=1, host_network=True)
    return stack.add("workloads", **{**stack.platform["workloads"][0], "name": "pw-2"})


BROKEN: dict[str, dict[str, Stack]] = {
    "pathways-runs-on-machine": {
        "Pathways on a machine type that it does not know": pathways(slices=1)
        .set("tpu_slices", 0, machine_type="ct5lp-hightpu-1t", topology="1x1")
        .set("flavors", 0, machine_type="ct5lp-hightpu-1t", topology="1x1"),
    },
    "zone-offers-machine, pathways-flavors-are-one-type": {
        "Pathways on either of two generations": _other_shape(),
    },
    "scratch-bucket-is-declared": {
        "a scratch bucket that nobody declares": pathways(scratch_bucket="ml-scrach"),
    },
    "pathways-is-pinned": {
        "a release of Pathways that moves": pathways(version="latest"),
    },
    "pathways-variables": {
        "a variable that Pathways sets": pathways(env={"JAX_PLATFORMS": "tpu"}),
    },
    "workload-pod-names": {
        "a Pathways name that leaves no room": pathways(name="p" * 40),
    },
    "jobset-is-installed": {
        "Pathways without JobSet": pathways().set(controllers={"jobset": {"install": False}}),
    },
    "ray-job-name": {
        "a Ray name that leaves no room": ray(name="r" * 48),
        "a Ray name that begins with a digit": ray(name="7b"),
    },
    "head-pool-exists": {
        "a pool for a head that is not there": ray(head={"pool": "heds"}),
        "a pool for a head on Autopilot": _on_autopilot(ray(head={"pool": "heads"})),
    },
    "head-is-covered": {
        "a head in a queue of chips alone": pathways().set("queues", 0, flavors=[{"name": "v5e-2x4"}]),
    },
    "head-can-ever-fit": {
        "a head beyond the quota": pathways().set("queues", 0, "flavors", 1, resources={"cpu": "20", "memory": "200G"}),
        "a head on a pool that its queue does not count": ray(head={"pool": "system"}),
    },
    "head-fits-a-node": {
        "a head that is larger than its nodes": pathways().set("node_pools", 1, machine_type="n2-standard-16"),
    },
    "heads-have-nodes": {
        "two heads on one node": _twice(),
    },
}
SOUND: dict[str, Stack] = {
    "Pathways on two slices": pathways(),
    "Pathways on a single host of eight chips": pathways(slices=1)
    .set("tpu_slices", 0, machine_type="ct5lp-hightpu-8t")
    .set("flavors", 0, machine_type="ct5lp-hightpu-8t"),
    "two heads on two nodes": _twice().set("node_pools", 1, nodes=2),
    "two heads on one node, one of them on its network": _twice().set("workloads", 1, host_network=False),
    "a head in a quota that is stated": pathways().set(
        "queues", 0, "flavors", 1, resources={"cpu": "64", "memory": "256Gi"}
    ),
    "Pathways on Autopilot": _on_autopilot(pathways()),
    "Ray on Autopilot": _on_autopilot(ray()),
    "Ray on two slices": ray(),
    "Ray on slices of one host": ray()
    .set("tpu_slices", 0, machine_type="ct5lp-hightpu-8t")
    .set("flavors", 0, machine_type="ct5lp-hightpu-8t"),
    "a head in a pool that its queue counts": ray(head={"pool": "heads"}),
}
