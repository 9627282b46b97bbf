"""All broken and sound stacks of the catalogue."""

from __future__ import annotations

from tests.model.catalogue import (
    access,
    batch,
    capacity,
    cluster,
    cohort,
    command,
    failure,
    grace,
    head,
    limit,
    maintenance,
    name,
    network,
    pool,
    priority,
    queue,
    quota,
    replicated,
    run,
    storage,
    topology,
    version,
    workload,
)

MODULES = (
    access,
    batch,
    capacity,
    cluster,
    cohort,
    command,
    failure,
    grace,
    head,
    limit,
    maintenance,
    name,
    network,
    pool,
    priority,
    queue,
    quota,
    replicated,
    run,
    storage,
    topology,
    version,
    workload,
)
BROKEN = {case: stack for module in MODULES for case, stack in module.BROKEN.items()}
SOUND = {case: stack for module in MODULES for case, stack in module.SOUND.items()}
