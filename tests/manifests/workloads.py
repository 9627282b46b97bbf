"""Stacks whose documents show every branch of what queues and workloads are written as."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.manifests.job import batch_job, headless_service, tpu_job
from components.manifests.jobset import jobset
from components.manifests.kueue import (
    admission_check,
    cluster_queue,
    cohort,
    provisioning_request_config,
    resource_flavor,
)
from components.manifests.manifest import manifest_objects
from components.manifests.namespace import secret, secret_provider_class, service_account
from components.manifests.redis import service, stateful_set
from components.model import names
from components.model.plan.workloads import (
    BatchJobPlan,
    JobSetPlan,
    RedisPlan,
    TpuJobPlan,
)
from tests.model.catalogue.manifest import PATHWAYS, example
from tests.stacks import Stack, a_platform, asking, jobset_of, on_autopilot, with_capacity

if TYPE_CHECKING:
    from components.manifests.metadata import Manifest
    from components.model.plan.workloads import WorkloadPlan

_DATA = {"claim": "data", "path": "/mnt/data"}
_GPU = {"type": "nvidia-tesla-t4", "count": 1}
_POD: dict[str, object] = {
    "env": {
        "STEPS": "100",
        "HF_TOKEN": {"secret": "hugging-face", "key": "token"},
        "MODE": {"config_map": "settings", "key": "mode"},
        "POD": {"field": "metadata.name"},
    },
    "mounts": [
        {**_DATA, "read_only": True, "sub_path": "v1"},
        {"ephemeral": "20Gi", "path": "/scratch"},
        {"ephemeral": "1024Mi", "path": "/dev/shm", "name": "shm", "in_memory": True},  # noqa: S108  in a container
        {"secret": "kaggle.key", "path": "/keys"},
        {"config_map": "settings", "path": "/etc/settings"},
    ],
    "resources": {"cpu": "16", "memory": "100Gi"},
    "service_account": "trainer",
    "grace_seconds": 120,
    "image_pull_secrets": ["registry"],
    "labels": {"team": "vision"},
    "annotations": {"example.com/ticket": "ML-7"},
    "sidecars": [
        {
            "name": "logger",
            "image": "registry.example/logger:1.0",
            "script": "tail -F /scratch/log",
            "env": {"LEVEL": "info"},
            "mounts": [{"ephemeral": "20Gi", "path": "/logs"}],
            "resources": {"cpu": "100m"},
        },
        {"name": "proxy", "image": "registry.example/proxy:1.0", "args": ["--port=9000"]},
    ],
}
"""Everything that pods of every kind may have."""
_QUOTA = {"nvidia.com/gpu": "10", "memory": "10240Mi", "ephemeral-storage": "10Gi", "cpu": "10"}


def _work(**keys: object) -> WorkloadPlan:
    """The plan of one workload beside a Redis, on the small platform."""
    redis = {"name": "leader", "kind": "redis", "image": "registry.example/redis:7.2", "mounts": [_DATA]}
    run = {"name": "train", "image": "registry.example/train:1.0", "queue": "research", **keys}
    return a_platform().set(workloads=[redis, run]).plan().workloads[1]


def _of_a_cohort() -> Stack:
    """A queue with everything that one can have."""
    chips = {"name": "v5e-2x4", "chips": 8, "borrow": 8, "lend": 0, "admission_checks": ["nodes"]}
    return (
        a_platform()
        .set(
            cohorts=[{"name": "all"}, {"name": "tpu", "parent": "all", "fair_share_weight": 0.5}],
            admission_checks=[
                {"name": "nodes", "provisioning": {"parameters": {"maxRunDurationSeconds": "3600"}, "retries": 1}}
            ],
        )
        .add("flavors", name="any")
        .add("flavors", name="t4", labels={"cloud.google.com/gke-accelerator": "nvidia-tesla-t4"})
        .set(
            "queues",
            0,
            cohort="tpu",
            fair_share_weight=2,
            stop="drain",
            strategy="StrictFIFO",
            preemption={"reclaim_within_cohort": "Any", "borrow_within_cohort": "LowerPriority"},
            fungibility={"when_can_borrow": "TryNextFlavor"},
            flavors=[chips, {"name": "any", "resources": _QUOTA}],
        )
    )


def _jobset(**keys: object) -> JobSetPlan:
    stack = a_platform().drop("workloads", 0, "script").drop("workloads", 0, "flavor")
    return jobset_of(stack.set("workloads", 0, **keys).plan())


def _with_buckets() -> dict[str, Manifest]:
    """Pods that mount buckets and checkpoints, on their host's network and on a network of their own."""
    stated = {"cache_gib": 20, "metadata_ttl_seconds": 60, "parallel_download": True}
    mounts = [
        {"bucket": "data", "path": "/data", "profile": "training", "read_only": True, "only_dir": "train"},
        {"bucket": "out", "path": "/out", "profile": "checkpointing"},
        {"checkpoints": True, "path": "/checkpoints"},
    ]
    logger = {"name": "logger", "image": "registry.example/logger:1.0", "mounts": [{"bucket": "logs", "path": "/logs"}]}
    plan = on_autopilot().set("workloads", 0, mounts=[{"bucket": "model", "path": "/model", **stated}]).plan()
    job = _work(kind="batch-job", pods=2, user=1000, mounts=[{"bucket": "data", "path": "/data", "cache_gib": 4}])
    assert isinstance(job, BatchJobPlan)
    return {
        "jobset-with-buckets": jobset(_jobset(flavor="v5e-2x4", script="train", mounts=mounts, sidecars=[logger])),
        "jobset-with-a-bucket-on-autopilot": jobset(jobset_of(plan)),
        "batch-job-with-a-bucket": batch_job(job),
    }


