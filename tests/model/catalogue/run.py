"""Runs on slices: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform, on_autopilot

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


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "a jobset without JobSet": (
        a_platform().set(controllers={"jobset": {"install": False}}),
        [
            Told(
                rule="jobset-is-installed",
                place="workloads[0].kind",
                says="jobset needs JobSet, which is not installed.",
                remedy="Take install: false away from controllers.jobset, or use tpu-job for one slice.",
            ),
        ],
    ),
    "a run without a queue": (
        a_platform().drop("workloads", 0, "queue"),
        [
            Told(
                rule="workload-has-a-queue",
                place="workloads[0].queue",
                says="train has no queue, so it takes its nodes outside of every quota.",
                remedy="Name one. Local queues of default: research.",
                severity="warning",
            ),
        ],
    ),
    "a run without a queue, of more slices than there are": (
        a_platform()
        .set(controllers={"kueue": {"install": False}}, queues=[])
        .drop("workloads", 0, "queue")
        .set("workloads", 0, slices=3),
        [
            Told(
                rule="workload-can-ever-fit",
                place="workloads[0].slices",
                says="3 slices of v5e-2x4 are 24 chips, but its pools have 16; it would wait for ever.",
                remedy="Ask for 2 slices or fewer, or declare 3 slices.",
            ),
        ],
    ),
    "flavors of different shapes": (
        _two_shapes(),
        [
            Told(
                rule="workload-flavors-agree",
                place="workloads[0].flavors[1]",
                says="slices of v5e-2x2 are 1 host of 4 chips, those of v5e-2x4 2 hosts of 4 chips.",
                remedy="Keep flavors of 2 hosts of 4 chips.",
            ),
        ],
    ),
    "flavors without a queue": (
        _two_capacities().set(controllers={"kueue": {"install": False}}, queues=[]).drop("workloads", 0, "queue"),
        [
            Told(
                rule="workload-flavors-agree",
                place="workloads[0].flavors",
                says="train has no queue, so nothing picks one of its flavors.",
                remedy="Name a queue, or one flavor.",
            ),
        ],
    ),
    "a flavor among several that does not exist": (
        _two_capacities().set("workloads", 0, flavors=["v5e-2x4", "v5e-sopt"]),
        [
            Told(
                rule="workload-flavor-in-queue",
                place="workloads[0].flavors[1]",
                says="no flavor is named v5e-sopt.",
                remedy="Did you mean v5e-spot? Flavors it can use: v5e-2x4 and v5e-spot.",
            ),
        ],
    ),
    "a plain Job whose host names are too long": (
        one_job(name="w" * 62),
        [
            Told(
                rule="workload-pod-names",
                place="workloads[0].name",
                says="its longest pod name, wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww-1, "
                "has 64 characters; it may have 63 at most.",
                remedy="Shorten the name by 1.",
            ),
        ],
    ),
    "a plain Job whose Service would begin with a digit": (
        one_job(name="7b"),
        [
            Told(
                rule="service-names",
                place="workloads[0].name",
                says="7b begins with a digit, and a Service's name begins with a letter.",
                remedy="Such as s-7b.",
            ),
        ],
    ),
    "a Service that begins with a digit": (
        one_job(service="7b-hosts"),
        [
            Told(
                rule="service-names",
                place="workloads[0].service",
                says="7b-hosts begins with a digit, and a Service's name begins with a letter.",
                remedy="Such as s-7b-hosts.",
            ),
        ],
    ),
    "a Service of a single host": (
        _single_host(service="hosts"),
        [
            Told(
                rule="service-joins-hosts",
                place="workloads[0].service",
                says="it has no effect: a slice of v5e-2x4 is one host.",
                remedy="Remove the key.",
            ),
        ],
    ),
    "a Service of the name of a JobSet": (
        one_job(service="other").add(
            "workloads", **{**a_platform().platform["workloads"][0], "name": "other", "slices": 1}
        ),
        [
            Told(
                rule="service-names",
                place="workloads[1].name",
                says="the Service other of default is that of workloads[0].",
                remedy="Choose another name.",
            ),
        ],
    ),
    "a pool that does not exist": (
        one_job(pool="v5e3"),
        [
            Told(
                rule="workload-pool-serves",
                place="workloads[0].pool",
                says="no pool with slices of v5e-2x4 is named v5e3.",
                remedy="Did you mean v5e2? Pools: v5e1 and v5e2.",
            ),
        ],
    ),
    "a pool of other slices": (
        one_job(pool="system"),
        [
            Told(
                rule="workload-pool-serves",
                place="workloads[0].pool",
                says="no pool with slices of v5e-2x4 is named system.",
                remedy="Pools: v5e1 and v5e2.",
            ),
        ],
    ),
    "a plain Job that may be spread over two slices": (
        one_job().drop("workloads", 0, "pool"),
        [
            Told(
                rule="job-stays-in-a-slice",
                place="workloads[0].pool",
                says="v5e1 and v5e2 are alike, and the pods of train may be spread over them.",
                remedy="Name one of them, or make it a jobset of 1 slice. Such as pool: v5e1.",
                severity="warning",
            ),
        ],
    ),
    "a plain Job of more slices than the quota": (
        one_job()
        .set("queues", 0, "flavors", 0, chips=8)
        .set("tpu_slices", 0, topology="4x4")
        .set("flavors", 0, topology="4x4"),
        [
            Told(
                rule="quota-is-whole-slices",
                place="queues[0].flavors[0].chips",
                says="8 chips are not a whole number of 4x4 slices of 16 chips, at least one.",
                remedy="Set 16 (1 slice).",
            ),
            Told(
                rule="workload-can-ever-fit",
                place="workloads[0].flavor",
                says="1 slice of v5e-2x4 are 16 chips, but research has 8; it would wait for ever.",
                remedy="Raise the quota to 16.",
            ),
        ],
    ),
    "a privileged JobSet on Autopilot": (
        on_autopilot().set("workloads", 0, privileged=True),
        [
            Told(
                rule="autopilot-pods-are-plain",
                place="workloads[0].privileged",
                says="Autopilot does not allow privileged.",
                remedy="Remove the key.",
            ),
        ],
    ),
    "a privileged pod on Autopilot": (
        _autopilot(one_job(privileged=True)),
        [
            Told(
                rule="autopilot-pods-are-plain",
                place="workloads[0].pool",
                says="Autopilot does not allow the choice of a node pool.",
                remedy="Remove the key.",
            ),
            Told(
                rule="autopilot-pods-are-plain",
                place="workloads[0].privileged",
                says="Autopilot does not allow privileged.",
                remedy="Remove the key.",
            ),
        ],
    ),
    "a quota that nothing tells on Autopilot": (
        _autopilot(a_platform()).drop("queues", 0, "flavors", 0, "chips"),
        [
            Told(
                rule="quota-is-stated",
                place="queues[0].flavors[0].name",
                says="no pool holds 2x4 slices: their nodes are made when work selects them.",
                remedy="State chips, such as 8 (1 slice).",
            ),
        ],
    ),
    "two MaxText runs of one name": (
        _maxtext().add("workloads", **{**_maxtext().platform["workloads"][0], "name": "again"}),
        [
            Told(
                rule="maxtext-runs-differ",
                place="workloads[1].maxtext.run_name",
                says="the run name llama is taken by workloads[0].maxtext.",
                remedy="Such as again.",
            ),
        ],
    ),
    "a MaxText run to an unknown bucket": (
        _maxtext(bucket="ml-outptu"),
        [
            Told(
                rule="maxtext-bucket-is-declared",
                place="workloads[0].maxtext.bucket",
                says="no bucket is named ml-outptu.",
                remedy="Did you mean ml-output? Buckets: ml-output. Without a location, one that exists is meant.",
            ),
        ],
    ),
    "a workload with the API server's Service": (
        a_platform().set("workloads", 0, name="kubernetes"),
        [
            Told(
                rule="service-names",
                place="workloads[0].name",
                says="the Service kubernetes in namespace default belongs to the API server.",
                remedy="Such as kubernetes-run.",
            ),
        ],
    ),
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
