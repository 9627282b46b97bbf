"""Names that collide, do not fit or are not for users: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform

BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "a derived pool name that is declared too": (
        a_platform().add("node_pools", name="v5e2", machine_type="e2-standard-4", nodes=1, zones=["us-west4-a"]),
        [
            Told(
                rule="names-differ",
                place="tpu_slices[0].name",
                says="the node pool name v5e2 is taken by node_pools[1].",
                remedy="Choose another name.",
            ),
        ],
    ),
    "two entries of slices with one name": (
        a_platform().add("tpu_slices", **a_platform().platform["tpu_slices"][0]),
        [
            Told(
                rule="names-differ",
                place="tpu_slices[1].name",
                says="the node pool names v5e1 and v5e2 are taken by tpu_slices[0].",
                remedy="Choose another name.",
            ),
        ],
    ),
    "two flavors of one name": (
        a_platform().add("flavors", name="v5e-2x4", machine_type="ct5lp-hightpu-4t", topology="2x4"),
        [
            Told(
                rule="names-differ",
                place="flavors[1].name",
                says="the flavor name v5e-2x4 is taken by flavors[0].",
                remedy="Choose another name.",
            ),
        ],
    ),
    "two queues of one name": (
        a_platform()
        .set("queues", 0, "flavors", 0, chips=8)
        .add("queues", name="research", flavors=[{"name": "v5e-2x4", "chips": 8}])
        .set("workloads", 0, slices=1),
        [
            Told(
                rule="names-differ",
                place="queues[1].name",
                says="the queue name research is taken by queues[0].",
                remedy="Choose another name.",
            ),
        ],
    ),
    "one flavor twice in a queue": (
        a_platform()
        .set("queues", 0, flavors=[{"name": "v5e-2x4", "chips": 8}, {"name": "v5e-2x4", "chips": 8}])
        .set("workloads", 0, slices=1),
        [
            Told(
                rule="names-differ",
                place="queues[0].flavors[1].name",
                says="the flavor of queue research name v5e-2x4 is taken by queues[0].flavors[0].",
                remedy="Choose another name.",
            ),
        ],
    ),
    "two local queues of one name in a namespace": (
        a_platform().add("queues", 0, "local_queues", name="research"),
        [
            Told(
                rule="names-differ",
                place="queues[0].local_queues[1].name",
                says="the local queue name default/research is taken by queues[0].local_queues[0].",
                remedy="Choose another name.",
            ),
        ],
    ),
    "two priorities of one name": (
        a_platform().add("priorities", name="low", value=50),
        [
            Told(
                rule="names-differ",
                place="priorities[2].name",
                says="the priority name low is taken by priorities[1].",
                remedy="Choose another name.",
            ),
        ],
    ),
    "two workloads of one name": (
        a_platform().add("workloads", **a_platform().platform["workloads"][0]),
        [
            Told(
                rule="names-differ",
                place="workloads[1].name",
                says="the workload name default/train is taken by workloads[0].",
                remedy="Choose another name.",
            ),
        ],
    ),
    "a pool name that is too long with its number": (
        a_platform().set("tpu_slices", 0, name="a" * 40),
        [
            Told(
                rule="names-fit",
                place="tpu_slices[0].name",
                says="the node pool would be named aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1, which has 41 "
                "characters; it may have 40 at most.",
                remedy="Shorten the name by 1.",
            ),
        ],
    ),
    "a cluster name that is too long for the nodes' account": (
        a_platform().set("cluster", name="c" * 25),
        [
            Told(
                rule="names-fit",
                place="cluster.name",
                says="the nodes' service account would be named ccccccccccccccccccccccccc-nodes, which has "
                "31 characters; it may have 30 at most.",
                remedy="Shorten the name by 1.",
            ),
        ],
    ),
    "a network name that is too long for its router": (
        a_platform().set("network", name="n" * 57),
        [
            Told(
                rule="names-fit",
                place="network.name",
                says="the network's router would be named "
                "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn-router, which has 64 "
                "characters; it may have 63 at most.",
                remedy="Shorten the name by 1.",
            ),
        ],
    ),
    "a queue in a namespace of the system": (
        a_platform()
        .set("queues", 0, local_queues=[{"name": "research", "namespace": "kube-system"}])
        .set("workloads", 0, namespace="kube-system"),
        [
            Told(
                rule="namespace-is-users",
                place="queues[0].local_queues[0].namespace",
                says="kube-system belongs to the system.",
                remedy="Name a namespace of a team, or default.",
            ),
            Told(
                rule="namespace-is-users",
                place="workloads[0].namespace",
                says="kube-system belongs to the system.",
                remedy="Name a namespace of a team, or default.",
            ),
        ],
    ),
    "namespaces that the stack does not make": (
        a_platform().set(namespaces=[{"name": "default", "delete": True}, {"name": "kueue-system"}]),
        [
            Told(
                rule="namespace-is-users",
                place="namespaces[0].name",
                says="every cluster has default; the stack neither makes it nor deletes it.",
                remedy="Remove the entry.",
            ),
            Told(
                rule="namespace-is-users",
                place="namespaces[1].name",
                says="kueue-system belongs to the system.",
                remedy="Name a namespace of a team, or remove the entry.",
            ),
        ],
    ),
    "two entries of one namespace": (
        a_platform().set(namespaces=[{"name": "team-a", "delete": True}, {"name": "team-a"}]),
        [
            Told(
                rule="names-differ",
                place="namespaces[1].name",
                says="the namespace name team-a is taken by namespaces[0].",
                remedy="Choose another name.",
            ),
        ],
    ),
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
