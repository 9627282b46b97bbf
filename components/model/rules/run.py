"""Rules about what runs are made of: names, images, slices that work together, pods that a cluster takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import names
from components.model.facts import gke, tpu
from components.model.findings import Finding, Severity, about_key, listing, unlisted
from components.model.plan.workloads import JobSetPlan, RedisPlan, TpuJobPlan, WorkloadPlan
from components.model.rule import Family, rule
from components.model.rules.storage import undeclared_bucket

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from components.model.places import Place
    from components.model.plan import Plan

FAMILY: Final = Family.TOPOLOGY

A_NODE_POOL: Final = "the choice of a node pool"
_JOBS: Final = 'Kubernetes documentation "Jobs", read 2026-11'


@rule(
    summary="where there are workloads of kind jobset, JobSet is installed",
    why="Nothing else knows the kind, and the API server refuses it.",
    source="components/manifests/jobset.py",
)
def _jobset_is_installed(plan: Plan) -> Iterator[Finding]:
    for work in plan.workloads if plan.controllers.jobset is None else ():
        if isinstance(work, JobSetPlan):
            yield Finding(
                place=work.place.at("kind"),
                says="jobset needs JobSet, which is not installed.",
                remedy="Take install: false away from controllers.jobset, or use tpu-job for one slice.",
            )


@rule(
    summary="a workload's name leaves room for the names of its pods",
    why="JobSet, and the API server for a Job, refuse a name whose longest pod name is not a DNS label.",
    source="JobSet 0.12.0, pkg/webhooks/jobset_webhook.go",
)
def workload_pod_names(plan: Plan) -> Iterator[Finding]:
    """Checks the workloads of a stack file."""
    for work in plan.tpu_runs:
        place, hosts = work.place.at("name"), max(work.hosts, 1)
        match work:
            case JobSetPlan():
                yield from unfit_pod_name(names.longest_pod(work.name, work.slices, hosts), place, (work.name, place))
                for each in work.replicated_jobs:
                    at, pods = each.place.at("name"), each.pods // each.replicas
                    pod = names.longest_pod(work.name, each.replicas, pods, each.name)
                    yield from unfit_pod_name(pod, at, of_jobset=(each.name, at))
            case TpuJobPlan():
                yield from unfit_pod_name(names.longest_job_pod(work.name, hosts), place)


def unfit_pod_name(pod: str, place: Place, of_jobset: tuple[str, Place] | None = None) -> Iterator[Finding]:
    """The longest pod name does not fit; placed at the name of the workload.

    For a JobSet, takes also the name that pods' names begin with, or the part of it that is wrong, and its place.
    """
    excess = len(pod) - gke.KUBERNETES_LABEL_LENGTH
    if excess > 0:
        yield Finding(
            place=place,
            says=f"its longest pod name, {pod}, has {len(pod)} characters; it may have "
            f"{gke.KUBERNETES_LABEL_LENGTH} at most.",
            remedy=f"Shorten the name by {excess}.",
        )
    elif of_jobset is not None and not names.is_label(pod):
        name, named_at = of_jobset
        yield Finding(
            place=named_at,
            says=f"its pods' names, such as {pod}, are not DNS labels: lower-case letters, digits and hyphens, a "
            "letter first.",
            remedy=f"Such as {names.as_label(name)}.",
        )


@rule(
    summary="workloads of several slices run on multi-host slices of a generation that has multislice",
    why="Slices exchange data through their hosts' runtime, which single-host pools and some generations do not have.",
    source='GKE documentation "TPU multislice", read 2026-11',
)
def multislice_is_multi_host(plan: Plan) -> Iterator[Finding]:
    """Checks the workloads of a stack file."""
    flavors = {flavor.name: flavor for flavor in plan.flavors}
    for work in plan.tpu_runs:
        flavor = flavors.get(work.first_flavor)
        place, found = work.place.at("slices"), plan.class_of(work)
        if found is not None and found.slice is not None:
            yield from impossible_multislice(work.slices, found.name, work.hosts, found.slice.machine_type, place)
        if flavor is not None and flavor.hosts:
            yield from impossible_multislice(work.slices, flavor.name, flavor.hosts, flavor.machine_type, place)


def impossible_multislice(slices: int, of: str, hosts: int, machine_type: str, place: Place) -> Iterator[Finding]:
    """Multislice is impossible here; placed at the number of slices."""
    generation = tpu.generation_of(machine_type)
    if hosts == 1:
        reason, instead = "each is a single host", "slices of several hosts"
    else:
        reason, instead = f"{generation.marketing} has no multislice", "another generation"
    if slices > 1 and (hosts == 1 or not generation.has_multislice):
        yield Finding(
            place=place,
            says=f"{slices} slices of {of} cannot work together: {reason}.",
            remedy=f"Ask for 1 slice, or use {instead}.",
        )


@rule(
    summary="the pool that holds a workload's pods has slices of its flavor",
    why="No node has the labels of both.",
    source='Kubernetes documentation "Assigning Pods to Nodes", read 2026-11',
)
def _workload_pool_serves(plan: Plan) -> Iterator[Finding]:
    flavors = {flavor.name: flavor for flavor in plan.flavors}
    for work in plan.tpu_runs:
        flavor = flavors.get(work.first_flavor)
        if not isinstance(work, TpuJobPlan) or work.pool is None or flavor is None or plan.makes_nodes_of(flavor):
            continue
        if flavor.pools and work.pool not in flavor.pools:
            yield unlisted(
                work.place.at("pool"), f"pool with slices of {flavor.name}", work.pool, flavor.pools, "Pools"
            )


@rule(
    summary="a run of one multi-host slice says what keeps its pods in it where there are several slices alike",
    why="The scheduler may spread its pods, and hosts of two slices do not form a mesh.",
    source=_JOBS,
    severity=Severity.WARNING,
)
def job_stays_in_a_slice(plan: Plan) -> Iterator[Finding]:
    """Checks the Jobs of a stack file; JobSet keeps its pods together."""
    flavors = {flavor.name: flavor for flavor in plan.flavors}
    for work in plan.tpu_runs:
        flavor = flavors.get(work.first_flavor)
        if isinstance(work, TpuJobPlan) and flavor is not None and work.hosts > 1 and work.pool is None:
            remedy = "Name one of them, or make it a jobset of 1 slice. Such as pool: {}."
            yield from indistinct_pools(flavor.pools, work.name, work.place.at("pool"), remedy=remedy)
        elif isinstance(work, TpuJobPlan) and work.compute_class is not None and work.hosts > 1:
            yield Finding(
                place=work.place.at("compute_class"),
                says=f"the slices of {work.compute_class} are alike for the pods, which may be spread over them.",
                remedy="Make it a jobset, which has a slice for each of its Jobs.",
            )


def indistinct_pools(pools: Sequence[str], pods: str, place: Place, *, remedy: str) -> Iterator[Finding]:
    """The pods of one slice may be on several pools; the remedy has `{}` for one of them."""
    if len(pools) > 1:
        yield Finding(
            place=place,
            says=f"{listing(pools)} are alike, and the pods of {pods} may be spread over them.",
            remedy=remedy.format(pools[0]),
        )


@rule(
    summary="pods on Autopilot request no access to their host",
    why="Autopilot refuses privileged pods, the host's namespaces, and selectors of node pools, which are its own.",
    source='GKE documentation "Autopilot security capabilities", read 2026-11',
    family=Family.GUARDRAILS,
)
def autopilot_pods_are_plain(plan: Plan) -> Iterator[Finding]:
    """Checks the workloads of a stack file."""
    for work in plan.tpu_runs if plan.cluster.mode == "autopilot" else ():
        if work.is_privileged:
            yield not_on_autopilot(work.place.at("privileged"), "privileged")
        if isinstance(work, TpuJobPlan) and work.pool is not None:
            yield not_on_autopilot(work.place.at("pool"), A_NODE_POOL)


def not_on_autopilot(place: Place, what: str) -> Finding:
    """Autopilot refuses pods the access that the key at the place requests."""
    return about_key(place=place, says=f"Autopilot does not allow {what}.")


@rule(
    summary="MaxText runs that write to one bucket have names of their own",
    why="A run writes to the folder of its name, where it would find another's.",
    source="MaxText, configs/base.yml",
    family=Family.GUARDRAILS,
)
def _maxtext_runs_differ(plan: Plan) -> Iterator[Finding]:
    taken: dict[tuple[str, str], str] = {}
    for work in plan.tpu_runs:
        maxtext = work.maxtext if isinstance(work, JobSetPlan) else None
        if maxtext is None:
            continue
        other = taken.setdefault((maxtext.bucket, maxtext.run_name), str(maxtext.place))
        if other != str(maxtext.place):
            yield Finding(
                place=maxtext.place.at("run_name"),
                says=f"the run name {maxtext.run_name} is taken by {other}.",
                remedy=f"Such as {work.name}.",
            )


@rule(
    summary="MaxText runs write to buckets that are declared",
    why="Nobody else grants their pods to write there.",
    source="components/model/planning/storage.py",
    family=Family.GUARDRAILS,
)
def _maxtext_bucket_is_declared(plan: Plan) -> Iterator[Finding]:
    known = [bucket.name for bucket in plan.buckets]
    names_known = set(known)
    for work in plan.tpu_runs:
        maxtext = work.maxtext if isinstance(work, JobSetPlan) else None
        if maxtext is not None and maxtext.bucket not in names_known:
            yield undeclared_bucket(maxtext.place.at("bucket"), maxtext.bucket, plan)


@rule(
    summary="names of Services begin with a letter, differ within a namespace, and are not kubernetes in default",
    why="Before 1.36 the API server refuses a digit at the beginning. It makes the Service kubernetes itself, and pods "
    "of two workloads behind one Service would be taken for one workload.",
    source='Kubernetes documentation "Service", read 2026-11; Kubernetes 1.36, RelaxedServiceNameValidation',
)
def _service_names(plan: Plan) -> Iterator[Finding]:
    taken: dict[tuple[str, str], WorkloadPlan] = {}
    for work in plan.workloads:
        key, name = _service(work)
        if name is None:
            continue
        if not isinstance(work, JobSetPlan) and not names.is_label(name):
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
        case JobSetPlan():
            return "name", work.name
        case TpuJobPlan():
            return "service" if work.is_service_stated else "name", work.service
        case RedisPlan():
            return "service", work.service
        case _:
            return "", None


@rule(
    summary="a headless Service is stated for slices of several hosts",
    why="One host has nobody to find.",
    source="components/manifests/job.py",
)
def _service_joins_hosts(plan: Plan) -> Iterator[Finding]:
    for work in plan.tpu_runs:
        if isinstance(work, TpuJobPlan) and work.is_service_stated and work.hosts == 1:
            yield about_key(
                place=work.place.at("service"),
                says=f"it has no effect: a slice of {work.first_flavor or work.compute_class} is one host.",
            )
