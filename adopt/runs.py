"""Runs to completion as the stack file states them: JobSets and Jobs that no controller made.

Kueue writes the labels of the nodes of a flavor into a run that it admits, so what a run selects itself is read in its
Workload, which keeps the run as it was submitted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from adopt.compute_classes import gpu_of
from adopt.listings import Item, Listings, entries, name_of, namespace_of, section
from adopt.pods import InexpressibleError, pod_keys, program
from components.model.facts import gke

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.model.plan.queues import FlavorPlan

_MARK: Final = "kueue.x-k8s.io/workload"
"""Annotation of pods whose template Kueue has written into."""


def run(
    listings: Listings, item: Item, flavors: Sequence[FlavorPlan], *, is_autopilot: bool
) -> tuple[dict[str, Any], list[str]]:
    """The entry of a JobSet or a Job, with remarks.

    Raises:
        InexpressibleError: the stack file cannot state it.
    """
    labels = section(item, "metadata", "labels")
    job = _job_of(item)
    pod = section(job, "template", "spec")
    if len(entries(pod, "containers")) != 1:
        raise InexpressibleError(
            f"its pods have {len(entries(pod, 'containers'))} containers, but a stack file states one"
        )
    container = entries(pod, "containers")[0]
    written: dict[str, Any] = {"name": name_of(item), "namespace": namespace_of(item)}
    chips = section(container, "resources", "limits").get(gke.RESOURCE_TPU)
    kind = "jobset" if item["kind"] == "JobSet" else "batch-job" if chips is None else "tpu-job"
    written["kind"] = kind
    if labels.get(gke.LABEL_QUEUE_NAME):
        written["queue"] = labels[gke.LABEL_QUEUE_NAME]
    if pod.get("priorityClassName"):
        written["priority"] = pod["priorityClassName"]
    keys = pod_keys(item, section(job, "template"))
    if kind == "batch-job":
        return {**written, **_batch(listings, job, pod, container), **keys}, []
    if kind == "jobset" and not is_autopilot and pod.get("hostNetwork") is not True:
        keys["host_network"] = False
    selector, remarks = _selector(listings, item, job, pod)
    of_kind = _jobset(item, container) if kind == "jobset" else _tpu_job(item, pod, container, selector)
    return {
        **written,
        **shape(selector, job, chips, flavors, kind, queue_flavors(listings, written)),
        **of_kind,
        **keys,
    }, remarks


def _job_of(item: Item) -> Item:
    """What the pods of a Job, or of the one replicated job of a JobSet, are made from."""
    if item["kind"] != "JobSet":
        return section(item, "spec")
    replicated = entries(item, "spec", "replicatedJobs")
    if len(replicated) != 1:
        raise InexpressibleError(f"it has {len(replicated)} replicated jobs, but a stack file states one")
    return section(replicated[0], "template", "spec")


def _selector(listings: Listings, item: Item, job: Item, pod: Item) -> tuple[dict[str, Any], list[str]]:
    """The nodes that the run itself selects."""
    live = section(pod, "nodeSelector")
    if _MARK not in section(job, "template", "metadata", "annotations"):
        return live, []
    uid = section(item, "metadata").get("uid")
    for work in listings.kind("Workload"):
        if any(each.get("uid") == uid for each in entries(work, "metadata", "ownerReferences")):
            podsets = entries(work, "spec", "podSets")
            return section(podsets[0], "template", "spec", "nodeSelector") if podsets else live, []
    says = (
        "Kueue may have changed its node selector, and its Workload is not listed: the stack file states the current "
        "selector. List workloads.kueue.x-k8s.io too, to get the selector that was submitted."
    )
    return live, [says]


def queue_flavors(listings: Listings, written: Mapping[str, Any]) -> list[str]:
    """The flavors of the queue that a run is in, in their order."""
    local = next(
        (
            each
            for each in listings.kind("LocalQueue")
            if (namespace_of(each), name_of(each)) == (written["namespace"], written.get("queue"))
        ),
        None,
    )
    wanted = section(local, "spec").get("clusterQueue")
    queue = next((each for each in listings.kind("ClusterQueue") if name_of(each) == wanted), None)
    return [
        str(each.get("name"))
        for group in entries(queue, "spec", "resourceGroups")
        for each in entries(group, "flavors")
    ]


def shape(
    selector: Mapping[str, Any],
    job: Item,
    chips: object,
    flavors: Sequence[FlavorPlan],
    kind: str,
    of_queue: Sequence[str],
) -> dict[str, Any]:
    """The flavor that the run selects, or those of its queue that it can be on."""
    nodes = {key: value for key, value in selector.items() if key != gke.LABEL_NODE_POOL}
    if nodes.keys() == {gke.LABEL_COMPUTE_CLASS}:
        return {"compute_class": nodes[gke.LABEL_COMPUTE_CLASS]}
    for flavor in flavors:
        if dict(flavor.labels) == nodes and nodes:
            return {"flavor": flavor.name}
    hosts = job.get("parallelism", 1)
    fitting = [
        flavor.name
        for flavor in sorted(flavors, key=lambda each: of_queue.index(each.name) if each.name in of_queue else -1)
        if flavor.name in of_queue
        and flavor.hosts == hosts
        and str(chips) == str(flavor.chips_per_slice // max(flavor.hosts, 1))
    ]
    if nodes or not fitting or kind != "jobset":
        selected = f"selects nodes by {nodes}" if nodes else "selects no nodes"
        raise InexpressibleError(f"it {selected}, and no listed flavor matches")
    return {"flavors": fitting}


def stated_program(container: Item, *, has_args: bool) -> dict[str, Any]:
    """The command of a container.

    Raises:
        InexpressibleError: it has arguments, which the kind of workload has no key for.
    """
    if container.get("args") is not None and not has_args:
        raise InexpressibleError("its container states args, but a stack file states only a command")
    return program(container)


def _jobset(item: Item, container: Item) -> dict[str, Any]:
    policy = section(item, "spec", "failurePolicy")
    written: dict[str, Any] = {
        "slices": entries(item, "spec", "replicatedJobs")[0].get("replicas", 1),
        "image": container.get("image"),
        **stated_program(container, has_args=False),
    }
    if not {"script", "command"} & written.keys():
        raise InexpressibleError("it starts the image's own program, but a stack file states a script or a command")
    if policy.get("maxRestarts"):
        written["max_restarts"] = policy["maxRestarts"]
    if policy.get("restartStrategy", "Recreate") != "Recreate":
        written["restart_strategy"] = policy["restartStrategy"]
    return written


def _tpu_job(item: Item, pod: Item, container: Item, selector: Mapping[str, Any]) -> dict[str, Any]:
    written: dict[str, Any] = {"image": container.get("image"), **stated_program(container, has_args=True)}
    if pod.get("restartPolicy", "Never") != "Never":
        written["restart_policy"] = pod["restartPolicy"]
    if pod.get("subdomain") not in (None, name_of(item)):
        written["service"] = pod["subdomain"]
    if gke.LABEL_NODE_POOL in selector:
        written["pool"] = selector[gke.LABEL_NODE_POOL]
    if section(container, "securityContext").get("privileged") is True:
        written["privileged"] = True
    return written


def _batch(listings: Listings, job: Item, pod: Item, container: Item) -> dict[str, Any]:
    gpus = section(container, "resources", "limits").get(gke.RESOURCE_GPU)
    written: dict[str, Any] = {"pods": job.get("parallelism", 1)}
    selector = section(pod, "nodeSelector")
    name = selector.get(gke.LABEL_COMPUTE_CLASS)
    if name is not None:
        written["compute_class"] = name
    if gpus is not None:
        type_ = selector.get(gke.LABEL_GPU_ACCELERATOR) if name is None else gpu_of(listings, name)
        written["gpu"] = {"type": type_, "count": int(str(gpus))}
    written |= {"image": container.get("image"), **stated_program(container, has_args=True)}
    if pod.get("restartPolicy", "Never") != "Never":
        written["restart_policy"] = pod["restartPolicy"]
    return written
