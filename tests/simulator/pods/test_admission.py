"""The patches of new pods, as the API server would apply them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from components.manifests.manifest import manifest_objects
from simulator.pods.admission import ANNOTATION_SECONDS, Admission, webhook_configuration
from tests.model.catalogue.manifest import PATHWAYS, example
from tests.simulator.pods.podspecs import PodBuilder, a_pod

if TYPE_CHECKING:
    from components.kubeapi import Document

_RELEASES: Final = {"kueue": {"v0.19.2": Path("kueue")}, "jobset": {"v0.12.0": Path("jobset")}}
_PREFIX: Final = "simulator.tpu-platform.dev"


def review(pod: PodBuilder) -> Document:
    """The response to the review of a pod."""
    request = {"request": {"uid": "review-1", "object": pod.document}}
    answer = json.loads(Admission(_RELEASES).answer(json.dumps(request).encode()))
    assert (answer["apiVersion"], answer["kind"]) == ("admission.k8s.io/v1", "AdmissionReview")
    return answer["response"]


def patches(pod: PodBuilder) -> list[Document]:
    """The operations of the JSON patch."""
    return json.loads(base64.b64decode(review(pod)["patch"]))


def test_a_pod_of_a_class_tolerates_its_taint_and_knows_the_hosts_of_its_slice() -> None:
    jobs = {"/apis/batch/v1/namespaces/team/jobs/train": {"spec": {"completions": 2}}}
    pod = a_pod().container("busybox:1", "sleep", "1", chips=4).of_job("train", 1)
    pod.document["spec"]["nodeSelector"] = {"cloud.google.com/compute-class": "any"}
    request = {"request": {"uid": "review-1", "namespace": "team", "object": pod.document}}
    answer = json.loads(Admission({}, find=jobs.get).answer(json.dumps(request).encode()))
    (environment, toleration, _) = json.loads(base64.b64decode(answer["response"]["patch"]))
    assert {each["name"]: each["value"] for each in environment["value"]} == {
        "TPU_WORKER_ID": "1",
        "TPU_WORKER_HOSTNAMES": "train-0,train-1",
    }
    assert toleration["value"] == [
        {"key": "cloud.google.com/compute-class", "operator": "Equal", "value": "any", "effect": "NoSchedule"}
    ]


def test_a_pod_of_a_class_is_refused_when_it_selects_machines_itself() -> None:
    pod = a_pod().container("busybox:1", "true")
    selector = {"cloud.google.com/compute-class": "any", "cloud.google.com/gke-spot": "true"}
    pod.document["spec"]["nodeSelector"] = selector
    response = review(pod)
    assert not response["allowed"]
    assert response["status"]["message"] == (
        "node selectors cloud.google.com/gke-spot cannot be used with ComputeClass any: the class states these "
        "properties of nodes"
    )


def test_every_pod_is_allowed_by_its_uid() -> None:
    response = review(a_pod().container("busybox:1", "true"))
    assert (response["uid"], response["allowed"], response["patchType"]) == ("review-1", True, "JSONPatch")


def test_a_simulated_pod_learns_how_long_it_runs() -> None:
    pod = a_pod().container("busybox:1", "sh", "-c", "sleep 61; exit 2")
    pod.document["metadata"]["annotations"]["mine"] = "kept"
    assert patches(pod) == [
        {
            "op": "add",
            "path": "/metadata/annotations",
            "value": {f"{_PREFIX}/seconds": "61.000", f"{_PREFIX}/exit-code": "2", "mine": "kept"},
        }
    ]


def test_a_pod_without_annotations_gets_them() -> None:
    pod = a_pod().container("busybox:1", "sleep", "1")
    del pod.document["metadata"]["annotations"]
    assert patches(pod)[0]["value"][f"{_PREFIX}/seconds"] == "1.000"


def test_what_a_user_wrote_is_not_overwritten() -> None:
    pod = a_pod().container("busybox:1", "sleep", "60").annotated(seconds="3")
    assert patches(pod)[0]["value"][f"{_PREFIX}/seconds"] == "3"


def test_tpu_containers_get_the_environment_that_they_lack() -> None:
    own = [{"name": "TPU_WORKER_ID", "value": "7"}, {"name": "A", "value": "b"}]
    pod = a_pod().container("proxy:1", "true").container("jax:1", "true", chips=4, env=own)
    pod.on_tpus("tpu-v5-lite-podslice", "2x4").of_job("train", 1)
    environment, annotations = patches(pod)
    assert environment == {
        "op": "add",
        "path": "/spec/containers/1/env",
        "value": [*own, {"name": "TPU_WORKER_HOSTNAMES", "value": "train-0,train-1"}],
    }
    assert annotations["path"] == "/metadata/annotations"


def test_a_script_is_read_with_the_environment_that_the_pod_will_have() -> None:
    pod = a_pod().container("jax:1", "python3", "-c", "import jax, time; time.sleep(30)", chips=4)
    pod.on_tpus("tpu-v5-lite-podslice", "2x4").of_jobset("run", "slice", 0, 0, slices=2)
    environment, annotations = patches(pod)
    assert {item["name"] for item in environment["value"]} >= {"TPU_WORKER_ID", "MEGASCALE_NUM_SLICES"}
    assert annotations["value"][f"{_PREFIX}/seconds"] == "30.000"


def test_a_pod_with_a_program_here_is_left_to_it() -> None:
    assert patches(a_pod().container("registry.k8s.io/kueue/kueue:v0.19.2")) == []
    assert patches(a_pod().container("mirror/jobset/jobset:v0.1.0")) == [], "its wrong version is told by the runner"


def test_the_webhook_is_asked_for_new_pods_only_and_never_skipped() -> None:
    document = webhook_configuration(4567, "PEM")
    assert document["kind"] == "MutatingWebhookConfiguration"
    (webhook,) = document["webhooks"]
    assert webhook["clientConfig"] == {
        "url": "https://127.0.0.1:4567/admit-pods",
        "caBundle": base64.b64encode(b"PEM").decode(),
    }
    assert webhook["failurePolicy"] == "Fail"
    assert webhook["rules"] == [
        {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    ]


def test_a_worker_of_pathways_that_reads_its_slice_from_a_label_is_admitted() -> None:
    (work,) = example("pathways", **PATHWAYS).plan().manifests
    (jobset,) = manifest_objects(work)
    worker = jobset["spec"]["replicatedJobs"][1]["template"]["spec"]["template"]
    labels = {"jobset.sigs.k8s.io/replicatedjob-replicas": "2", "jobset.sigs.k8s.io/job-index": "1"}
    pod: dict[str, Any] = {"metadata": {"name": "pw-worker-1-0-abcde", "labels": labels}, "spec": worker["spec"]}
    request = {"request": {"uid": "u", "object": pod, "namespace": "default"}}
    answer = json.loads(Admission({}).answer(json.dumps(request).encode()))
    patch = json.loads(base64.b64decode(answer["response"]["patch"]))
    (annotations,) = (each["value"] for each in patch if each["path"] == "/metadata/annotations")
    assert annotations[ANNOTATION_SECONDS] == "inf"


@pytest.mark.parametrize(
    ("script", "policy", "annotations"),
    [
        ("for i in 1 2; do sleep $i; done; exit 3", "Never", {"seconds": "3.000", "exit-code": "3"}),
        ("trap 'echo ended' TERM; sleep 5", "Never", {"interpreted": "true"}),
        ("sleep 5; echo 1 > /step", "OnFailure", {"interpreted": "true"}),
        ("sleep 5; echo 1 > /step", "Always", {"seconds": "5.000", "exit-code": "0"}),
    ],
)
def test_a_script_runs_with_its_pod_if_it_must_and_can(script: str, policy: str, annotations: dict[str, str]) -> None:
    pod = a_pod().container("busybox:1", "bash", "-euc", script)
    pod.document["spec"]["restartPolicy"] = policy
    assert patches(pod)[-1]["value"] == {f"{_PREFIX}/{name}": value for name, value in annotations.items()}
