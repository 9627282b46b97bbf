"""ComputeClasses, and the workloads that select them: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from typing import Any, Final

from tests.stacks import Stack, Told, a_platform

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
BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "a class with a name of GKE": (
        with_class(name="gke-any").set("workloads", 0, compute_class="gke-any"),
        [
            Told(
                rule="class-name-is-free",
                place="compute_classes[0].name",
                says="the name begins with gke, which GKE reserves for its own classes.",
                remedy="Choose a name with another beginning.",
            )
        ],
    ),
    "two classes of one name": (
        with_class().add("compute_classes", name="any-v5e", priorities=[{"machine_family": "n4"}]),
        [
            Told(
                rule="names-differ",
                place="compute_classes[1].name",
                says="the ComputeClass name any-v5e is taken by compute_classes[0].",
                remedy="Choose another name.",
            )
        ],
    ),
    "a class of a pool that does not exist": (
        with_class({"node_pools": ["v5"]}, *CHAIN),
        [
            Told(
                rule="class-pool-exists",
                place="compute_classes[0].priorities[0].node_pools[0]",
                says="no entry of node_pools or tpu_slices is named v5.",
                remedy="Did you mean v5e? Entries: system and v5e.",
            )
        ],
    ),
    "a class of declared pools on Autopilot": (
        with_class({"node_pools": ["v5e"]}, V5E).drop("node_pools").drop("tpu_slices").set("cluster", mode="autopilot"),
        [
            Told(
                rule="class-pool-exists",
                place="compute_classes[0].priorities[0].node_pools[0]",
                says="an Autopilot cluster has no declared node pools.",
                remedy="Name the machines themselves: machine_type, and for TPUs topology.",
            )
        ],
    ),
    "a class of slices that do not grow": (
        with_class().drop("tpu_slices", 0, "autoscaled"),
        [
            Told(
                rule="class-pool-grows",
                place="compute_classes[0].priorities[0].node_pools[0]",
                says="v5e has a fixed number of nodes.",
                remedy="Add autoscaled to that entry.",
            )
        ],
    ),
    "a class of nodes that do not grow": (
        with_machines({"node_pools": ["system"]}),
        [
            Told(
                rule="class-pool-grows",
                place="compute_classes[0].priorities[0].node_pools[0]",
                says="system has a fixed number of nodes.",
                remedy="Write autoscaling in place of nodes in that entry.",
            )
        ],
    ),
    "a class of slices that come for requests": (
        with_class().set("tpu_slices", 0, capacity="flex-start", queued=True).drop("tpu_slices", 0, "autoscaled"),
        [
            Told(
                rule="class-pool-grows",
                place="compute_classes[0].priorities[0].node_pools[0]",
                says="nodes of v5e are queued: they come for ProvisioningRequests of Kueue alone.",
                remedy="Remove queued from that entry.",
            ),
            Told(
                rule="queued-may-be-refused",
                place="tpu_slices[0].queued",
                says="the API refuses queued provisioning of TPU v5e.",
                remedy="Remove the key, or use TPU v6e or TPU7x, which Google's examples queue for.",
            ),
        ],
    ),
    "a pool in two classes": (
        with_class().add("compute_classes", name="other", priorities=[{"node_pools": ["v5e"]}]),
        [
            Told(
                rule="pool-has-one-class",
                place="compute_classes[1].priorities[0].node_pools[0]",
                says="v5e belongs to compute_classes[0].priorities[0].node_pools[0] already.",
                remedy="Name it once.",
            )
        ],
    ),
    "a workload of no class": (
        with_class().set("workloads", 0, compute_class="any-v5"),
        [
            Told(
                rule="workload-class-exists",
                place="workloads[0].compute_class",
                says="no ComputeClass is named any-v5.",
                remedy="Did you mean any-v5e? Declared under compute_classes: any-v5e.",
            )
        ],
    ),
    "a workload with a class and a queue": (
        with_class()
        .set(flavors=[{"name": "other", "machine_type": "ct5lp-hightpu-8t", "topology": "2x4"}])
        .set(queues=[{"name": "research", "flavors": [{"name": "other"}], "local_queues": [{"name": "research"}]}])
        .add("tpu_slices", name="other", machine_type="ct5lp-hightpu-8t", topology="2x4", zone="us-west4-a")
        .set("workloads", 0, queue="research"),
        [
            Told(
                rule="class-is-without-queue",
                place="workloads[0].compute_class",
                says="Kueue decides which machines the workloads of research get.",
                remedy="For a chain of capacities in a queue, list flavors of the queue in its order; else remove "
                "queue.",
            )
        ],
    ),
    "a class of slices of two sizes": (
        with_class(*CHAIN, {**V5E, "topology": "4x4"}),
        [
            Told(
                rule="class-serves-workload",
                place="workloads[0].compute_class",
                says="priority 3 of any-v5e brings 4x4 slices of ct5lp-hightpu-4t, which are 4 hosts of 4 chips; the "
                "first ones are 2 hosts of 4 chips.",
                remedy="Choose a class whose every priority brings nodes for the workload.",
            )
        ],
    ),
    "a class of slices and machines": (
        with_class(*CHAIN, {"machine_family": "n4"}),
        [
            Told(
                rule="class-serves-workload",
                place="workloads[0].compute_class",
                says="priority 3 of any-v5e brings n4 machines, which have no TPUs.",
                remedy="Choose a class whose every priority brings nodes for the workload.",
            )
        ],
    ),
    "a batch job on slices": (
        with_machines({"machine_family": "n4"}, V5E),
        [
            Told(
                rule="class-serves-workload",
                place="workloads[0].compute_class",
                says="priority 1 of machines brings 2x4 slices of ct5lp-hightpu-4t, whose taint keeps pods without "
                "chips away.",
                remedy="Choose a class whose every priority brings nodes for the workload.",
            )
        ],
    ),
    "a batch job with GPUs on machines without": (
        with_machines({"machine_family": "n1", "gpu": T4}, {"machine_family": "n4"}, gpu=T4),
        [
            Told(
                rule="class-serves-workload",
                place="workloads[0].compute_class",
                says="priority 1 of machines brings n4 machines, each with no GPUs; the pods want 1 nvidia-tesla-t4.",
                remedy="Choose a class whose every priority brings nodes for the workload.",
            )
        ],
    ),
    "a batch job with more GPUs than a class": (
        with_machines({"machine_type": "g2-standard-8", "gpu": L4}, gpu={"type": "nvidia-l4", "count": 2}),
        [
            Told(
                rule="class-serves-workload",
                place="workloads[0].compute_class",
                says="priority 0 of machines brings g2-standard-8 machines, each with 1 nvidia-l4; the pods want 2 "
                "nvidia-l4.",
                remedy="Choose a class whose every priority brings nodes for the workload.",
            )
        ],
    ),
    "a batch job without GPUs on machines with some": (
        with_machines({"machine_family": "n1", "gpu": T4}),
        [
            Told(
                rule="class-serves-workload",
                place="workloads[0].compute_class",
                says="priority 0 of machines brings n1 machines, whose taint keeps pods without GPUs away.",
                remedy="Choose a class whose every priority brings nodes for the workload.",
            )
        ],
    ),
    "slices of a class that cannot work together": (
        with_class({"machine_type": "ct5lp-hightpu-8t", "topology": "2x4"}).set("workloads", 0, slices=2),
        [
            Told(
                rule="multislice-is-multi-host",
                place="workloads[0].slices",
                says="2 slices of any-v5e cannot work together: each is a single host.",
                remedy="Ask for 1 slice, or use slices of several hosts.",
            )
        ],
    ),
    "a job that nothing keeps in a slice of its class": (
        one_job(with_class()),
        [
            Told(
                rule="job-stays-in-a-slice",
                place="workloads[0].compute_class",
                says="the slices of any-v5e are alike for the pods, which may be spread over them.",
                remedy="Make it a jobset, which has a slice for each of its Jobs.",
                severity="warning",
            )
        ],
    ),
    "a service of one host of a class": (
        one_job(with_class({"machine_type": "ct5lp-hightpu-8t", "topology": "2x4"})).set(
            "workloads", 0, service="train"
        ),
        [
            Told(
                rule="service-joins-hosts",
                place="workloads[0].service",
                says="it has no effect: a slice of any-v5e is one host.",
                remedy="Remove the key.",
            )
        ],
    ),
    "pods that want more than a host of their class has": (
        with_class().set("workloads", 0, resources={"memory": "400Gi"}),
        [
            Told(
                rule="requests-fit-the-host",
                place="workloads[0].resources.memory",
                says="400Gi of memory are more than the 185653Mi that ct5lp-hightpu-4t leaves to pods.",
                remedy="Set 185653Mi or less; all containers of the pod count.",
            )
        ],
    ),
    "a flavor of slices that belong to a class": (
        with_class().set(flavors=[{"name": "v5e-2x4", **V5E}]),
        [
            Told(
                rule="flavor-is-served",
                place="flavors[0].name",
                says="no pool has 2x4 slices of ct5lp-hightpu-4t, which v5e-2x4 counts.",
                remedy="Declare them under tpu_slices. Declared there: 2x4 slices of ct5lp-hightpu-4t of a "
                "ComputeClass.",
            )
        ],
    ),
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
