"""What `explain` says of jobs that do not run, or not wholly, on real controllers.

The stack is `multislice` without workloads. The jobs, a second queue of CPUs with a Topology, and a namespace with a
ResourceQuota are made by hand, as a user makes them whom the stack does not know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from components.kubeapi import Api, ApiError
from components.kubeapi.documents import Document, section
from components.kubeapi.jobs import WORKLOADS, owner_name
from components.kubeapi.owners import JOBSETS
from tests.control_plane.edited import EditedStack
from tests.control_plane.flex_jobs import DEFAULT
from tests.control_plane.life import hurry
from tests.eventually import eventually
from tpu.watch.explain import find, sentence
from tpu.watch.record import read_record

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.harness import Simulator

_STACK: Final = "multislice"
_SPEED: Final = 30.0
_SECONDS: Final = 240.0
_KUEUE: Final = "/apis/kueue.x-k8s.io/v1beta2"
_QUEUES: Final = f"{_KUEUE}/namespaces/default/localqueues"
_BATCH: Final = "/apis/batch/v1/namespaces/{}/jobs"
_JOB_SETS: Final = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets"
_APPS: Final = "/apis/apps/v1/namespaces/{}/deployments"
_POOL: Final = "cloud.google.com/gke-nodepool"
_HOST: Final = "kubernetes.io/hostname"
_PODSET: Final = "kueue.x-k8s.io/podset-"
_LIMITED: Final = "limited"
_LINGERS: Final = "example.com/linger"
_RUNS: Final = "sleep 100000"
_WORKERS: Final = "leaderworkersets"
_GROUP: Final = "leaderworkerset.x-k8s.io"


def _object(kind: str, name: str, spec: Document, *, version: str, **metadata: Any) -> Document:  # noqa: ANN401  any field
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}


def _of_kueue(kind: str, name: str, spec: Document) -> Document:
    return _object(kind, name, spec, version="kueue.x-k8s.io/v1beta2")


def _labels(queue: str | None, **more: str) -> dict[str, str]:
    return more if queue is None else {"kueue.x-k8s.io/queue-name": queue, **more}


def _template(script: str, cpu: str = "10m", annotations: dict[str, str] | None = None) -> Document:
    requests = {"requests": {"cpu": cpu}}
    container = {"name": "c", "image": "busybox:1.36", "command": ["sh", "-c", script], "resources": requests}
    return {
        "metadata": {"annotations": annotations or {}},
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }


def _job(
    name: str,
    queue: str | None,
    pods: int = 1,
    *,
    script: str = _RUNS,
    cpu: str = "10m",
    annotations: dict[str, str] | None = None,
    priority: str | None = None,
) -> Document:
    spec = {"parallelism": pods, "completions": pods, "template": _template(script, cpu, annotations)}
    labels = _labels(queue) if priority is None else _labels(queue, **{"kueue.x-k8s.io/priority-class": priority})
    return _object("Job", name, spec, version="batch/v1", labels=labels)


def _job_set(name: str, queue: str | None, backoff: int = 0) -> Document:
    """One slice of two hosts with exclusive topology."""
    chips = {"google.com/tpu": 4}
    template = _template(_RUNS)
    template["spec"]["nodeSelector"] = {
        "cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice",
        "cloud.google.com/gke-tpu-topology": "2x4",
    }
    template["spec"]["containers"][0] |= {"ports": [{"containerPort": 8471}]}
    template["spec"]["containers"][0]["resources"] = {"requests": chips, "limits": chips}
    job = {"parallelism": 2, "completions": 2, "backoffLimit": backoff, "template": template}
    spec = {
        "failurePolicy": {"maxRestarts": 2},
        "replicatedJobs": [{"name": "slice", "replicas": 1, "template": {"spec": job}}],
    }
    exclusive = {"alpha.jobset.sigs.k8s.io/exclusive-topology": _POOL}
    return _object(
        "JobSet", name, spec, version="jobset.x-k8s.io/v1alpha2", labels=_labels(queue), annotations=exclusive
    )


def _deployment(name: str) -> Document:
    template = _template(_RUNS)
    template["spec"]["restartPolicy"] = "Always"
    template["metadata"]["labels"] = {"app": name}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": name}}, "template": template}
    return _object("Deployment", name, spec, version="apps/v1")


def _make_queues(api: Api) -> None:
    """A ClusterQueue with one CPU on the nodes of the pool `system`, by a Topology, and its LocalQueues."""
    levels = {"levels": [{"nodeLabel": _POOL}, {"nodeLabel": _HOST}]}
    api.create(f"{_KUEUE}/topologies", _of_kueue("Topology", "by-host", levels))
    flavor = {"nodeLabels": {_POOL: "system"}, "topologyName": "by-host"}
    api.create(f"{_KUEUE}/resourceflavors", _of_kueue("ResourceFlavor", "placed", flavor))
    flavors = [{"name": "placed", "resources": [{"name": "cpu", "nominalQuota": "1"}]}]
    groups = [{"coveredResources": ["cpu"], "flavors": flavors}]
    queue: Document = {"namespaceSelector": {}, "resourceGroups": groups}
    api.create(f"{_KUEUE}/clusterqueues", _of_kueue("ClusterQueue", "by-hand", queue))
    for name, policy in (("by-hand", "None"), ("extra", "None"), ("halted", "Hold")):
        api.create(_QUEUES, _of_kueue("LocalQueue", name, {"clusterQueue": "by-hand", "stopPolicy": policy}))


def _is_served(api: Api, path: str) -> bool:
    """Whether the API server lists a new kind; its storage takes a moment after the definition."""
    try:
        return api.find(path) is not None
    except ApiError as error:
        if error.is_not_ready:
            return False
        raise


def _make_workers(api: Api) -> None:
    """A LeaderWorkerSet of two groups of two, whose controller does not run here: its kind, itself and one pod."""
    open_ended = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": open_ended, "status": open_ended}}},
    }
    names = {"plural": _WORKERS, "singular": "leaderworkerset", "kind": "LeaderWorkerSet"}
    spec = {"group": _GROUP, "scope": "Namespaced", "names": names, "versions": [version]}
    kind = _object("CustomResourceDefinition", f"{_WORKERS}.{_GROUP}", spec, version="apiextensions.k8s.io/v1")
    api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kind)
    path = f"/apis/{_GROUP}/v1/namespaces/default/{_WORKERS}"
    eventually(lambda: _is_served(api, path), what="LeaderWorkerSets are served")
    made = {"replicas": 2, "leaderWorkerTemplate": {"size": 2, "workerTemplate": _template(_RUNS)}}
    api.create(path, _object("LeaderWorkerSet", "serve", made, version=f"{_GROUP}/v1"))
    pod = _template(_RUNS)["spec"]
    labels = {"leaderworkerset.sigs.k8s.io/name": "serve"}
    api.create(f"{DEFAULT}/pods", _object("Pod", "serve-0", pod, version="v1", labels=labels))


@pytest.fixture(scope="module")
def api(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Generator[Api]:
    """The API server of the stack, with queues and a limited namespace made by hand; what is made goes at the end."""
    hurry(simulator, _SPEED)
    stack = EditedStack(simulator, _STACK, tmp_path_factory.mktemp("explained") / "project")
    stack.write({**stack.read(), "workloads": []})
    stack.up()
    api = simulator.api()
    _make_queues(api)
    api.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": _LIMITED}})
    few = _object("ResourceQuota", "few", {"hard": {"pods": "1"}}, version="v1")
    api.create(f"/api/v1/namespaces/{_LIMITED}/resourcequotas", few)
    yield api
    for jobs in (_BATCH.format("default"), _JOB_SETS):
        for each in api.items(jobs):
            api.delete(f"{jobs}/{each['metadata']['name']}", {"propagationPolicy": "Background"})
    api.delete(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{_WORKERS}.{_GROUP}")
    api.delete(f"{DEFAULT}/pods/serve-0")
    for kind, name in (("clusterqueues", "by-hand"), ("resourceflavors", "placed"), ("topologies", "by-host")):
        api.delete(f"{_KUEUE}/{kind}/{name}")
    for name in ("by-hand", "halted"):
        api.delete(f"{_QUEUES}/{name}")


def _said(api: Api, name: str, *parts: str) -> str:
    """What is said of a job, once it contains all of `parts`."""

    def look() -> str:
        return sentence(find(read_record(api), name, None))

    return eventually(look, lambda said: all(part in said for part in parts), seconds=_SECONDS, what=f"{name}: {parts}")


def _pods(api: Api, job_set: str) -> list[Document]:
    return api.items(f"{DEFAULT}/pods", {"labelSelector": f"jobset.sigs.k8s.io/jobset-name={job_set}"})


def _run(api: Api, *job_sets: str) -> None:
    for name in job_sets:
        _said(api, name, f"{name} runs: 2 of 2 pods.")


@pytest.mark.parametrize(
    ("job", "parts"),
    [
        (
            _job("lost", "nowhere"),
            (
                "lost waits for LocalQueue nowhere, which does not exist. ",
                "LocalQueues of namespace default: ",
                "by-hand",
            ),
        ),
        (
            _job(
                "two", "by-hand", 2, annotations={f"{_PODSET}required-topology": "cloud.google.com/gce-topology-host"}
            ),
            (
                'two is not admitted: couldn\'t assign flavors to pod set main: Flavor "placed" does not contain the ',
                ". Name a level of the flavor's Topology in the annotations kueue.x-k8s.io/podset-* of the pods. ",
                f"Topology by-host has {_POOL}, {_HOST}.",
            ),
        ),
        (
            _job(
                "five",
                "by-hand",
                5,
                annotations={
                    f"{_PODSET}required-topology": _POOL,
                    f"{_PODSET}slice-required-topology": _HOST,
                    f"{_PODSET}slice-size": "2",
                },
            ),
            (
                "five runs partly: 4 of 5 pods; 1 pod is held by the scheduling gate kueue.x-k8s.io/topology, pod ",
                "the number of pods must be a multiple of 2.",
            ),
        ),
        (
            _job("never", "by-hand", cpu="100"),
            (
                "never waits for quota: ",
                "It does not fit even when nothing else runs: request less, or raise the quota of the ClusterQueue.",
            ),
        ),
        (_job("halted", "halted"), ("halted waits until LocalQueue halted is no longer stopped",)),
        (
            _job("classless", "by-hand", priority="nope"),
            ("classless is suspended in LocalQueue by-hand, and ", ": WorkloadPriorityClass nope does not exist"),
        ),
        (
            _job("fails", None, 2, script="sleep 1; exit 3"),
            ("fails has no running pod: ", "pods failed, the last with Error, exit code 3"),
        ),
    ],
    ids=["no queue", "no level", "gated", "too large", "stopped", "no priority class", "failed"],
)
def test_the_cause_is_what_the_cluster_says(api: Api, job: Document, parts: tuple[str, ...]) -> None:
    api.create(_BATCH.format("default"), job)
    _said(api, job["metadata"]["name"], *parts)


def test_a_job_whose_queue_is_removed_waits_for_the_queue(api: Api) -> None:
    api.create(_BATCH.format("default"), _job("orphan", "extra", cpu="990m"))
    _said(api, "orphan", "orphan waits for quota: ")
    api.delete(f"{_QUEUES}/extra")
    _said(api, "orphan", "orphan waits for LocalQueue extra, which does not exist. ")


def test_what_a_resource_quota_refuses_is_said_of_a_deployment_and_of_a_job(api: Api) -> None:
    api.create(_APPS.format(_LIMITED), _deployment("web"))
    refused = "exceeded quota: few, requested: pods=1"
    _said(
        api, "web", "limited/web runs partly: 1 of 2 pods; 1 pod is not created: ", refused, "Raise the ResourceQuota"
    )
    api.create(_BATCH.format(_LIMITED), _job("refused", None, 2))
    remedy = ". Raise the ResourceQuota, or end other pods: kubectl describe resourcequota --namespace limited."
    _said(api, "refused", "limited/refused has no pods: Error creating: ", refused, remedy)


def test_a_leader_worker_set_is_known_by_its_pods(api: Api) -> None:
    _make_workers(api)
    _said(api, "serve", "serve runs partly: 1 of 4 pods; 3 pods: each is not created")


def test_a_second_leader_pod_is_the_cause_of_a_deadlock(api: Api) -> None:
    api.create(_JOB_SETS, _job_set("retry", "multislice-queue", backoff=3))
    _run(api, "retry")
    for pod in _pods(api, "retry"):
        api.merge(f"{DEFAULT}/pods/{pod['metadata']['name']}/status", {"status": {"phase": "Failed"}})
    _said(
        api,
        "retry",
        "retry runs partly: 1 of 2 pods (2 failed before); 1 pod is not created: Job retry-slice-0 has several pods",
        " of index 0, so JobSet refuses its others: ",
        ". Set backoffLimit: 0 in every replicated Job and create the JobSet again: a failure then restarts the whole "
        "JobSet, as often as failurePolicy.maxRestarts says.",
    )
    api.delete(f"{_JOB_SETS}/retry", {"propagationPolicy": "Foreground"})
    eventually(lambda: not _pods(api, "retry"), seconds=_SECONDS)


def test_an_unqueued_job_that_finds_its_nodes_taken_is_told_of_the_queue(api: Api) -> None:
    names = ("first", "second", "third")
    for name in names:
        api.create(_JOB_SETS, _job_set(name, "multislice-queue"))
    _run(api, *names)
    api.create(_JOB_SETS, _job_set("unqueued", None))
    _said(
        api,
        "unqueued",
        "unqueued is in no queue: without the label kueue.x-k8s.io/queue-name it gets only free nodes. It waits for",
        "The nodes that it selects run pods of first, second, third",
    )


def test_an_evicted_job_does_not_run_while_its_pods_linger(api: Api) -> None:
    pods = [f"{DEFAULT}/pods/{pod['metadata']['name']}" for pod in _pods(api, "first")]
    for pod in pods:
        api.merge(pod, {"metadata": {"finalizers": [_LINGERS]}})
    (workload,) = (each for each in api.items(WORKLOADS) if owner_name(each) == "first")
    api.merge(f"{_KUEUE}/namespaces/default/workloads/{workload['metadata']['name']}", {"spec": {"active": False}})
    _said(
        api,
        "first",
        "first is deactivated",
        f"; 2 pods of it have not ended yet, because of the finalizer {_LINGERS}",
    )
    for pod in pods:
        api.merge(pod, {"metadata": {"finalizers": None}})
    said = _said(api, "first", "first is deactivated: its Workload's spec.active is false")
    assert section(next(each for each in api.items(JOBSETS) if each["metadata"]["name"] == "first"), "spec")["suspend"]
    assert "runs" not in said


def test_the_command_prints_it_last(simulator: Simulator, api: Api) -> None:
    del api
    told = simulator.run("exec", "--", "python", "-m", "tpu.watch", "explain", "classless", "--stack", _STACK)
    assert told.out.startswith("Job classless: requests no chips\n")
    assert told.out.rstrip().endswith("WorkloadPriorityClass nope does not exist")
