"""The key `cluster.checkpoints`: multi-tier checkpointing, from the add-on of the cluster and its configuration."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from adopt.listings import Listings, Remark, left_out, name_of, section
from components.model import names
from components.model.facts import checkpointing, gke

if TYPE_CHECKING:
    from collections.abc import Collection

    from adopt.cloud import Home

_GIB: Final = re.compile(r"(\d+)Gi")


def checkpoints(listings: Listings, of: Home, machine_types: Collection[str]) -> tuple[dict[str, Any], list[Remark]]:
    """The key with its value, and why it is left out although the add-on is on; `machine_types` are those of slices."""
    if section(of.cluster, "addonsConfig", "highScaleCheckpointingConfig").get("enabled") is not True:
        return {}, []
    own = names.checkpoint_configuration(of.name)
    found = [each for each in listings.kind(checkpointing.KIND) if name_of(each) == own]
    if not found:
        others = ", ".join(sorted(name_of(each) for each in listings.kind(checkpointing.KIND))) or "none"
        return {}, [
            Remark(
                what=f"cluster {of.name}",
                says=f"it has the add-on of multi-tier checkpointing, but no CheckpointConfiguration {own} is listed "
                f"(listed: {others}).",
                remedy="The stack file leaves cluster.checkpoints out, and pulumi up would switch the add-on off.",
            )
        ]
    spec = section(found[0], "spec")
    size = _GIB.fullmatch(str(spec.get("inMemoryVolumeSize")))
    selector = section(spec, "nodeSelector")
    if size is None or selector.keys() != {gke.LABEL_INSTANCE_TYPE}:
        says = "a stack file states whole Gi in the memory of the hosts of one machine type"
        return {}, [left_out(f"{checkpointing.KIND} {own}", says)]
    written: dict[str, Any] = {"bucket": spec.get("cloudStorageBucketName"), "local_gib": int(size[1])}
    machine_type = str(selector[gke.LABEL_INSTANCE_TYPE])
    stated = {} if set(machine_types) == {machine_type} else {"machine_type": machine_type}
    return {"checkpoints": {**written, **stated}}, []
