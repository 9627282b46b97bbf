"""Runs that a pod on an ordinary node leads, as the stack file states them: Pathways and Ray.

A JobSet is one of Pathways where it has the replicated jobs that the program, and Google's controller, give it.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final, cast

from adopt.listings import InexpressibleError, Item, Listings, entries, name_of, namespace_of, section
from adopt.pods import pod_keys
from adopt.runs import host_network, only_container, queue_flavors, shape, stated_program
from components.model import names
from components.model.facts import gke, pathways, ray

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.model.plan.queues import FlavorPlan

_SCRATCH: Final = "--gcs_scratch_location=gs://"
_SERVERS: Final = (pathways.MANAGER_CONTAINER, pathways.PROXY_CONTAINER)


def is_pathways(item: Item) -> bool:
    """Whether an object is the JobSet of a Pathways workload."""
    replicated = [each.get("name") for each in entries(item, "spec", "replicatedJobs")]
    return item["kind"] == "JobSet" and replicated == [names.PATHWAYS_HEAD, names.PATHWAYS_WORKER]


def pathways_run(
    listings: Listings, item: Item, flavors: Sequence[FlavorPlan], *, is_autopilot: bool
) -> dict[str, Any]:
    """The entry of a Pathways workload.

    Raises:
        InexpressibleError: the stack file cannot state it.
    """
    head, worker = entries(item, "spec", "replicatedJobs")
    pod = section(head, "template", "spec", "template", "spec")
    written = _stated(item, pod, "pathways")
    job = section(worker, "template", "spec")
    servers = {str(each.get("name")): each for each in entries(pod, "initContainers")}
    manager, proxy = (servers.pop(name, None) for name in _SERVERS)
    if manager is None or proxy is None:
        raise InexpressibleError("its head does not have the two containers of Pathways")
    container = only_container(section(head, "template", "spec"))
    variables = [each for each in entries(container, "env") if each.get("name") not in pathways.PROGRAM_VARIABLES]
    own = {**pod, "initContainers": list(servers.values()), "containers": [{**container, "env": variables}]}
    template = {**section(head, "template", "spec", "template"), "spec": own}
    limits = {key: section(each, "resources", "limits") for key, each in (("server", manager), ("proxy", proxy))}
    return {
        **written,
        **_slices(listings, written, job, names.PATHWAYS_WORKER, item, flavors),
        "slices": worker.get("replicas", 1),
        "image": container.get("image"),
        **stated_program(container, has_args=False),
        "resources": {},
        **pod_keys(listings, namespace_of(item), item, template),
        "version": str(manager.get("image")).rpartition(":")[2],
        "scratch_bucket": _scratch(manager),
        **host_network(pod, worker.get("replicas", 1), is_autopilot=is_autopilot),
        "head": {**limits, **_pool(listings, item, names.PATHWAYS_HEAD, pod)},
        **_restarts(section(item, "spec", "failurePolicy").get("maxRestarts")),
    }


def ray_run(listings: Listings, item: Item, flavors: Sequence[FlavorPlan]) -> dict[str, Any]:
    """The entry of a RayJob.

    Raises:
        InexpressibleError: the stack file cannot state it.
    """
    cluster = section(item, "spec", "rayClusterSpec")
    groups = entries(cluster, "workerGroupSpecs")
    if len(groups) != 1:
        raise InexpressibleError(f"it has {len(groups)} groups of workers, but a stack file states one")
    pod = section(cluster, "headGroupSpec", "template", "spec")
    written = _stated(item, pod, "ray")
    container, group = only_container(section(cluster, "headGroupSpec")), groups[0]
    worker = {"parallelism": group.get("numOfHosts", 1), "template": group.get("template")}
    version = cluster.get("rayVersion")
    name = str(group.get("groupName"))
    return {
        **written,
        **_slices(listings, written, worker, name, item, flavors),
        "slices": group.get("replicas", 1),
        "image": container.get("image"),
        **stated_program({"command": shlex.split(str(section(item, "spec").get("entrypoint")))}, has_args=False),
        **pod_keys(listings, namespace_of(item), item, section(group, "template")),
        **({} if version is None else {"ray_version": version}),
        "head": {
            "resources": section(container, "resources", "limits"),
            **_pool(listings, item, ray.HEAD_GROUP, pod),
        },
        **_restarts(section(item, "spec").get("backoffLimit")),
    }


def _stated(item: Item, pod: Item, kind: str) -> dict[str, Any]:
    written: dict[str, Any] = {"name": name_of(item), "namespace": namespace_of(item), "kind": kind}
    labels = section(item, "metadata", "labels")
    if labels.get(gke.LABEL_QUEUE_NAME):
        written["queue"] = labels[gke.LABEL_QUEUE_NAME]
    if pod.get("priorityClassName"):
        written["priority"] = pod["priorityClassName"]
    return written


def _slices(
    listings: Listings,
    written: Mapping[str, Any],
    job: Item,
    podset: str,
    item: Item,
    flavors: Sequence[FlavorPlan],
) -> dict[str, Any]:
    pod = section(job, "template", "spec")
    container = next(iter(entries(pod, "containers")), None)
    chips = section(container, "resources", "limits").get(gke.RESOURCE_TPU)
    selector = _selector(listings, item, podset, pod)
    return shape(selector, job, chips, flavors, "jobset", queue_flavors(listings, written))


def _selector(listings: Listings, item: Item, podset: str, pod: Item) -> Item:
    """The nodes that pods select themselves: in the Workload where Kueue may have changed the object."""
    uid = section(item, "metadata").get("uid")
    for work in listings.kind("Workload"):
        if uid is not None and any(each.get("uid") == uid for each in entries(work, "metadata", "ownerReferences")):
            for each in entries(work, "spec", "podSets"):
                if each.get("name") == podset:
                    return section(each, "template", "spec", "nodeSelector")
    return section(pod, "nodeSelector")


def _pool(listings: Listings, item: Item, podset: str, pod: Item) -> dict[str, Any]:
    pool = _selector(listings, item, podset, pod).get(gke.LABEL_NODE_POOL)
    return {} if pool is None else {"pool": pool}


def _scratch(container: Item) -> str:
    arguments = container.get("args")
    words = [str(each) for each in cast("list[object]", arguments)] if isinstance(arguments, list) else []
    found = next((word.removeprefix(_SCRATCH) for word in words if word.startswith(_SCRATCH)), None)
    if found is None:
        raise InexpressibleError("its resource manager names no scratch bucket")
    return found.partition("/")[0]


def _restarts(number: object) -> dict[str, Any]:
    return {"max_restarts": number} if number else {}
