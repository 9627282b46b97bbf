"""Runs on slices: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform, on_autopilot

_SINGLE = {"machine_type": "ct5lp-hightpu-4t", "topology": "2x2"}


def one_job(**keys: object) -> Stack:
    """The small platform with a plain Job of one slice in place of its JobSet."""
    queued = {"queue": "research", "priority": "normal"}
    run = {
        "name": "train",
        "kind": "tpu-job",
        "backoff_limit": 0,
        **queued,
        "flavor": "v5e-2x4",
        "pool": "v5e1",
        **keys,
    }
    return a_platform().set(workloads=[{"image": "registry.example/train:1.0", "script": "sleep 60", **run}])


def _single_host(**keys: object) -> Stack:
    """The small platform on slices of one host, with a plain Job."""
    stack = one_job(**keys).drop("workloads", 0, "pool")
    return stack.set("tpu_slices", 0, **_SINGLE).set("flavors", 0, **_SINGLE)


def _autopilot(stack: Stack) -> Stack:
    """On Autopilot, whose nodes nobody declares."""
    return (
        stack.set("cluster", mode="autopilot")
        .set(node_pools=[], tpu_slices=[])
        .set("queues", 0, "flavors", 0, chips=16)
    )


def _maxtext(**keys: object) -> Stack:
    """The small platform with a MaxText run of one slice."""
    maxtext = {"run_name": "llama", "steps": 300, "bucket": "ml-output", **keys}
    run = {**a_platform().platform["workloads"][0], "slices": 1, "maxtext": maxtext}
    del run["script"]
    return a_platform().set(buckets=[{"name": "ml-output"}], workloads=[run])


def _two_shapes() -> Stack:
    """The small platform with a second flavor, of slices of one host, in its queue."""
    return (
        a_platform()
        .add("tpu_slices", name="small", slices=3, zone="us-west4-a", **_SINGLE)
        .add("flavors", name="v5e-2x2", **_SINGLE)
        .add("queues", 0, "flavors", name="v5e-2x2")
        .set("workloads", 0, slices=1, flavors=["v5e-2x4", "v5e-2x2"])
        .drop("workloads", 0, "flavor")
    )


def _two_capacities() -> Stack:
    """The small platform with spot slices of the same shape beside the others, and a run that takes either."""
    shape = {"machine_type": "ct5lp-hightpu-4t", "topology": "2x4", "capacity": "spot"}
    return (
        a_platform()
        .add("tpu_slices", name="spot", slices=1, zone="us-west4-a", **shape)
        .add("flavors", name="v5e-spot", **shape)
        .add("queues", 0, "flavors", name="v5e-spot")
        .set("workloads", 0, slices=1, flavors=["v5e-2x4", "v5e-spot"])
        .drop("workloads", 0, "flavor")
    )


BROKEN: dict[str, dict[str, Stack]] = {
    "jobset-is-installed": {
        "a jobset without JobSet": a_platform().set(controllers={"jobset": {"install": False}}),
    },
    "workload-has-a-queue": {
        "a run without a queue": a_platform().drop("workloads", 0, "queue"),
    },
    "workload-can-ever-fit": {
        "a run without a queue, of more slices than there are": a_platform()
        .set(controllers={"kueue": {"install": False}}, queues=[])
        .drop("workloads", 0, "queue")
        .set("workloads", 0, slices=3),
    },
    "workload-flavors-agree": {
        "flavors of different shapes": _two_shapes(),
        "flavors without a queue": _two_capacities()
        .set(controllers={"kueue": {"install": False}}, queues=[])
        .drop("workloads", 0, "queue"),
    },
    "workload-flavor-in-queue": {
        "a flavor among several that does not exist": _two_capacities().set(
            "workloads", 0, flavors=["v5e-2x4", "v5e-sopt"]
        ),
    },
    "workload-pod-names": {
        "a plain Job whose host names are too long": one_job(name="w" * 62),
    },
    "service-names": {
        "a plain Job whose Service would begin with a digit": one_job(name="7b"),
        "a Service that begins with a digit": one_job(service="7b-hosts"),
        "a Service of the name of a JobSet": one_job(service="other").add(
            "workloads", **{**a_platform().platform["workloads"][0], "name": "other", "slices": 1}
        ),
        "a workload with the API server's Service": a_platform().set("workloads", 0, name="kubernetes"),
    },
    "service-joins-hosts": {
        "a Service of a single host": _single_host(service="hosts"),
    },
    "workload-pool-serves": {
        "a pool that does not exist": one_job(pool="v5e3"),
        "a pool of other slices": one_job(pool="system"),
    },
    "job-stays-in-a-slice": {
        "a plain Job that may be spread over two slices": one_job().drop("workloads", 0, "pool"),
    },
    "quota-is-whole-slices, workload-can-ever-fit": {
        "a plain Job of more slices than the quota": one_job()
        .set("queues", 0, "flavors", 0, chips=8)
        .set("tpu_slices", 0, topology="4x4")
        .set("flavors", 0, topology="4x4"),
    },
    "autopilot-pods-are-plain": {
        "a privileged JobSet on Autopilot": on_autopilot().set("workloads", 0, privileged=True),
        "a privileged pod on Autopilot": _autopilot(one_job(privileged=True)),
    },
    "quota-is-stated": {
        "a quota that nothing tells on Autopilot": _autopilot(a_platform()).drop("queues", 0, "flavors", 0, "chips"),
    },
    "maxtext-runs-differ": {
        "two MaxText runs of one name": _maxtext().add(
            "workloads", **{**_maxtext().platform["workloads"][0], "name": "again"}
        ),
    },
    "maxtext-bucket-is-declared": {
        "a MaxText run to an unknown bucket": _maxtext(bucket="ml-outptu"),
    },
}
SOUND: dict[str, Stack] = {
    "a plain Job that is held in one slice": one_job(service="hosts", privileged=True),
    "a plain Job on a single host": _single_host(restart_policy="OnFailure", args=["60s"]).drop(
        "workloads", 0, "script"
    ),
    "the same jobset on Autopilot": _autopilot(a_platform()),
    "a MaxText run": _maxtext(),
    "a run that takes either of two capacities": _two_capacities(),
    "neither controller, and a plain Job": one_job()
    .drop("workloads", 0, "queue")
    .set(controllers={"jobset": {"install": False}, "kueue": {"install": False}}, queues=[]),
}
