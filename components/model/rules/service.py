"""Rules about the Services by which the pods of workloads find each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import names
from components.model.facts import gke
from components.model.findings import Finding
from components.model.plan.workloads import JobSetPlan, PathwaysPlan, RedisPlan, TpuJobPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan
    from components.model.plan.workloads import WorkloadPlan


@rule(
    "service-names",
    summary="names of Services begin with a letter, differ within a namespace, and are not kubernetes in default",
    why="Before 1.36 the API server refuses a digit at the beginning. It makes the Service kubernetes itself, and pods "
    "of two workloads behind one Service would be taken for one workload.",
    source='Kubernetes documentation "Service", read 2026-11; Kubernetes 1.36, RelaxedServiceNameValidation',
    family=Family.TOPOLOGY,
)
def _service_names(plan: Plan) -> Iterator[Finding]:
    taken: dict[tuple[str, str], WorkloadPlan] = {}
    for work in plan.workloads:
        key, name = _service(work)
        if name is None:
            continue
        if not isinstance(work, (JobSetPlan, PathwaysPlan)) and not names.is_label(name):
            yield Finding(
                place=work.place.at(key),
                says=f"{name} begins with a digit, and a Service's name begins with a letter.",
                remedy=f"Such as s-{name}.",
            )
        if (work.namespace, name) == gke.API_SERVICE:
            yield Finding(
                place=work.place.at(key),
                says=f"the Service {name} in namespace {work.namespace} belongs to the API server.",
                remedy=f"Such as {name}-run.",
            )
        other = taken.setdefault((work.namespace, name), work)
        if other is not work and other.name != work.name:
            yield Finding(
                place=work.place.at(key),
                says=f"the Service {name} of {work.namespace} is that of {other.place}.",
                remedy="Choose another name.",
            )


def _service(work: WorkloadPlan) -> tuple[str, str | None]:
    """The key that names a workload's Service, and the name; None where it has none."""
    match work:
        case JobSetPlan() | PathwaysPlan():
            return "name", work.name
        case TpuJobPlan():
            return "service" if work.is_service_stated else "name", work.service
        case RedisPlan():
            return "service", work.service
        case _:
            return "", None


@rule(
    "service-joins-hosts",
    summary="a headless Service is stated for slices of several hosts",
    why="One host has nobody to find.",
    source="components/manifests/job.py",
    family=Family.TOPOLOGY,
)
def _service_joins_hosts(plan: Plan) -> Iterator[Finding]:
    for work in plan.tpu_runs:
        if isinstance(work, TpuJobPlan) and work.is_service_stated and work.hosts == 1:
            yield Finding(
                place=work.place.at("service"),
                says=f"it has no effect: a slice of {work.first_flavor or work.compute_class} is one host.",
                remedy="Remove the key.",
                is_about_key=True,
            )


SERVICE_RULES: Final = (_service_names, _service_joins_hosts)
