"""The Job documents of plain workloads: one slice of a TPU, or equal pods of a batch.

`suspend` is never written: Kueue sets it, and a second writer would undo Kueue's changes. To the provider a Job is
created when it is complete; an annotation turns off this wait, unless later workloads of the stack file need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.manifests import pods
from components.manifests.metadata import AWAITED_JOB, RUN_OF_A_JOB, SKIP_AWAIT, Manifest
from components.model import names
from components.model.facts import gke
from components.model.plan.workloads import BatchJobPlan, RunPlan, TpuJobPlan, TpuRunPlan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

API_VERSION: Final = "batch/v1"
_NO_ADDRESS: Final = "None"
"""The address of a headless Service: its name resolves to the addresses of its pods."""


def tpu_job(workload: TpuJobPlan) -> Manifest:
    """The Job of one slice: one pod per host, and more than one host is a mesh that starts and fails as one."""
    pod = tpu_pod(workload, restart_policy=workload.restart_policy)
    if workload.pool is not None:
        pod["nodeSelector"] = {**pod.get("nodeSelector", {}), gke.LABEL_NODE_POOL: workload.pool}
    spec: Manifest = {"template": pods.template(pod, workload.pod)}
    if workload.service is not None:
        pod["subdomain"] = workload.service
        spec = {
            "parallelism": workload.hosts,
            "completions": workload.hosts,
            "completionMode": "Indexed",
            "backoffLimit": 0,
            "template": pods.template(pod, workload.pod),
        }
    _fail(workload, spec)
    return _job(workload, spec)


def headless_service(workload: TpuJobPlan, name: str) -> Manifest:
    """The Service `name`, by which the hosts of the workload find each other."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": workload.namespace, "annotations": dict(SKIP_AWAIT)},
        "spec": {"clusterIP": _NO_ADDRESS, "selector": {gke.LABEL_JOB_NAME: workload.name}},
    }


def batch_job(workload: BatchJobPlan) -> Manifest:
    """The Job of equal pods, which all run at once."""
    pod = plain_pod(workload, restart_policy=workload.restart_policy)
    (container,) = pod["containers"]
    variables = [*container.get("env", ()), *_redis_variables(workload)]
    if variables:
        container["env"] = variables
    if workload.user is not None:
        container["securityContext"] = {"runAsUser": workload.user}
    if workload.node_selector:
        pod["nodeSelector"] = dict(workload.node_selector)
    template = pods.template(pod, workload.pod)
    spec: Manifest = {"parallelism": workload.pods, "completions": workload.pods, "template": template}
    _fail(workload, spec)
    return _job(workload, spec, AWAITED_JOB if workload.is_awaited else RUN_OF_A_JOB)


def plain_pod(run: RunPlan, *, restart_policy: str) -> Manifest:
    """The pod of a run on ordinary nodes."""
    container: Manifest = {"name": names.TASK_CONTAINER, "image": run.image}
    pod: Manifest = {"restartPolicy": restart_policy, "containers": [container]}
    pods.program(container, run)
    pods.apply(pod, run.pod)
    if run.priority is not None:
        pod["priorityClassName"] = run.priority
    return pod


def _fail(workload: TpuJobPlan | BatchJobPlan, spec: Manifest) -> None:
    """Writes what the Job does when its pods fail."""
    if workload.backoff_limit is not None:
        spec["backoffLimit"] = workload.backoff_limit
    if workload.pod_failures:
        rules = [
            pod_failure_rule(each.action, each.exit_codes, each.conditions, is_other_code=each.is_other_code)
            for each in workload.pod_failures
        ]
        spec["podFailurePolicy"] = {"rules": rules}


def pod_failure_rule(
    action: str, codes: Sequence[int], conditions: Sequence[str], *, is_other_code: bool = False
) -> Manifest:
    """The rule of a Job about exit codes of its pods; with no codes, about their conditions."""
    if codes:
        return {"action": action, "onExitCodes": {"operator": "NotIn" if is_other_code else "In", "values": [*codes]}}
    return {"action": action, "onPodConditions": [{"type": each, "status": "True"} for each in conditions]}


def _job(workload: RunPlan, spec: Manifest, annotations: Mapping[str, str] = RUN_OF_A_JOB) -> Manifest:
    metadata = run_metadata(workload)
    metadata["annotations"] = {**metadata.get("annotations", {}), **annotations}
    return {"apiVersion": API_VERSION, "kind": "Job", "metadata": metadata, "spec": spec}


def _redis_variables(workload: BatchJobPlan) -> list[Manifest]:
    redis = workload.redis
    if redis is None:
        return []
    return [
        {"name": "REDIS_HOST", "value": redis.host},
        {"name": "REDIS_PORT", "value": str(redis.port)},
        pods.secret_variable("REDIS_PASSWORD", redis.secret, names.PASSWORD_KEY),
    ]


def run_metadata(workload: RunPlan) -> Manifest:
    """Name of a run, and what Kueue reads about it: labels of the run itself, and how long nodes for it may live."""
    labels = dict(workload.pod.labels)
    if workload.queue is not None:
        labels[gke.LABEL_QUEUE_NAME] = workload.queue
        if workload.priority is not None:
            labels[gke.LABEL_WORKLOAD_PRIORITY] = workload.priority
    metadata: Manifest = {"name": workload.name, "namespace": workload.namespace}
    if labels:
        metadata["labels"] = labels
    annotations = dict(workload.pod.annotations)
    if isinstance(workload, TpuRunPlan) and workload.queue is not None and workload.node_seconds is not None:
        annotations[gke.ANNOTATION_NODE_SECONDS] = str(workload.node_seconds)
    if annotations:
        metadata["annotations"] = annotations
    return metadata


def tpu_pod(workload: TpuRunPlan, *, restart_policy: str) -> Manifest:
    """The pod of a host, which takes all of its chips."""
    container: Manifest = {"name": names.CONTAINER, "image": workload.image}
    pods.program(container, workload)
    if workload.ports:
        container["ports"] = [{"containerPort": port} for port in workload.ports]
    if workload.is_privileged:
        container["securityContext"] = {"privileged": True}
    pod: Manifest = {"restartPolicy": restart_policy, "containers": [container]}
    if workload.node_selector:
        pod["nodeSelector"] = dict(workload.node_selector)
    if workload.priority is not None:
        pod["priorityClassName"] = workload.priority
    networked(pod, workload)
    pods.apply(pod, workload.pod, {gke.RESOURCE_TPU: str(workload.chips_per_host)})
    return pod


def networked(pod: Manifest, workload: TpuRunPlan) -> None:
    """Writes on whose network the pod is; one on its host's network still asks the cluster's DNS."""
    if workload.is_on_host_network:
        pod["hostNetwork"] = True
        pod["dnsPolicy"] = "ClusterFirstWithHostNet"
