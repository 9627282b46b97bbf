"""Names that collide, do not fit or are not for users: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform

BROKEN: dict[str, dict[str, Stack]] = {
    "names-differ": {
        "a derived pool name that is declared too": a_platform().add(
            "node_pools", name="v5e2", machine_type="e2-standard-4", nodes=1, zones=["us-west4-a"]
        ),
        "two entries of slices with one name": a_platform().add("tpu_slices", **a_platform().platform["tpu_slices"][0]),
        "two flavors of one name": a_platform().add(
            "flavors", name="v5e-2x4", machine_type="ct5lp-hightpu-4t", topology="2x4"
        ),
        "two queues of one name": a_platform()
        .set("queues", 0, "flavors", 0, chips=8)
        .add("queues", name="research", flavors=[{"name": "v5e-2x4", "chips": 8}])
        .set("workloads", 0, slices=1),
        "one flavor twice in a queue": a_platform()
        .set("queues", 0, flavors=[{"name": "v5e-2x4", "chips": 8}, {"name": "v5e-2x4", "chips": 8}])
        .set("workloads", 0, slices=1),
        "two local queues of one name in a namespace": a_platform().add("queues", 0, "local_queues", name="research"),
        "two priorities of one name": a_platform().add("priorities", name="low", value=50),
        "two workloads of one name": a_platform().add("workloads", **a_platform().platform["workloads"][0]),
        "two entries of one namespace": a_platform().set(
            namespaces=[{"name": "team-a", "delete": True}, {"name": "team-a"}]
        ),
    },
    "names-fit": {
        "a pool name that is too long with its number": a_platform().set("tpu_slices", 0, name="a" * 40),
        "a cluster name that is too long for the nodes' account": a_platform().set("cluster", name="c" * 25),
        "a network name that is too long for its router": a_platform().set("network", name="n" * 57),
    },
    "namespace-is-users": {
        "a queue in a namespace of the system": a_platform()
        .set("queues", 0, local_queues=[{"name": "research", "namespace": "kube-system"}])
        .set("workloads", 0, namespace="kube-system"),
        "namespaces that the stack does not make": a_platform().set(
            namespaces=[{"name": "default", "delete": True}, {"name": "kueue-system"}]
        ),
    },
}
SOUND: dict[str, Stack] = {
    "a namespace with a queue that may be deleted, and one with nothing in it": a_platform()
    .add("queues", 0, "local_queues", name="research", namespace="team-a")
    .set(namespaces=[{"name": "team-a", "delete": True}, {"name": "team-b"}]),
    "a pool name of 40 characters": a_platform().set("tpu_slices", 0, name="a" * 39),
    "a cluster name of 24 characters": a_platform().set("cluster", name="c" * 24),
    "a network name of 56 characters": a_platform().set("network", name="n" * 56),
    "local queues of one name in two namespaces": a_platform().add(
        "queues", 0, "local_queues", name="research", namespace="team-a"
    ),
}
