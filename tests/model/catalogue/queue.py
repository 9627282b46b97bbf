"""Queues: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform


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


_REFUSED = Told(
    rule="queued-may-be-refused",
    place="tpu_slices[0].queued",
    says="the API may refuse queued provisioning of TPUs; where it does not, only a ProvisioningRequest of Kueue "
    "starts nodes.",
    remedy="Without the key, nodes start when pods wait for them.",
    severity="warning",
)
BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "queues without Kueue": (
        _without_kueue().set(queues=a_platform().platform["queues"]),
        [
            Told(
                rule="kueue-is-installed",
                place="queues",
                says="only Kueue knows them, and it is not installed.",
                remedy="Remove them, or take install: false away from controllers.kueue.",
            ),
        ],
    ),
    "cohorts and checks without Kueue": (
        _without_kueue().set(cohorts=[{"name": "all"}], admission_checks=[{"name": "nodes"}]),
        [
            Told(
                rule="kueue-is-installed",
                place="admission_checks",
                says="only Kueue knows them, and it is not installed.",
                remedy="Remove them, or take install: false away from controllers.kueue.",
            ),
            Told(
                rule="admission-check-is-used",
                place="admission_checks[0].name",
                says="no queue asks nodes.",
                remedy="Name nodes in admission_checks of a flavor of a queue.",
                severity="warning",
            ),
            Told(
                rule="kueue-is-installed",
                place="cohorts",
                says="only Kueue knows them, and it is not installed.",
                remedy="Remove them, or take install: false away from controllers.kueue.",
            ),
        ],
    ),
    "a queued workload without Kueue": (
        _without_kueue().set("workloads", 0, queue="research"),
        [
            Told(
                rule="kueue-is-installed",
                place="workloads[0].queue",
                says="nothing queues train: Kueue is not installed.",
                remedy="Remove the key, or take install: false away from controllers.kueue.",
            ),
        ],
    ),
    "a queue with a flavor that is not declared": (
        a_platform().set("queues", 0, "flavors", 0, name="v5e-2x2"),
        [
            Told(
                rule="queue-flavor-exists",
                place="queues[0].flavors[0].name",
                says="no flavor is named v5e-2x2.",
                remedy="Did you mean v5e-2x4? Flavors: v5e-2x4.",
            ),
        ],
    ),
    "chips of a flavor of ordinary nodes": (
        _with_resources(),
        [
            Told(
                rule="quota-fits-flavor",
                place="queues[1].flavors[0].name",
                says="any counts ordinary resources, and none are stated.",
                remedy='Add resources, such as {cpu: "10", memory: 10Gi}.',
            ),
        ],
    ),
    "resources of a flavor of slices": (
        a_platform()
        .add("flavors", name="any")
        .add("queues", name="batch", flavors=[{"name": "v5e-2x4", "resources": {"cpu": "1"}}]),
        [
            Told(
                rule="quota-fits-flavor",
                place="queues[1].flavors[0].resources",
                says="v5e-2x4 counts slices, whose quota is stated in chips.",
                remedy="Write chips in its place, or nothing to take what the pools hold.",
            ),
        ],
    ),
    "chips among ordinary resources": (
        _with_resources(resources={"cpu": "10", "google.com/tpu": "8"}),
        [
            Told(
                rule="quota-fits-flavor",
                place="queues[1].flavors[0].resources.google.com/tpu",
                says="chips are counted by flavors with a machine type and a topology.",
                remedy="Declare such a flavor, and state chips of it.",
            ),
        ],
    ),
    "two flavors that cover different resources": (
        _with_resources(resources={"cpu": "10", "memory": "10Gi"})
        .add("flavors", name="t4")
        .add("queues", 1, "flavors", name="t4", resources={"cpu": "4", "nvidia.com/gpu": "4"}),
        [
            Told(
                rule="resource-is-covered-once",
                place="queues[1].flavors[1].resources",
                says="t4 covers cpu and nvidia.com/gpu, but any, which has some of them, covers cpu and memory.",
                remedy="State cpu, memory and nvidia.com/gpu for both; 0 is an amount.",
            ),
        ],
    ),
    "a flavor of nine labels": (
        _with_resources(resources={"cpu": "10"}).set(
            "flavors", 1, labels={f"team-{number}": "a" for number in range(9)}
        ),
        [
            Told(
                rule="flavor-has-few-labels",
                place="flavors[1].labels",
                says="9 labels are more than the 8 that a flavor may have.",
                remedy="Keep those by which its nodes differ from others.",
            ),
        ],
    ),
    "an admission check that does not exist": (
        a_platform()
        .set(admission_checks=[{"name": "nodes"}])
        .set("queues", 0, "flavors", 0, admission_checks=["nodes", "node"]),
        [
            Told(
                rule="admission-check-exists",
                place="queues[0].flavors[0].admission_checks[1]",
                says="no admission check is named node.",
                remedy="Did you mean nodes? Admission checks: nodes.",
            ),
        ],
    ),
    "an admission check that nobody asks": (
        a_platform().set(admission_checks=[{"name": "nodes"}]),
        [
            Told(
                rule="admission-check-is-used",
                place="admission_checks[0].name",
                says="no queue asks nodes.",
                remedy="Name nodes in admission_checks of a flavor of a queue.",
                severity="warning",
            ),
        ],
    ),
    "queued slices that nobody asks for": (
        _queued(),
        [
            Told(
                rule="queued-slices-are-asked-for",
                place="queues[0].flavors[0].admission_checks",
                says="nodes of v5e-2x4 are queued, and research asks for none.",
                remedy="Name an admission check. Declared: none; {name: nodes} makes one.",
            ),
            _REFUSED,
        ],
    ),
    "queued slices that are asked for of another class": (
        _queued()
        .set(admission_checks=[{"name": "room", "provisioning": {"class_name": "check-capacity.example.com"}}])
        .set("queues", 0, "flavors", 0, admission_checks=["room"]),
        [
            Told(
                rule="queued-slices-are-asked-for",
                place="queues[0].flavors[0].admission_checks",
                says="nodes of v5e-2x4 are queued, and research asks for none of class queued-provisioning.gke.io.",
                remedy="Name an admission check. Declared: none; {name: nodes} makes one.",
            ),
            _REFUSED,
        ],
    ),
    "a queue that is removed while it works": (
        a_platform().after(queues=[{"name": "research", "stop": None}, {"name": "applied", "stop": None}]),
        [
            Told(
                rule="queue-is-drained",
                place="queues",
                says="applied would be removed, and it has not been drained.",
                remedy="Put it back with stop: drain and update; remove it with the update after that.",
            ),
        ],
    ),
    "a queue that is removed while it is held": (
        a_platform().after(queues=[{"name": "applied", "stop": "hold"}]),
        [
            Told(
                rule="queue-is-drained",
                place="queues",
                says="applied would be removed, and it has not been drained.",
                remedy="Put it back with stop: drain and update; remove it with the update after that.",
            ),
        ],
    ),
    "the last queue, removed with Kueue": (
        _without_kueue().after(queues=[{"name": "research", "stop": None}]),
        [
            Told(
                rule="queue-is-drained",
                place="queues",
                says="research would be removed, and it has not been drained.",
                remedy="Put it back with stop: drain and update; remove it with the update after that.",
            ),
        ],
    ),
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
