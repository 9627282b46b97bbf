"""The JobSet document of a multislice workload: one Job per slice, one pod per host, each with all chips of its host.

`suspend` is never written: Kueue sets it, and a second writer would undo Kueue's changes.

A JobSet sees only why a Job failed. So a rule about exit codes or conditions of pods becomes two: one of the Job, which
fails it with a message that names them, and one of the JobSet, which matches that message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.manifests import pods
from components.manifests.job import plain_pod, pod_failure_rule, run_metadata, tpu_pod
from components.manifests.metadata import Manifest, without_none
from components.model import names
from components.model.facts import failures, gke

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.model.plan.workloads import (
        DependencyPlan,
        FailureRulePlan,
        JobSetPlan,
        ReplicatedJobPlan,
        SuccessPlan,
    )

API_VERSION: Final = "jobset.x-k8s.io/v1alpha2"


def jobset(workload: JobSetPlan) -> Manifest:
    """The workload's document."""
    jobs = {each.name: _replicated_job(workload, each) for each in workload.replicated_jobs}
    jobs[names.REPLICATED_JOB] = _slices(workload)
    spec = {
        "failurePolicy": _failure_policy(workload),
        "successPolicy": None if workload.success is None else _success_policy(workload.success),
        "replicatedJobs": [jobs[name] for name in workload.starts],
    }
    return {"apiVersion": API_VERSION, "kind": "JobSet", "metadata": _metadata(workload), "spec": without_none(spec)}


def _metadata(workload: JobSetPlan) -> Manifest:
    metadata = run_metadata(workload)
    exclusive = {} if workload.replicated_jobs else _exclusive(workload)
    if exclusive:
        metadata["annotations"] = {**exclusive, **metadata.get("annotations", {})}
    return metadata


def _exclusive(workload: JobSetPlan) -> dict[str, str]:
    """The annotation by which a slice has a node pool to itself.

    Of the JobSet it is about all of its Jobs; beside others it is an annotation of the Jobs of its slices.
    """
    return (
        {} if workload.exclusive_topology is None else {gke.ANNOTATION_EXCLUSIVE_TOPOLOGY: workload.exclusive_topology}
    )


def _slices(workload: JobSetPlan) -> Manifest:
    # A pod that fails fails its slice, and the JobSet starts all slices again: one host cannot rejoin a mesh.
    pod = pods.template(tpu_pod(workload, restart_policy="Never"), workload.pod)
    template: Manifest = {"spec": _job(workload, names.REPLICATED_JOB, workload.hosts, backoff_limit=0, template=pod)}
    exclusive = _exclusive(workload) if workload.replicated_jobs else {}
    if exclusive:
        template["metadata"] = {"annotations": exclusive}
    slices = {"name": names.REPLICATED_JOB, "replicas": workload.slices, "template": template}
    return {**slices, **_listed("dependsOn", _dependencies(workload.depends_on))}


def _replicated_job(workload: JobSetPlan, job: ReplicatedJobPlan) -> Manifest:
    pod = pods.template(plain_pod(job, restart_policy="Never"), job.pod)
    spec = _job(workload, job.name, job.pods // job.replicas, backoff_limit=job.backoff_limit, template=pod)
    return {
        "name": job.name,
        "replicas": job.replicas,
        "template": {"spec": spec},
        **_listed("dependsOn", _dependencies(job.depends_on)),
    }


def _dependencies(waits: Sequence[DependencyPlan]) -> list[Manifest]:
    return [{"name": each.name, "status": each.status} for each in waits]


def _listed(field: str, values: Sequence[object]) -> Manifest:
    """The field with its list; without values there is no field."""
    return {field: list(values)} if values else {}


def _job(workload: JobSetPlan, name: str, count: int, *, backoff_limit: int, template: Manifest) -> Manifest:
    """The spec of a Job of `count` pods of the replicated job `name`."""
    return without_none(
        {
            "parallelism": count,
            "completions": count,
            "backoffLimit": backoff_limit,
            "podFailurePolicy": _pod_failure_policy(workload.failure_rules, name),
            "template": template,
        }
    )


# --- failures


def _pod_failure_policy(rules: Sequence[FailureRulePlan], replicated_job: str) -> Manifest | None:
    """The policy that the Jobs of a replicated job need for the rules of their JobSet; None where they need none."""
    found = [rule for rule in rules if rule.is_about_pods and rule.concerns(replicated_job)]
    if not found:
        return None
    return {"rules": [pod_failure_rule(failures.FAIL_JOB, rule.exit_codes, rule.conditions) for rule in found]}


def _failure_policy(workload: JobSetPlan) -> Manifest:
    policy = {
        "maxRestarts": 0 if workload.max_restarts is None else workload.max_restarts,
        "restartStrategy": workload.restart_strategy,
    }
    return {**without_none(policy), **_listed("rules", [_rule(rule) for rule in workload.failure_rules])}


def _rule(rule: FailureRulePlan) -> Manifest:
    reasons, messages = list(rule.reasons), list(rule.messages)
    if rule.is_about_pods:
        reasons = [failures.POD_FAILURE_POLICY]
        messages = [
            failures.message_of_exit_codes(rule.exit_codes)
            if rule.exit_codes
            else failures.message_of_conditions(rule.conditions)
        ]
    return {
        "name": rule.name,
        "action": rule.action,
        **_listed("onJobFailureReasons", reasons),
        **_listed("onJobFailureMessagePatterns", messages),
        **_listed("targetReplicatedJobs", rule.replicated_jobs),
    }


def _success_policy(success: SuccessPlan) -> Manifest:
    return {"operator": success.operator, **_listed("targetReplicatedJobs", success.replicated_jobs)}
