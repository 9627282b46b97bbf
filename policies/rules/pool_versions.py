"""The rule about the version that a node pool states for its nodes; the chip ledger's rules check the cluster's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import structs

from components.model.facts import floors, gke, kinds, tpu
from components.model.findings import Finding
from components.model.rule import Family
from policies.objects.judging import object_rule
from policies.objects.rebuilding.pool_hosts import capacity_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.judging import Settings
    from policies.objects.world import Object, World


@object_rule(
    "pool-version-floor",
    summary="the node version supports the machine type and capacity type of its pool",
    why="On older nodes the API does not know the machine type or the setting.",
    source="components/model/facts/floors.py and tpu_catalogue.py",
    family=Family.TOPOLOGY,
    kinds=(kinds.NODE_POOL,),
)
def _pool_version_floor(pool: Object) -> Iterator[Finding]:
    stated = pool.text("version")
    if stated is not None:
        yield from _older(pool, stated, stated)


def _older(pool: Object, version: str, called: str) -> Iterator[Finding]:
    """What the pool uses that came later than a version; `called` is the version in words."""
    for what, first in _floors(pool):
        if not gke.can_be_at_least(version, first):
            yield Finding(
                place=pool.place.at("version"),
                says=f"{called} is older than the first version with {what}.",
                remedy=f"Set {first} or newer, or leave the version to the cluster.",
            )


def _as_meant(pool: Object, world: World, settings: Settings) -> Iterator[Finding]:
    """By the version that the pool states, or else by the release that the files are meant for."""
    meant = world.releases.get("gke")
    if meant is None or pool.has("version"):
        yield from _pool_version_floor.judge(pool, world, settings)
    else:
        yield from _older(pool, meant, f"GKE {meant}, the release that is meant,")


def _floors(pool: Object) -> Iterator[tuple[str, str]]:
    """What the pool uses that needs a first version, and that version."""
    machine_type = pool.string("nodeConfig", "machineType")
    if tpu.is_tpu_machine(machine_type):
        generation = tpu.generation_of(machine_type)
        if generation.minimum_version is not None:
            yield generation.marketing, generation.minimum_version
        if capacity_of(pool) == "flex-start":
            yield "flex-start TPUs", floors.FLEX_START_TPU
    if pool.flag("queuedProvisioning", "enabled"):
        yield "queued provisioning", floors.QUEUED_PROVISIONING


POOL_VERSION_RULES: Final = (structs.replace(_pool_version_floor, judge=_as_meant),)
