"""The bare start: the same control plane, nodes, charts, queues and first job, made by a script one after another.

No Pulumi, no providers, and a cloud that is empty: only the time of the processes themselves is left. The script waits
for each step before the next only where that step needs it.
"""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import yaml

from components.manifests import charts, cluster_queue, jobset, kueue, scheduling
from components.model.plan.workloads import JobSetPlan
from components.model.project import KEY, PROJECT
from components.model.stack_file.reading import Given, read
from kubeapi import Discovery
from kubeapi.documents import is_true
from simulator.clock import SpeedClock
from simulator.cloud.cloud import Cloud
from simulator.cloud.machines import ClusterSpec
from simulator.clusters import node_calls
from simulator.clusters.cluster import Cluster
from simulator.clusters.configuration import client_kubeconfig
from simulator.clusters.fleet import Fleet
from simulator.clusters.pki import ADMIN
from simulator.daemon import surroundings
from simulator.home import Home
from simulator.providers.kube.helm import helm_tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from components.model.plan import Plan
    from components.model.plan.queues import ControllersPlan, ReleasePlan
    from kubeapi import Api
    from simulator.pods.storage import Storage

STACK_FILE: Final = Path(__file__).parent.parent / "Pulumi.multislice.yaml"
_LIMIT: Final = 120.0


def bare_start(folder: Path) -> tuple[float, float]:
    """Seconds until both controllers are ready, and until the first job is admitted; `folder` is left empty."""
    home, plan = Home(folder), plan_of(STACK_FILE)
    folder.mkdir(parents=True)
    spec = ClusterSpec(
        name="projects/bench/locations/us-west4/clusters/bare",
        is_autopilot=False,
        pod_range="10.4.0.0/16",
        service_range="10.8.0.0/20",
    )
    clock = SpeedClock(10.0, home.clock_file)

    def storage(cluster: str) -> Storage:
        return cloud.mounts(cluster)

    shared = surroundings(home, clock, lambda: 300.0, storage)
    fleet = Fleet(home.clusters, home.kubeconfig, shared)
    cloud = Cloud(state=home.cloud_file, shares=home.shares, volumes=home.volumes, machines=fleet, clock=clock)
    begin = time.perf_counter()
    cluster_folder = home.clusters / "bare"
    cluster_folder.mkdir(parents=True)
    cluster = Cluster(cluster_folder, spec, shared)
    try:
        cluster.start()
        _add_nodes(cluster.api, plan)
        kubeconfig = json.dumps(client_kubeconfig(cluster.settings, ADMIN))
        for release, values in _releases(plan.controllers):
            _install(kubeconfig, release, values)
        ready = time.perf_counter() - begin
        _submit(cluster.api, plan)
        _await_admission(cluster.api)
        return ready, time.perf_counter() - begin
    finally:
        cluster.delete()


def plan_of(file: Path) -> Plan:
    """The plan of a sound stack file."""
    text = file.read_text()
    platform = yaml.safe_load(text)["config"][f"{PROJECT}:{KEY}"]
    given = Given(
        project=PROJECT,
        file_name=file.name,
        file_text=text,
        platform=json.dumps(platform),
        gcp_project="tpu-sandbox",
    )
    plan = read(given).plan
    if plan is None:
        raise SystemExit(read(given).report)
    return plan


def _add_nodes(api: Api, plan: Plan) -> None:
    nodes = [_node("system-1", {}, {"cpu": "4", "memory": "16Gi", "pods": "110"})]
    for pool in plan.slice_pools:
        size = {"cpu": "112", "memory": "192Gi", "pods": "110", "google.com/tpu": "4"}
        labels = {"cloud.google.com/gke-nodepool": pool.name, **plan.flavors[0].labels}
        nodes += [_node(f"{pool.name}-{host}", labels, size) for host in range(pool.nodes)]
    node_calls.add(api, nodes)


def _node(name: str, labels: Mapping[str, str], size: Mapping[str, str]) -> dict[str, Any]:
    taint = {"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/hostname": name, **labels},
            "annotations": {"kwok.x-k8s.io/node": "fake"},
        },
        "spec": {"taints": [taint] if "google.com/tpu" in size else []},
        "status": {"capacity": dict(size), "allocatable": dict(size)},
    }


def _releases(controllers: ControllersPlan) -> Iterator[tuple[ReleasePlan, Mapping[str, Any]]]:
    if controllers.jobset is not None:
        yield controllers.jobset, charts.jobset_values(controllers.jobset)
    if controllers.kueue is not None:
        yield controllers.kueue, charts.kueue_values(controllers.kueue, controllers)


def _install(kubeconfig: str, release: ReleasePlan, values: Mapping[str, Any]) -> None:
    helm = helm_tool(os.environ)
    chart = helm.charts.folder(release.chart, release.version)
    arguments = [
        "install",
        release.name,
        str(chart),
        f"--namespace={release.namespace}",
        "--create-namespace",
        "--wait",
    ]
    helm.run(kubeconfig, arguments, values=values, install=True)


def _submit(api: Api, plan: Plan) -> None:
    discovery = Discovery(api)
    documents: list[Any] = [
        *(scheduling.priority_class(each) for each in plan.priorities),
        *(kueue.workload_priority_class(each) for each in plan.priorities),
        *(kueue.resource_flavor(each) for each in plan.flavors),
        *(cluster_queue.cluster_queue(each) for each in plan.queues),
        *(kueue.local_queue(local) for queue in plan.queues for local in queue.local_queues),
        *(jobset.jobset(each) for each in plan.workloads[:1] if isinstance(each, JobSetPlan)),
    ]
    for document in documents:
        api.apply(discovery.path(cast("dict[str, Any]", document)), document, manager="bench")


def _await_admission(api: Api) -> None:
    path = "/apis/kueue.x-k8s.io/v1beta2/workloads"
    _await(lambda: any(is_true(each, "Admitted") for each in api.items(path)), "the first job is admitted")


def _await(condition: Callable[[], bool], what: str) -> None:
    pause, deadline = threading.Event(), time.perf_counter() + _LIMIT
    while not condition():
        if time.perf_counter() > deadline:
            raise SystemExit(f"not within {_LIMIT:.0f} s: {what}")
        pause.wait(0.05)
