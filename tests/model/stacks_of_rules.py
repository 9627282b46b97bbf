"""All broken and sound stacks of the catalogue."""

from __future__ import annotations

from tests.model.catalogue import (
    access,
    admission,
    batch,
    capacity,
    cluster,
    cohort,
    command,
    flex_start_gpus,
    limit,
    maintenance,
    name,
    network,
    pool,
    priority,
    queue,
    quota,
    run,
    storage,
    topology,
    version,
    workload,
)

MODULES = (
    access,
    admission,
    batch,
    capacity,
    cluster,
    cohort,
    command,
    flex_start_gpus,
    limit,
    maintenance,
    name,
    network,
    pool,
    priority,
    queue,
    quota,
    run,
    storage,
    topology,
    version,
    workload,
)
BROKEN = {case: stack for module in MODULES for case, stack in module.BROKEN.items()}
SOUND = {case: stack for module in MODULES for case, stack in module.SOUND.items()}
