"""The project's quota against the pools: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform, reserved, with_capacity

_V5E = {"region": "us-west4", "family": "v5e"}
_T4 = {"region": "us-west4", "gpu": "nvidia-tesla-t4"}


def _gpus(most: int) -> Stack:
    """The small platform with a pool of up to so many nodes of two GPUs in each of two zones."""
    return a_platform().add(
        "node_pools",
        name="gpus",
        machine_type="n1-standard-4",
        zones=["us-west4-a", "us-west4-b"],
        autoscaling={"min": 0, "max": most},
        gpu={"type": "nvidia-tesla-t4", "count": 2},
    )


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "fewer chips than the slices have": (
        a_platform().set(quota=[{**_V5E, "chips": 8}]),
        [
            Told(
                rule="quota-covers-pools",
                place="quota[0].chips",
                says="the pools take up to 16 of on-demand v5e in us-west4, but the quota is 8.",
                remedy="Declare smaller pools, or ask Google for a quota of 16.",
            ),
        ],
    ),
    "fewer chips than slices have at their largest": (
        with_capacity("flex-start").set(quota=[{**_V5E, "class": "preemptible", "chips": 15}]),
        [
            Told(
                rule="quota-covers-pools",
                place="quota[0].chips",
                says="the pools take up to 16 of preemptible v5e in us-west4, but the quota is 15.",
                remedy="Declare smaller pools, or ask Google for a quota of 16.",
            ),
        ],
    ),
    "quota of another class": (
        with_capacity("spot").set(quota=[{**_V5E, "class": "on-demand", "chips": 64}]),
        [
            Told(
                rule="quota-covers-pools",
                place="quota[0].class",
                says="the pools take up to 16 of preemptible v5e in us-west4, and no such quota is declared; "
                "this is on-demand.",
                remedy="Declare quota of class preemptible too, or choose another capacity.",
            ),
        ],
    ),
    "fewer GPUs than the pools have at their largest": (
        _gpus(2).set(quota=[{**_T4, "count": 7}]),
        [
            Told(
                rule="quota-covers-pools",
                place="quota[0].count",
                says="the pools take up to 8 of on-demand nvidia-tesla-t4 in us-west4, but the quota is 7.",
                remedy="Declare smaller pools, or ask Google for a quota of 8.",
            ),
        ],
    ),
    "quota of a generation that does not exist": (
        a_platform().set(quota=[{**_V5E, "family": "v5", "chips": 64}]),
        [
            Told(
                rule="quota-is-of-something",
                place="quota[0].family",
                says="v5 is not known here.",
                remedy="Did you mean v5p? Known: v3-device, v3, v4, v5e-device, v5e, v5p, v6e and tpu7x.",
            ),
        ],
    ),
    "quota of a GPU that does not exist": (
        a_platform().set(quota=[{**_T4, "gpu": "nvidia-t4", "count": 64}]),
        [
            Told(
                rule="quota-is-of-something",
                place="quota[0].gpu",
                says="nvidia-t4 is not known here.",
                remedy="Did you mean nvidia-l4? Known: nvidia-tesla-t4, nvidia-l4, nvidia-tesla-a100 and "
                "nvidia-h100-80gb.",
            ),
        ],
    ),
    "quota that is declared twice": (
        a_platform().set(quota=[{**_V5E, "chips": 64}, {**_V5E, "chips": 32}]),
        [
            Told(
                rule="quota-is-of-something",
                place="quota[1]",
                says="on-demand quota of v5e in us-west4 is declared by quota[0] too.",
                remedy="Declare it once.",
            ),
        ],
    ),
    "quota of another region": (
        a_platform().set(quota=[{**_V5E, "region": "us-central1", "chips": 0}]),
        [
            Told(
                rule="quota-is-of-the-region",
                place="quota[0].region",
                says="no pool is in us-central1: the cluster is in us-west4.",
                remedy="Write us-west4, or remove the entry.",
                severity="warning",
            ),
        ],
    ),
}
SOUND: dict[str, Stack] = {
    "as many chips as the slices have": a_platform().set(quota=[{**_V5E, "chips": 16}]),
    "reserved slices take no quota": reserved().set(quota=[{**_V5E, "chips": 0}]),
    "as many GPUs as the pools have at their largest": _gpus(2).set(quota=[{**_T4, "count": 8}]),
}
