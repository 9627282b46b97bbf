"""Pathways and Ray: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform

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


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "Pathways on a machine type that it does not know": (
        pathways(slices=1)
        .set("tpu_slices", 0, machine_type="ct5lp-hightpu-1t", topology="1x1")
        .set("flavors", 0, machine_type="ct5lp-hightpu-1t", topology="1x1"),
        [
            Told(
                rule="pathways-runs-on-machine",
                place="workloads[0].flavor",
                says="Pathways does not run on ct5lp-hightpu-1t, whose slices v5e-2x4 counts.",
                remedy="Name a flavor of ct4p-hightpu-4t, ct5lp-hightpu-4t, ct5lp-hightpu-8t, ct5p-hightpu-4t, "
                "ct6e-standard-4t, ct6e-standard-8t or tpu7x-standard-4t.",
            ),
        ],
    ),
    "Pathways on either of two generations": (
        _other_shape(),
        [
            Told(
                rule="zone-offers-machine",
                place="tpu_slices[1].zone",
                says="TPU v6e is not listed for us-west4-a.",
                remedy="Listed: us-central1-b, us-east1-d, us-east5-a, us-east5-b, us-south1-ai1b, europe-west4-a, "
                "asia-northeast1-b and southamerica-west1-a.",
                severity="warning",
            ),
            Told(
                rule="pathways-flavors-are-one-type",
                place="workloads[0].flavors[1]",
                says="slices of v6e are 2x4 of ct6e-standard-4t, those of v5e-2x4 2x4 of ct5lp-hightpu-4t.",
                remedy="Keep flavors of one machine type and one topology.",
            ),
        ],
    ),
    "a scratch bucket that nobody declares": (
        pathways(scratch_bucket="ml-scrach"),
        [
            Told(
                rule="scratch-bucket-is-declared",
                place="workloads[0].scratch_bucket",
                says="no bucket is named ml-scrach.",
                remedy="Did you mean ml-scratch? Buckets: ml-scratch. Without a location, one that exists is meant.",
            ),
        ],
    ),
    "a release of Pathways that moves": (
        pathways(version="latest"),
        [
            Told(
                rule="pathways-is-pinned",
                place="workloads[0].version",
                says="us-docker.pkg.dev/cloud-tpu-v2-images/pathways/server:latest names no fixed version.",
                remedy="Add the tag of a release, or a digest.",
                severity="advice",
            ),
        ],
    ),
    "a variable that Pathways sets": (
        pathways(env={"JAX_PLATFORMS": "tpu"}),
        [
            Told(
                rule="pathways-variables",
                place="workloads[0].env.JAX_PLATFORMS",
                says="the stack sets it, so that the program finds the proxy.",
                remedy="Remove the key.",
            ),
        ],
    ),
    "a Pathways name that leaves no room": (
        pathways(name="p" * 40),
        [
            Told(
                rule="workload-pod-names",
                place="workloads[0].name",
                says="its longest pod name, pppppppppppppppppppppppppppppppppppppppp-pathways-head-0-0-abcde, has 64 "
                "characters; it may have 63 at most.",
                remedy="Shorten the name by 1.",
            ),
        ],
    ),
    "Pathways without JobSet": (
        pathways().set(controllers={"jobset": {"install": False}}),
        [
            Told(
                rule="jobset-is-installed",
                place="workloads[0].kind",
                says="pathways needs JobSet, which is not installed.",
                remedy="Take install: false away from controllers.jobset.",
            ),
        ],
    ),
    "a Ray name that leaves no room": (
        ray(name="r" * 48),
        [
            Told(
                rule="ray-job-name",
                place="workloads[0].name",
                says="rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr has 48 characters; a RayJob's name may have 47 "
                "at most.",
                remedy="Shorten the name by 1.",
            ),
        ],
    ),
    "a Ray name that begins with a digit": (
        ray(name="7b"),
        [
            Told(
                rule="ray-job-name",
                place="workloads[0].name",
                says="7b begins with a digit, and a RayJob's name begins with a letter.",
                remedy="Such as run-7b.",
            ),
        ],
    ),
    "a pool for a head that is not there": (
        ray(head={"pool": "heds"}),
        [
            Told(
                rule="head-pool-exists",
                place="workloads[0].head.pool",
                says="no pool of ordinary nodes is named heds.",
                remedy="Did you mean heads? Pools: system and heads.",
            ),
        ],
    ),
    "a pool for a head on Autopilot": (
        _on_autopilot(ray(head={"pool": "heads"})),
        [
            Told(
                rule="head-pool-exists",
                place="workloads[0].head.pool",
                says="Autopilot does not allow the choice of a node pool.",
                remedy="Remove the key.",
            ),
        ],
    ),
    "a head in a queue of chips alone": (
        pathways().set("queues", 0, flavors=[{"name": "v5e-2x4"}]),
        [
            Told(
                rule="head-is-covered",
                place="workloads[0].head",
                says="research has no quota of cpu and memory, which the head of pw requests; the workload would wait "
                "for ever.",
                remedy="Add a flavor without machine_type to the flavors of research, such as {name: cpu}: its quota "
                "is what the heads request, unless resources states more.",
            ),
        ],
    ),
    "a head beyond the quota": (
        pathways().set("queues", 0, "flavors", 1, resources={"cpu": "20", "memory": "200G"}),
        [
            Told(
                rule="head-can-ever-fit",
                place="workloads[0].head",
                says="the head of pw requests 28 of cpu, but research has 20; the workload would wait for ever.",
                remedy="Raise the quota to 28, or leave out resources of the flavor: its quota is then what heads "
                "need.",
            ),
        ],
    ),
    "a head on a pool that its queue does not count": (
        ray(head={"pool": "system"}),
        [
            Told(
                rule="head-can-ever-fit",
                place="workloads[0].head.pool",
                says="research has no quota of cpu on nodes of system.",
                remedy="Remove the key, or name a pool that a flavor of research selects.",
            ),
        ],
    ),
    "a head that is larger than its nodes": (
        pathways().set("node_pools", 1, machine_type="n2-standard-16"),
        [
            Told(
                rule="head-fits-a-node",
                place="workloads[0].head",
                says="the head of pw requests 28 of cpu and 132G of memory, and no node for it offers more than that: "
                "n2-standard-16.",
                remedy="Declare a pool with a larger machine type in node_pools, or request less in head.",
            ),
        ],
    ),
    "two heads on one node": (
        _twice(),
        [
            Told(
                rule="heads-have-nodes",
                place="workloads[1].head",
                says="2 Pathways workloads may run at once, and heads has 1 node for their heads.",
                remedy="Declare 2 nodes, submit one workload after another, or set host_network: false.",
                severity="warning",
            ),
        ],
    ),
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
