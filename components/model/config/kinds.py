"""The kinds of workloads that a stack file may declare."""

from __future__ import annotations

from typing import Annotated

from pydantic import Discriminator, Tag

from components.model.config.pathways import Pathways
from components.model.config.ray import Ray
from components.model.config.section import Variant, Variants
from components.model.config.workloads import BatchJob, JobSet, Redis, TpuJob

Workload = Annotated[
    Annotated[JobSet, Tag("|JobSet")]
    | Annotated[TpuJob, Tag("|TpuJob")]
    | Annotated[Pathways, Tag("|Pathways")]
    | Annotated[Ray, Tag("|Ray")]
    | Annotated[BatchJob, Tag("|BatchJob")]
    | Annotated[Redis, Tag("|Redis")],
    Discriminator(
        Variants(
            Variant(JobSet, ("kind",), "jobset"),
            Variant(TpuJob, ("kind",), "tpu-job"),
            Variant(Pathways, ("kind",), "pathways"),
            Variant(Ray, ("kind",), "ray"),
            Variant(BatchJob, ("kind",), "batch-job"),
            Variant(Redis, ("kind",), "redis"),
        )
    ),
]
