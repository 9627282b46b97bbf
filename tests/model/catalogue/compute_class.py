"""ComputeClasses, and the workloads that select them: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from typing import Any, Final

from tests.stacks import Stack, a_platform

V5E: Final = {"machine_type": "ct5lp-hightpu-4t", "topology": "2x4"}
CHAIN: Final[list[dict[str, Any]]] = [
    {"node_pools": ["v5e"]},
    {**V5E, "capacity": "spot"},
    {**V5E, "capacity": "flex-start", "max_run_seconds": 28800},
]


def with_class(*priorities: dict[str, Any], **settings: object) -> Stack:
    """The small platform without queues: its slices are autoscaled, and its workload selects a class of them."""
    chain = list(priorities) or CHAIN
    return (
        a_platform()
        .drop("flavors")
        .drop("queues")
        .set("tpu_slices", 0, autoscaled=True)
        .set(compute_classes=[{"name": "any-v5e", "priorities": chain, **settings}])
        .drop("workloads", 0, "queue")
        .drop("workloads", 0, "flavor")
        .set("workloads", 0, compute_class="any-v5e", slices=1)
    )


def one_job(stack: Stack) -> Stack:
    """The same with a plain Job of one slice in place of the JobSet."""
    job = stack.drop("workloads", 0, "slices").drop("workloads", 0, "failure_policy")
    return job.set("workloads", 0, kind="tpu-job", backoff_limit=0)


def with_machines(*priorities: dict[str, Any], gpu: dict[str, Any] | None = None, **settings: object) -> Stack:
    """The small platform with a class of other machines, and a batch job that selects it."""
    job = {"name": "crunch", "kind": "batch-job", "image": "registry.example/crunch:1.0", "pods": 2}
    more = {} if gpu is None else {"gpu": gpu}
    return (
        a_platform()
        .set(compute_classes=[{"name": "machines", "priorities": list(priorities), **settings}])
        .set(workloads=[{**job, **more, "script": "sleep 5", "compute_class": "machines"}])
    )


def _pool(name: str, **settings: object) -> dict[str, Any]:
    return {"name": name, "machine_type": "e2-standard-8", "zones": ["us-west4-a"], **settings}


_GROWS: Final = {"autoscaling": {"min": 0, "max": 3}}
T4: Final = {"type": "nvidia-tesla-t4", "count": 1}
L4: Final = {"type": "nvidia-l4", "count": 1}
BROKEN: dict[str, dict[str, Stack]] = {
    "class-name-is-free": {
        "a class with a name of GKE": with_class(name="gke-any").set("workloads", 0, compute_class="gke-any"),
    },
    "names-differ": {
        "two classes of one name": with_class().add(
            "compute_classes", name="any-v5e", priorities=[{"machine_family": "n4"}]
        ),
    },
    "class-pool-exists": {
        "a class of a pool that does not exist": with_class({"node_pools": ["v5"]}, *CHAIN),
        "a class of declared pools on Autopilot": with_class({"node_pools": ["v5e"]}, V5E)
        .drop("node_pools")
        .drop("tpu_slices")
        .set("cluster", mode="autopilot"),
    },
    "class-pool-grows": {
        "a class of slices that do not grow": with_class().drop("tpu_slices", 0, "autoscaled"),
        "a class of nodes that do not grow": with_machines({"node_pools": ["system"]}),
    },
    "class-pool-grows, queued-may-be-refused": {
        "a class of slices that come for requests": with_class()
        .set("tpu_slices", 0, capacity="flex-start", queued=True)
        .drop("tpu_slices", 0, "autoscaled"),
    },
    "pool-has-one-class": {
        "a pool in two classes": with_class().add(
            "compute_classes", name="other", priorities=[{"node_pools": ["v5e"]}]
        ),
    },
    "workload-class-exists": {
        "a workload of no class": with_class().set("workloads", 0, compute_class="any-v5"),
    },
    "class-is-without-queue": {
        "a workload with a class and a queue": with_class()
        .set(flavors=[{"name": "other", "machine_type": "ct5lp-hightpu-8t", "topology": "2x4"}])
        .set(queues=[{"name": "research", "flavors": [{"name": "other"}], "local_queues": [{"name": "research"}]}])
        .add("tpu_slices", name="other", machine_type="ct5lp-hightpu-8t", topology="2x4", zone="us-west4-a")
        .set("workloads", 0, queue="research"),
    },
    "class-serves-workload": {
        "a class of slices of two sizes": with_class(*CHAIN, {**V5E, "topology": "4x4"}),
        "a class of slices and machines": with_class(*CHAIN, {"machine_family": "n4"}),
        "a batch job on slices": with_machines({"machine_family": "n4"}, V5E),
        "a batch job with GPUs on machines without": with_machines(
            {"machine_family": "n1", "gpu": T4}, {"machine_family": "n4"}, gpu=T4
        ),
        "a batch job with more GPUs than a class": with_machines(
            {"machine_type": "g2-standard-8", "gpu": L4}, gpu={"type": "nvidia-l4", "count": 2}
        ),
        "a batch job without GPUs on machines with some": with_machines({"machine_family": "n1", "gpu": T4}),
    },
    "multislice-is-multi-host": {
        "slices of a class that cannot work together": with_class(
            {"machine_type": "ct5lp-hightpu-8t", "topology": "2x4"}
        ).set("workloads", 0, slices=2),
    },
    "job-stays-in-a-slice": {
        "a job that nothing keeps in a slice of its class": one_job(with_class()),
    },
    "service-joins-hosts": {
        "a service of one host of a class": one_job(
            with_class({"machine_type": "ct5lp-hightpu-8t", "topology": "2x4"})
        ).set("workloads", 0, service="train"),
    },
    "requests-fit-the-host": {
        "pods that want more than a host of their class has": with_class().set(
            "workloads", 0, resources={"memory": "400Gi"}
        ),
    },
    "flavor-is-served": {
        "a flavor of slices that belong to a class": with_class().set(flavors=[{"name": "v5e-2x4", **V5E}]),
    },
}
SOUND: dict[str, Stack] = {
    "a chain of slices": with_class(),
    "a chain that gives other nodes and moves pods": with_class(
        when_unsatisfiable="ScaleUpAnyway", active_migration=True
    ),
    "a chain of slices on Autopilot": with_class(V5E, {**V5E, "capacity": "spot", "zones": ["us-west4-a"]})
    .drop("node_pools")
    .drop("tpu_slices")
    .set("cluster", mode="autopilot"),
    "a chain of machines for a batch job": with_machines(
        {"node_pools": ["big"]}, {"machine_type": "n4-standard-8", "capacity": "spot"}, {"machine_family": "n4"}
    ).add("node_pools", **_pool("big", **_GROWS)),
    "a job on one host of a class": one_job(with_class({"machine_type": "ct5lp-hightpu-8t", "topology": "2x4"})),
}
