"""The platform of a stack file as objects of a rehearsal: exactly what the program would declare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from components.manifests.charts import kueue_values
from components.manifests.kueue import (
    admission_check,
    cluster_queue,
    cohort,
    local_queue,
    resource_flavor,
    workload_priority_class,
)

if TYPE_CHECKING:
    from components.model.plan import Plan
    from tpu.rehearsal.document import Object


def objects_of(plan: Plan) -> tuple[Object, ...]:
    """The flavors, checks, cohorts, queues and priorities of a plan."""
    return (
        *(resource_flavor(each) for each in (*plan.flavors, *plan.node_flavors)),
        *(admission_check(each) for each in plan.admission_checks),
        *(cohort(each) for each in plan.cohorts),
        *(cluster_queue(each) for each in plan.queues),
        *(local_queue(local) for each in plan.queues for local in each.local_queues),
        *(workload_priority_class(each) for each in plan.priorities),
    )


def configuration_of(plan: Plan) -> Object | None:
    """Kueue's configuration, None when the stack does not install Kueue."""
    release = plan.controllers.kueue
    if release is None:
        return None
    return yaml.safe_load(kueue_values(release, plan.controllers)["managerConfig"]["controllerManagerConfigYaml"])