def _queued() -> dict[str, Manifest]:
    """What Kueue and GKE need of a run whose nodes are asked for as a whole."""
    stack = asking(with_capacity("flex-start", queued=True, max_run_seconds=3600))
    plan = stack.plan()
    return {"resource-flavor-queued": resource_flavor(plan.flavors[0]), "jobset-queued": jobset(jobset_of(plan))}


def documents() -> dict[str, Manifest]:
    """The documents by the names of their files."""
    whole = _of_a_cohort().plan()
    maxtext = {"run_name": "llama", "steps": 300, "bucket": "ml-output"}
    return {
        "cluster-queue-of-a-cohort": cluster_queue(whole.queues[0]),
        "cohort": cohort(whole.cohorts[1]),
        "admission-check": admission_check(whole.admission_checks[0]),
        "provisioning-request-config": provisioning_request_config(whole.admission_checks[0]),
        "resource-flavor-of-any-node": resource_flavor(whole.node_flavors[0]),
        "resource-flavor-of-gpus": resource_flavor(whole.node_flavors[1]),
        "jobset-maxtext": jobset(
            _jobset(flavor="v5e-2x4", maxtext=maxtext, failure_policy={"restart_strategy": "BlockingRecreate"})
        ),
        "jobset-any-flavor": jobset(_jobset(flavors=["v5e-2x4", "v5e-spot"], command=["python3", "train.py"])),
        "jobset-with-all-of-a-pod": jobset(_jobset(flavor="v5e-2x4", script="train", privileged=True, **_POD)),
        **_with_buckets(),
        **_queued(),
        **_failing(),
        **_jobs(),
        **_manifests(),
        "tpu-job-without-queue": tpu_job(_single_host()),
        **_redis(),
        **_identities(),
    }


def _identities() -> dict[str, Manifest]:
    """An account, Secrets without their values, and a secret of Secret Manager that two containers mount."""
    mounts = [{"secret_manager": "hf-token", "path": "/secrets"}]
    sidecar = {"name": "logger", "image": "registry.example/logger:1.0", "mounts": mounts}
    stack = a_platform().set("workloads", 0, mounts=mounts, sidecars=[sidecar], host_network=False)
    data = [{"token": "made up"}, {".dockerconfigjson": "{}"}]
    secrets = [{"name": f"secret-{index}", "data": each} for index, each in enumerate(data)]
    plan = stack.set(service_accounts=[{"name": "trainer"}], secrets=secrets).plan()
    (provider_class,) = plan.provider_classes
    return {
        "jobset-with-secret-manager": jobset(jobset_of(plan)),
        "secret-provider-class": secret_provider_class(provider_class),
        "service-account": service_account(plan.service_accounts[0]),
        "secret": secret(plan.secrets[0].name, "default", plan.secrets[0].data),
        "secret-to-pull-images-with": secret(plan.secrets[1].name, "default", plan.secrets[1].data),
    }


