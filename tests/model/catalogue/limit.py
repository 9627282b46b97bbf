"""The project's quota against the pools: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform, reserved, with_capacity

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


BROKEN: dict[str, dict[str, Stack]] = {
    "quota-covers-pools": {
        "fewer chips than the slices have": a_platform().set(quota=[{**_V5E, "chips": 8}]),
        "fewer chips than slices have at their largest": with_capacity("flex-start").set(
            quota=[{**_V5E, "class": "preemptible", "chips": 15}]
        ),
        "quota of another class": with_capacity("spot").set(quota=[{**_V5E, "class": "on-demand", "chips": 64}]),
        "fewer GPUs than the pools have at their largest": _gpus(2).set(quota=[{**_T4, "count": 7}]),
    },
    "quota-is-of-something": {
        "quota of a generation that does not exist": a_platform().set(quota=[{**_V5E, "family": "v5", "chips": 64}]),
        "quota of a GPU that does not exist": a_platform().set(quota=[{**_T4, "gpu": "nvidia-t4", "count": 64}]),
        "quota that is declared twice": a_platform().set(quota=[{**_V5E, "chips": 64}, {**_V5E, "chips": 32}]),
    },
    "quota-is-of-the-region": {
        "quota of another region": a_platform().set(quota=[{**_V5E, "region": "us-central1", "chips": 0}]),
    },
}
SOUND: dict[str, Stack] = {
    "as many chips as the slices have": a_platform().set(quota=[{**_V5E, "chips": 16}]),
    "reserved slices take no quota": reserved().set(quota=[{**_V5E, "chips": 0}]),
    "as many GPUs as the pools have at their largest": _gpus(2).set(quota=[{**_T4, "count": 8}]),
}
