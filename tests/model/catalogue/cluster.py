"""The control plane, versions and releases: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform

BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "a control plane's range of another size": (
        a_platform().set("cluster", control_plane_cidr="172.16.0.0/24"),
        [
            Told(
                rule="control-plane-range",
                place="cluster.control_plane_cidr",
                says="172.16.0.0/24 is not a /28, as a control plane takes.",
                remedy="Such as 172.16.0.0/28.",
            ),
        ],
    ),
    "a control plane's range for public nodes": (
        a_platform().set("cluster", control_plane_cidr="172.16.0.0/28", private_nodes=False),
        [
            Told(
                rule="control-plane-range",
                place="cluster.control_plane_cidr",
                says="it has no effect where private_nodes is false.",
                remedy="Remove it, or set private_nodes: true.",
            ),
        ],
    ),
    "a release of Kueue that is too old": (
        a_platform().set(controllers={"kueue": {"version": "0.14.4"}}),
        [
            Told(
                rule="controller-release",
                place="controllers.kueue.version",
                says="0.14.4 is too old: everything here is written in kueue.x-k8s.io/v1beta2, which it was "
                "the first to serve.",
                remedy="Use 0.19.2, which is tested.",
            ),
        ],
    ),
    "releases after and before the supported ones": (
        a_platform().set(controllers={"kueue": {"version": "0.20.0"}, "jobset": {"version": "0.9.1"}}),
        [
            Told(
                rule="controller-release",
                place="controllers.jobset.version",
                says="0.9.1 is not one of the supported releases, 0.10 to 0.12.",
                remedy="Use 0.12.0, which is tested.",
                severity="warning",
            ),
            Told(
                rule="controller-release",
                place="controllers.kueue.version",
                says="0.20.0 is not one of the supported releases, 0.16 to 0.19.",
                remedy="Use 0.19.2, which is tested.",
                severity="warning",
            ),
        ],
    ),
}
SOUND: dict[str, Stack] = {
    "the oldest releases that are supported": a_platform().set(
        controllers={"kueue": {"version": "0.16.2"}, "jobset": {"version": "0.10.1"}}
    ),
    "public nodes": a_platform().set("cluster", private_nodes=False),
    "an existing network": a_platform().set(network={"existing": "default", "subnetwork": "default"}),
}
