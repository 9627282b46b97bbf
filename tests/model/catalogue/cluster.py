"""The control plane, versions and releases: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, a_platform

BROKEN: dict[str, tuple[Stack, list[str]]] = {
    "a control plane's range of another size": (
        a_platform().set("cluster", control_plane_cidr="172.16.0.0/24"),
        ["control-plane-range: cluster.control_plane_cidr"],
    ),
    "a control plane's range for public nodes": (
        a_platform().set("cluster", control_plane_cidr="172.16.0.0/28", private_nodes=False),
        ["control-plane-range: cluster.control_plane_cidr"],
    ),
    "a release of Kueue that is too old": (
        a_platform().set(controllers={"kueue": {"version": "0.14.4"}}),
        ["controller-release: controllers.kueue.version"],
    ),
    "releases after and before the supported ones": (
        a_platform().set(controllers={"kueue": {"version": "0.20.0"}, "jobset": {"version": "0.9.1"}}),
        ["controller-release: controllers.jobset.version", "controller-release: controllers.kueue.version"],
    ),
}
SOUND: dict[str, Stack] = {
    "the oldest releases that are supported": a_platform().set(
        controllers={"kueue": {"version": "0.16.2"}, "jobset": {"version": "0.10.1"}}
    ),
    "public nodes": a_platform().set("cluster", private_nodes=False),
    "an existing network": a_platform().set(network={"existing": "default", "subnetwork": "default"}),
}
