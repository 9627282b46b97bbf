"""Rules about runs that a pod on an ordinary node leads, Pathways and Ray: what they run on, and their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import names
from components.model.facts import pathways, ray
from components.model.findings import Finding, Severity, did_you_mean, listing
from components.model.plan.workloads import PathwaysPlan, RayPlan
from components.model.rule import Family, rule
from components.model.rules.image import unpinned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan

_CONTROLLER: Final = "google/pathways-job, internal/controller/pathwaysjob_controller.go, read 2026-11"


@rule(
    "pathways-runs-on-machine",
    summary="Pathways runs on the machine type of a workload's slices",
    why="Its resource manager does not know the slices, and the program waits for devices for ever.",
    source=_CONTROLLER,
    family=Family.TOPOLOGY,
)
def _pathways_runs_on_machine(plan: Plan) -> Iterator[Finding]:
    for work in plan.led_runs:
        if isinstance(work, PathwaysPlan) and work.machine_type and not work.instance_type:
            yield Finding(
                place=work.place.at("flavors", 0) if work.is_any_flavor else work.place.at("flavor"),
                says=f"Pathways does not run on {work.machine_type}, whose slices {work.first_flavor} counts.",
                remedy=f"Name a flavor of {listing(pathways.MACHINE_TYPES, 'or')}.",
            )


@rule(
    "pathways-flavors-are-one-type",
    summary="flavors that a Pathways workload may take are of one machine type and one topology",
    why="Its resource manager is started for slices of one type, whichever flavor Kueue takes.",
    source=_CONTROLLER,
    family=Family.TOPOLOGY,
)
def _pathways_flavors_are_one_type(plan: Plan) -> Iterator[Finding]:
    flavors = {flavor.name: flavor for flavor in plan.flavors}
    for work in plan.led_runs:
        first = flavors.get(work.first_flavor)
        if not isinstance(work, PathwaysPlan) or first is None:
            continue
        for index, name in enumerate(work.flavors):
            other = flavors.get(name)
            if other is not None and (other.machine_type, other.topology) != (first.machine_type, first.topology):
                yield Finding(
                    place=work.place.at("flavors", index),
                    says=f"slices of {name} are {other.topology} of {other.machine_type}, those of {first.name} "
                    f"{first.topology} of {first.machine_type}.",
                    remedy="Keep flavors of one machine type and one topology.",
                )


@rule(
    "scratch-bucket-is-declared",
    summary="the scratch bucket of a Pathways workload is declared",
    why="Nobody else grants its pods to write there, and the proxy ends when it cannot store a compiled program.",
    source="components/model/planning/storage.py",
    family=Family.GUARDRAILS,
)
def _scratch_bucket_is_declared(plan: Plan) -> Iterator[Finding]:
    known = [bucket.name for bucket in plan.buckets]
    for work in plan.led_runs:
        if isinstance(work, PathwaysPlan) and work.scratch_bucket not in known:
            yield Finding(
                place=work.place.at("scratch_bucket"),
                says=f"no bucket is named {work.scratch_bucket}.",
                remedy=f"{did_you_mean(work.scratch_bucket, known)}Buckets: {listing(known)}. "
                "Without a location, one that exists is meant.",
            )


@rule(
    "pathways-is-pinned",
    summary="the release of Pathways is a tag that is not moved",
    why="Head, workers and the program's JAX must fit each other, also after a restart.",
    source='Kubernetes documentation "Images", read 2026-11',
    family=Family.GUARDRAILS,
    severity=Severity.ADVICE,
)
def _pathways_is_pinned(plan: Plan) -> Iterator[Finding]:
    for work in plan.led_runs:
        if isinstance(work, PathwaysPlan):
            yield from unpinned(work.server_image, work.place.at("version"))


@rule(
    "ray-job-name",
    summary="the name of a Ray workload leaves room for the names of its cluster and Services",
    why="KubeRay refuses the RayJob, which then never gets a cluster.",
    source="KubeRay 1.6.2, ray-operator/controllers/ray/utils/validation.go",
    family=Family.TOPOLOGY,
)
def _ray_job_name(plan: Plan) -> Iterator[Finding]:
    for work in plan.led_runs:
        if not isinstance(work, RayPlan):
            continue
        excess = len(work.name) - ray.JOB_NAME_LENGTH
        if excess > 0:
            yield Finding(
                place=work.place.at("name"),
                says=f"{work.name} has {len(work.name)} characters; a RayJob's name may have {ray.JOB_NAME_LENGTH} at "
                "most.",
                remedy=f"Shorten the name by {excess}.",
            )
        elif not names.is_label(work.name):
            yield Finding(
                place=work.place.at("name"),
                says=f"{work.name} begins with a digit, and a RayJob's name begins with a letter.",
                remedy=f"Such as {names.as_label(work.name)}.",
            )


@rule(
    "pathways-variables",
    summary="the variables by which a program finds Pathways are not set a second time",
    why="The API server refuses a container that sets one twice.",
    source="Kubernetes API v1, Container",
    family=Family.GUARDRAILS,
)
def _pathways_variables(plan: Plan) -> Iterator[Finding]:
    for work in plan.led_runs:
        for name in pathways.PROGRAM_VARIABLES if isinstance(work, PathwaysPlan) else ():
            if name in work.pod.env:
                yield Finding(
                    place=work.place.at("env", name),
                    says="the stack sets it, so that the program finds the proxy.",
                    remedy="Remove the key.",
                    is_about_key=True,
                )


HEAD_RULES: Final = (
    _pathways_runs_on_machine,
    _pathways_flavors_are_one_type,
    _scratch_bucket_is_declared,
    _pathways_is_pinned,
    _pathways_variables,
    _ray_job_name,
)
