"""Rules about what runs are made of: names, images, slices that work together, pods that a cluster takes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from components.model import names
from components.model.facts import gke, tpu
from components.model.findings import Finding, Severity, did_you_mean, listing
from components.model.plan.workloads import JobSetPlan, RedisPlan, TpuJobPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan
    from components.model.plan.workloads import WorkloadPlan

_DNS_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_JOBS: Final = 'Kubernetes documentation "Jobs", read 2026-11'


@rule(
    "jobset-is-installed",
    summary="where there are workloads of kind jobset, JobSet is installed",
    why="Nothing else knows the kind, and the API server refuses it.",
    source="components/manifests/jobset.py",
    family=Family.TOPOLOGY,
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
    "workload-pod-names",
    summary="a workload's name leaves room for those of its pods",
    why="JobSet refuses a name whose longest pod name is no DNS label.",
    source="JobSet 0.12.0, pkg/webhooks/jobset_webhook.go",
    family=Family.TOPOLOGY,
)
def _workload_pod_names(plan: Plan) -> Iterator[Finding]:
    for work in plan.tpu_runs:
        if isinstance(work, JobSetPlan) and _DNS_1035.fullmatch(work.name) is None:
            yield Finding(
                place=work.place.at("name"),
                says=f"{work.name} begins with a digit, and a JobSet's name begins with a letter.",
                remedy=f"Such as run-{work.name}.",
            )
        pod = _longest_pod(work)
        excess = len(pod) - gke.KUBERNETES_LABEL_LENGTH
        if work.hosts and excess > 0:
            yield Finding(
                place=work.place.at("name"),
                says=f"its longest pod name, {pod}, has {len(pod)} characters; it may have "
                f"{gke.KUBERNETES_LABEL_LENGTH} at most.",
                remedy=f"Shorten the name by {excess}.",
            )


def _longest_pod(work: JobSetPlan | TpuJobPlan) -> str:
    if isinstance(work, JobSetPlan):
        return names.longest_pod(work.name, work.slices, work.hosts)
    return names.longest_job_pod(work.name, work.hosts)


@rule(
    "service-names",
    summary="names of Services begin with a letter, and differ within a namespace",
    why="The API server refuses others; two workloads behind one Service would be taken for one.",
    source='Kubernetes documentation "Service", read 2026-11',
    family=Family.TOPOLOGY,
)
def _service_names(plan: Plan) -> Iterator[Finding]:
    taken: dict[tuple[str, str], WorkloadPlan] = {}
    for work in plan.workloads:
        key, name = _service(work)
        if name is None:
            continue
        if not isinstance(work, JobSetPlan) and _DNS_1035.fullmatch(name) is None:
            yield Finding(
                place=work.place.at(key),
                says=f"{name} begins with a digit, and a Service's name begins with a letter.",
                remedy=f"Such as s-{name}.",
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
    "multislice-is-multi-host",
    summary="workloads of several slices run on multi-host slices of a generation that has multislice",
    why="Slices exchange data through their hosts' runtime, which single-host pools and some generations do not have.",
    source='GKE documentation "TPU multislice", read 2026-11',
    family=Family.TOPOLOGY,
)
def _multislice_is_multi_host(plan: Plan) -> Iterator[Finding]:
    flavors = {flavor.name: flavor for flavor in plan.flavors}
    for work in plan.tpu_runs:
        flavor = flavors.get(work.first_flavor)
        if work.slices == 1 or flavor is None or not flavor.hosts:
            continue
        generation = tpu.generation_of(flavor.machine_type)
        if flavor.hosts == 1:
            reason, instead = "each is a single host", "slices of several hosts"
        elif not generation.has_multislice:
            reason, instead = f"{generation.marketing} has no multislice", "another generation"
        else:
            continue
        yield Finding(
            place=work.place.at("slices"),
            says=f"{work.slices} slices of {flavor.name} cannot work together: {reason}.",
            remedy=f"Ask for 1 slice, or declare {instead}.",
        )


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
                says=f"it has no effect: a slice of {work.first_flavor} is one host.",
                remedy="Remove the key.",
                is_about_key=True,
            )


@rule(
    "workload-pool-serves",
    summary="the pool that holds a workload's pods has slices of its flavor",
    why="No node has the labels of both.",
    source='Kubernetes documentation "Assigning Pods to Nodes", read 2026-11',
    family=Family.TOPOLOGY,
)
def _workload_pool_serves(plan: Plan) -> Iterator[Finding]:
    flavors = {flavor.name: flavor for flavor in plan.flavors}
    for work in plan.tpu_runs:
        flavor = flavors.get(work.first_flavor)
        if not isinstance(work, TpuJobPlan) or work.pool is None or flavor is None or plan.makes_nodes_of(flavor):
            continue
        if flavor.pools and work.pool not in flavor.pools:
            yield Finding(
                place=work.place.at("pool"),
                says=f"no pool with slices of {flavor.name} is named {work.pool}.",
                remedy=f"{did_you_mean(work.pool, flavor.pools)}Pools: {listing(flavor.pools)}.",
            )


@rule(
    "job-stays-in-a-slice",
    summary="a plain Job of several hosts names its pool where there are several slices alike",
    why="Nothing else keeps its pods in one slice, and hosts of two slices do not form a mesh.",
    source=_JOBS,
    family=Family.TOPOLOGY,
    severity=Severity.WARNING,
)
def _job_stays_in_a_slice(plan: Plan) -> Iterator[Finding]:
    flavors = {flavor.name: flavor for flavor in plan.flavors}
    for work in plan.tpu_runs:
        flavor = flavors.get(work.first_flavor)
        if not isinstance(work, TpuJobPlan) or flavor is None or work.hosts <= 1 or work.pool is not None:
            continue
        if len(flavor.pools) > 1:
            yield Finding(
                place=work.place.at("pool"),
                says=f"{listing(flavor.pools)} are alike, and the pods of {work.name} may be spread over them.",
                remedy=f"Name one of them, or make it a jobset of 1 slice. Such as pool: {flavor.pools[0]}.",
            )


@rule(
    "autopilot-pods-are-plain",
    summary="on Autopilot pods ask for nothing of their host",
    why="Autopilot refuses privileged pods and selectors of node pools, which are its own.",
    source='GKE documentation "Autopilot security capabilities", read 2026-11',
    family=Family.GUARDRAILS,
)
def _autopilot_pods_are_plain(plan: Plan) -> Iterator[Finding]:
    for work in plan.tpu_runs if plan.cluster.mode == "autopilot" else ():
        if not isinstance(work, TpuJobPlan):
            continue
        for key, is_stated in (("privileged", work.is_privileged), ("pool", work.pool is not None)):
            if is_stated:
                yield Finding(
                    place=work.place.at(key),
                    says="Autopilot does not have it.",
                    remedy="Remove the key.",
                    is_about_key=True,
                )


@rule(
    "maxtext-runs-differ",
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
    "maxtext-bucket-is-declared",
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
            yield Finding(
                place=maxtext.place.at("bucket"),
                says=f"no bucket is named {maxtext.bucket}.",
                remedy=f"{did_you_mean(maxtext.bucket, known)}Buckets: {listing(known)}. "
                "Without a location, one that exists is meant.",
            )


RUN_RULES: Final = (
    _jobset_is_installed,
    _workload_pod_names,
    _service_names,
    _multislice_is_multi_host,
    _service_joins_hosts,
    _workload_pool_serves,
    _job_stays_in_a_slice,
    _autopilot_pods_are_plain,
    _maxtext_runs_differ,
    _maxtext_bucket_is_declared,
)
