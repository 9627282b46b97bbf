"""Rules about multi-tier checkpointing: its bucket, and the hosts whose memory it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import tpu
from components.model.findings import Finding, did_you_mean, listing
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan

_CHECKPOINTING: Final = "components/model/facts/checkpointing.py"


@rule(
    "checkpoints-bucket-is-declared",
    summary="checkpoints are copied to a bucket that is declared",
    why="Nobody else grants the driver to write there.",
    source="components/model/planning/storage.py",
    family=Family.GUARDRAILS,
)
def _checkpoints_bucket_is_declared(plan: Plan) -> Iterator[Finding]:
    checkpoints, known = plan.cluster.checkpoints, [bucket.name for bucket in plan.buckets]
    if checkpoints is not None and checkpoints.bucket not in known:
        yield Finding(
            place=checkpoints.place.at("bucket"),
            says=f"no bucket is named {checkpoints.bucket}.",
            remedy=f"{did_you_mean(checkpoints.bucket, known)}Buckets: {listing(known)}. "
            "Without a location, one that exists is meant.",
        )


@rule(
    "checkpoints-have-hosts",
    summary="checkpoints are held by hosts of one machine type of the slices",
    why="The driver runs on the nodes of one machine type; pods elsewhere cannot mount its volume.",
    source=_CHECKPOINTING,
    family=Family.GUARDRAILS,
)
def _checkpoints_have_hosts(plan: Plan) -> Iterator[Finding]:
    checkpoints = plan.cluster.checkpoints
    known = sorted({pool.machine_type for pool in plan.slice_pools})
    if checkpoints is None or checkpoints.machine_type in known:
        return
    if not known:
        says, remedy = "no slices are declared, whose hosts would hold checkpoints.", "Add tpu_slices."
    elif checkpoints.machine_type:
        says = f"no slices have hosts of {checkpoints.machine_type}."
        remedy = f"{did_you_mean(checkpoints.machine_type, known)}Machine types: {listing(known)}."
    else:
        says, remedy = f"slices have hosts of {listing(known)}; one of them must hold checkpoints.", "Name one of them."
    yield Finding(place=checkpoints.place.at("machine_type"), says=says, remedy=remedy)


@rule(
    "checkpoints-fit-memory",
    summary="checkpoints leave memory to the pods of their host",
    why="Checkpoints are kept in memory; a host without memory ends its pods.",
    source=_CHECKPOINTING,
    family=Family.GUARDRAILS,
)
def _checkpoints_fit_memory(plan: Plan) -> Iterator[Finding]:
    checkpoints = plan.cluster.checkpoints
    if checkpoints is None or not tpu.is_tpu_machine(checkpoints.machine_type):
        return
    memory = tpu.machine(checkpoints.machine_type).memory_gb
    if checkpoints.local_gib >= memory:
        yield Finding(
            place=checkpoints.place.at("local_gib"),
            says=f"a host of {checkpoints.machine_type} has {memory} GiB of memory, and checkpoints would take "
            f"{checkpoints.local_gib}.",
            remedy=f"Set {memory // 2} or less: the pods of the host need the rest.",
        )


CHECKPOINT_RULES: Final = (_checkpoints_bucket_is_declared, _checkpoints_have_hosts, _checkpoints_fit_memory)
