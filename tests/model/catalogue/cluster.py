"""The control plane, versions and releases: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform

BROKEN: dict[str, dict[str, Stack]] = {
    "control-plane-range": {
        "a control plane's range of another size": a_platform().set("cluster", control_plane_cidr="172.16.0.0/24"),
        "a control plane's range for public nodes": a_platform().set(
            "cluster", control_plane_cidr="172.16.0.0/28", private_nodes=False
        ),
    },
    "controller-release": {
        "a release of Kueue that is too old": a_platform().set(controllers={"kueue": {"version": "0.14.4"}}),
        "releases after and before the supported ones": a_platform().set(
            controllers={"kueue": {"version": "0.20.0"}, "jobset": {"version": "0.9.1"}}
        ),
    },
}
SOUND: dict[str, Stack] = {
    "the oldest releases that are supported": a_platform().set(
        controllers={"kueue": {"version": "0.16.2"}, "jobset": {"version": "0.10.1"}}
    ),
    "public nodes": a_platform().set("cluster", private_nodes=False),
    "an existing network": a_platform().set(network={"existing": "default", "subnetwork": "default"}),
}