def _failing() -> dict[str, Manifest]:
    """What runs state about failures."""
    rules = [
        {
            "name": "maintenance",
            "action": "RestartJobSetAndIgnoreMaxRestarts",
            "on_pod_conditions": ["DisruptionTarget"],
        },
        {"action": "FailJobSet", "on_exit_codes": [43, 42], "replicated_jobs": ["slice"]},
        {"action": "FailJobSet", "on_reasons": ["DeadlineExceeded"], "on_messages": ["too late"]},
    ]
    whole = _jobset(
        flavor="v5e-2x4",
        failure_policy={"max_restarts": 3, "restart_strategy": "BlockingRecreate", "rules": rules},
        success_policy={"operator": "Any", "replicated_jobs": ["slice"]},
        script="sleep 60",
    )
    head = {"name": "head", "image": "registry.example/head:1.0", "args": ["serve"], "resources": {"cpu": "2"}}
    evaluate = {"name": "evaluate", "image": "registry.example/eval:1.0", "replicas": 2, "pods": 3, "script": "exit 0"}
    beside = _jobset(
        flavor="v5e-2x4",
        script="sleep 60",
        maintenance={"checkpoint_seconds": 120},
        depends_on=[{"name": "head", "status": "Ready"}],
        replicated_jobs=[
            {**evaluate, "depends_on": [{"name": "slice", "status": "Complete"}], "backoff_limit": 2},
            head,
        ],
        success_policy={"operator": "All", "replicated_jobs": ["evaluate"]},
    )
    pods = [
        {"action": "Ignore", "on_pod_conditions": ["DisruptionTarget"]},
        {"action": "FailJob", "on_exit_codes": [42]},
        {"action": "Count", "except_exit_codes": [1]},
    ]
    policy = {"pod_failure_policy": pods, "backoff_limit": 2, "script": "exit 1"}
    batch = _work(kind="batch-job", pods=1, **policy)
    assert isinstance(batch, BatchJobPlan)
    return {
        "jobset-failures": jobset(whole),
        "jobset-with-jobs-beside": jobset(beside),
        "tpu-job-failures": tpu_job(
            _tpu_job(_work(kind="tpu-job", flavor="v5e-2x4", maintenance={"checkpoint_seconds": 10}, **policy))
        ),
        "batch-job-failures": batch_job(batch),
    }


def _manifests() -> dict[str, Manifest]:
    """The examples of files of objects."""
    stacks = {"pathways": example("pathways", **PATHWAYS), "ray-job": example("ray")}
    return {name: manifest_objects(stack.plan().manifests[0])[0] for name, stack in stacks.items()}


def _single_host() -> TpuJobPlan:
    shape = {"machine_type": "ct5lp-hightpu-4t", "topology": "2x2"}
    run = {"name": "train", "kind": "tpu-job", "image": "registry.example/sleep:1.0", "flavor": "v5e-2x4"}
    stack = a_platform().set("tpu_slices", 0, **shape).set("flavors", 0, **shape)
    plan = stack.set(workloads=[{**run, "priority": "low", "args": ["60s"], "restart_policy": "OnFailure"}]).plan()
    return _tpu_job(plan.workloads[0])


def _tpu_job(work: WorkloadPlan) -> TpuJobPlan:
    assert isinstance(work, TpuJobPlan)
    return work


def _jobs() -> dict[str, Manifest]:
    slice_of_hosts = _tpu_job(_work(kind="tpu-job", flavor="v5e-2x4", script="sleep 60", pool="v5e1", privileged=True))
    batch = _work(
        kind="batch-job",
        queue="batch",
        priority="normal",
        pods=3,
        resources={"cpu": "0.5", "memory": "512Mi"},
        gpu=_GPU,
        env={"MODE": "fast"},
        redis="leader",
        mounts=[_DATA],
        args=["10s"],
    )
    step = _work(kind="batch-job", queue="batch", pods=1, args=["prepare"], mounts=[_DATA], user=0, awaited=True)
    whole = _work(kind="batch-job", queue="batch", pods=2, args=["prepare"], gpu=_GPU, redis="leader", **_POD)
    slice_with_all = _tpu_job(_work(kind="tpu-job", flavor="v5e-2x4", script="train", host_network=True, **_POD))
    assert isinstance(whole, BatchJobPlan)
    assert isinstance(batch, BatchJobPlan)
    assert isinstance(step, BatchJobPlan)
    assert slice_of_hosts.service is not None
    return {
        "tpu-job": tpu_job(slice_of_hosts),
        "headless-service": headless_service(slice_of_hosts, slice_of_hosts.service),
        "tpu-job-with-all-of-a-pod": tpu_job(slice_with_all),
        "batch-job-with-all-of-a-pod": batch_job(whole),
        "batch-job": batch_job(batch),
        "batch-job-awaited-as-root": batch_job(step),
    }


def _redis() -> dict[str, Manifest]:
    redis = {"name": "leader", "kind": "redis", "image": "registry.example/redis:7.2", "mounts": [_DATA]}
    (work,) = a_platform().set(workloads=[redis]).plan().workloads
    assert isinstance(work, RedisPlan)
    return {
        "redis-secret": secret(work.secret, work.namespace, [names.PASSWORD_KEY]),
        "redis-stateful-set": stateful_set(work),
        "redis-service": service(work),
    }
