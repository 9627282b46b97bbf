"""The two Jobs that both forms of the flex-start system have, as the API server knows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from components.kubeapi.jobs import NODES
from components.model.facts import gke

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.harness import Simulator

DEFAULT: Final = "/api/v1/namespaces/default"
ON_HOST: Final = {
    "cloud.google.com/gke-flex-start": "true",
    "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
    "cloud.google.com/gke-tpu-topology": "2x2",
}
ON_SLICE: Final = {**ON_HOST, "cloud.google.com/gke-tpu-topology": "2x4"}
_CHIPS: Final = {"google.com/tpu": "4"}


def job(simulator: Simulator, name: str) -> dict[str, Any]:
    """A Job of the default namespace."""
    return simulator.api().get(f"/apis/batch/v1/namespaces/default/jobs/{name}")


def pods_of(simulator: Simulator, name: str) -> list[dict[str, Any]]:
    """The pods of a Job, whatever became of them."""
    return simulator.api().items(f"{DEFAULT}/pods", {"labelSelector": f"{gke.LABEL_BATCH_JOB_NAME}={name}"})


def names(documents: Sequence[dict[str, Any]]) -> list[str]:
    """The names of objects, sorted."""
    return sorted(each["metadata"]["name"] for each in documents)


def node_pools_of(simulator: Simulator, name: str) -> list[str]:
    """For each pod of a Job, the node pool of its node."""
    pools = {
        node["metadata"]["name"]: node["metadata"]["labels"][gke.LABEL_NODE_POOL]
        for node in simulator.api().items(NODES)
    }
    return [pools[pod["spec"]["nodeName"]] for pod in pods_of(simulator, name)]


def growths(simulator: Simulator) -> dict[str, str]:
    """By pod, from how many machines to how many the autoscaler took the pool for it."""
    events = simulator.api().items(f"{DEFAULT}/events")
    return {
        each["involvedObject"]["name"]: each["message"].partition("-grp ")[2].rpartition(" (max")[0]
        for each in events
        if each["reason"] == "TriggeredScaleUp"
    }


def assert_jobs_are_those_of_the_document(
    simulator: Simulator, *, on_slice: dict[str, str], security: dict[str, bool] | None
) -> None:
    """Both Jobs and the Service have the document's values.

    Args:
        simulator: where they run.
        on_slice: the node selector of job-2.
        security: the security context of its container.
    """
    pod = job(simulator, "job-1")["spec"]["template"]["spec"]
    assert (pod["restartPolicy"], pod["nodeSelector"]) == ("OnFailure", ON_HOST)
    (container,) = pod["containers"]
    assert container["args"] == ["3600s"]
    assert container["resources"] == {"requests": _CHIPS, "limits": _CHIPS}

    spec = job(simulator, "job-2")["spec"]
    expected = {"completionMode": "Indexed", "completions": 2, "parallelism": 2, "backoffLimit": 0}
    assert spec.items() >= expected.items()
    pod = spec["template"]["spec"]
    assert (pod["restartPolicy"], pod["subdomain"], pod["nodeSelector"]) == ("Never", "headless-svc", on_slice)
    (container,) = pod["containers"]
    assert [port["containerPort"] for port in container["ports"]] == [8471, 8431]
    assert container["resources"] == {"requests": _CHIPS, "limits": _CHIPS}
    assert container.get("securityContext") == security
    service = simulator.api().get(f"{DEFAULT}/services/headless-svc")["spec"]
    assert (service["clusterIP"], service["selector"]) == ("None", {"job-name": "job-2"})


def assert_logs_count_the_chips_of_the_slice(simulator: Simulator) -> None:
    """Both pods of job-2 saw all chips of their slice."""
    pods = pods_of(simulator, "job-2")
    logs = [simulator.api().text(f"{DEFAULT}/pods/{name}/log") for name in names(pods)]
    assert logs == ["TPU cores: 8\n"] * 2
