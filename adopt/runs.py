"""Runs to completion as the stack file states them: JobSets and Jobs that no controller made.

Kueue writes the labels of the nodes of a flavor into a run that it admits, so what a run selects itself is read in its
Workload, which keeps the run as it was submitted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from adopt import failures
from adopt.compute_classes import gpu_of
from adopt.listings import InexpressibleError, Item, Listings, entries, name_of, namespace_of, section
from adopt.pods import pod_keys, program
from components.model.facts import failures as facts
from components.model.facts import gke

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.model.plan.queues import FlavorPlan

_MAIN: Final = "main"
"""What Kueue calls the pods of a Job."""
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
    slices = _slices_of(item) if item["kind"] == "JobSet" else {}
    job = section(slices, "template", "spec") if slices else section(item, "spec")
    pod, container = section(job, "template", "spec"), only_container(job)
    written: dict[str, Any] = {"name": name_of(item), "namespace": namespace_of(item)}
    chips = section(container, "resources", "limits").get(gke.RESOURCE_TPU)
    kind = "jobset" if slices else "batch-job" if chips is None else "tpu-job"
    written["kind"] = kind
    if labels.get(gke.LABEL_QUEUE_NAME):
        written["queue"] = labels[gke.LABEL_QUEUE_NAME]
    if pod.get("priorityClassName"):
        written["priority"] = pod["priorityClassName"]
    keys = pod_keys(listings, namespace_of(item), item, section(job, "template"))
    if kind == "batch-job":
        return {**written, **_batch(listings, job, pod, container), **_failing(job, keys, hosts=0)}, []
    keys |= _access(slices, pod, container, is_autopilot=is_autopilot)
    selector, remarks = selected(listings, item, str(slices.get("name", _MAIN)), section(job, "template"))
    flavor = shape(selector, job, chips, flavors, kind, queue_flavors(listings, written))
    if kind == "jobset":
        return {**written, **flavor, **_jobset(slices, container), **_beside(listings, item, slices, keys)}, remarks
    of_kind = _tpu_job(item, pod, container, selector)
    return {**written, **flavor, **of_kind, **_failing(job, keys, hosts=job.get("parallelism", 1))}, remarks


def _access(slices: Item, pod: Item, container: Item, *, is_autopilot: bool) -> dict[str, Any]:
    """The keys about the access of pods on slices to their host; `slices` is empty of a Job."""
    is_on_host = host_network(pod, slices.get("replicas", 1), is_autopilot=is_autopilot)
    is_privileged = section(container, "securityContext").get("privileged") is True
    return {**is_on_host, **({"privileged": True} if is_privileged else {})}


def host_network(pod: Item, slices: int, *, is_autopilot: bool) -> dict[str, Any]:
    """The key about the network of pods of a workload on so many slices, where it is not the default."""
    stated, usual = pod.get("hostNetwork") is True, slices > 1 and not is_autopilot
    return {} if stated == usual else {"host_network": stated}


def _failing(job: Item, keys: Mapping[str, Any], *, hosts: int) -> dict[str, Any]:
    """The keys of the pods of a Job, with those about failures."""
    found, survives = failures.of_job(job, keys, hosts=hosts)
    return {**found, **_without_grace(keys, survives=survives)}


def _without_grace(keys: Mapping[str, Any], *, survives: bool) -> dict[str, Any]:
    """The keys of pods, without the time to end where `maintenance` states it."""
    return {key: value for key, value in keys.items() if not (survives and key == "grace_seconds")}


def _beside(listings: Listings, item: Item, slices: Item, keys: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a JobSet beside those of its slices' programs: failures, other jobs, the keys of its pods."""
    found, survives = failures.of_jobset(item, keys)
    others = [each for each in entries(item, "spec", "replicatedJobs") if each is not slices]
    jobs = [replicated_job(listings, item, each) for each in others]
    beside = {"replicated_jobs": jobs} if jobs else {}
    return {**found, **beside, **failures.depends_on(slices), **_without_grace(keys, survives=survives)}


def _slices_of(item: Item) -> Item:
    """The replicated job of a JobSet whose pods request chips."""
    replicated = entries(item, "spec", "replicatedJobs")
    found = [each for each in replicated if len(replicated) == 1 or _has_chips(each)]
    if len(found) != 1:
        raise InexpressibleError(
            f"{len(found)} of its {len(replicated)} replicated jobs request chips, but a stack file states one"
        )
    return found[0]


def _has_chips(replicated: Item) -> bool:
    pod = section(replicated, "template", "spec", "template", "spec")
    return any(gke.RESOURCE_TPU in section(each, "resources", "limits") for each in entries(pod, "containers"))


def only_container(job: Item) -> Item:
    """The container of the pods of a Job.

    Raises:
        InexpressibleError: they have several.
    """
    containers = entries(job, "template", "spec", "containers")
    if len(containers) != 1:
        raise InexpressibleError(f"its pods have {len(containers)} containers, but a stack file states one")
    return containers[0]


def replicated_job(listings: Listings, item: Item, replicated: Item) -> dict[str, Any]:
    """The entry of Jobs beside the slices.

    Raises:
        InexpressibleError: the stack file cannot state them.
    """
    job, name = section(replicated, "template", "spec"), str(replicated.get("name"))
    template, container = section(job, "template"), only_container(job)
    selector, _ = selected(listings, item, name, template)
    if selector:
        raise InexpressibleError(
            f"its replicated job {name} selects nodes by {selector}, which a stack file does not state"
        )
    limit = job.get("backoffLimit", facts.BACKOFF_LIMIT)
    counts = {"replicas": replicated.get("replicas", 1), "pods": job.get("parallelism", 1)}
    return {
        "name": name,
        "image": container.get("image"),
        **{key: count for key, count in counts.items() if count != 1},
        **program(container),
        **failures.depends_on(replicated),
        **({"backoff_limit": limit} if limit else {}),
        **pod_keys(listings, namespace_of(item), template, template),
    }


def selected(listings: Listings, item: Item, podset: str, template: Item) -> tuple[dict[str, Any], list[str]]:
    """The nodes that pods of a run select themselves, with a remark where that is not sure."""
    live = section(template, "spec", "nodeSelector")
    if _MARK not in section(template, "metadata", "annotations"):
        return live, []
    uid = section(item, "metadata").get("uid")
    for work in listings.kind("Workload"):
        if any(each.get("uid") == uid for each in entries(work, "metadata", "ownerReferences")):
            podsets = entries(work, "spec", "podSets")
            found = [each for each in podsets if len(podsets) == 1 or each.get("name") == podset]
            return section(found[0], "template", "spec", "nodeSelector") if found else live, []
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


def _jobset(slices: Item, container: Item) -> dict[str, Any]:
    written: dict[str, Any] = {
        "slices": slices.get("replicas", 1),
        "image": container.get("image"),
        **stated_program(container, has_args=False),
    }
    if not {"script", "command"} & written.keys():
        raise InexpressibleError("it starts the image's own program, but a stack file states a script or a command")
    return written


def _tpu_job(item: Item, pod: Item, container: Item, selector: Mapping[str, Any]) -> dict[str, Any]:
    written: dict[str, Any] = {"image": container.get("image"), **stated_program(container, has_args=True)}
    if pod.get("restartPolicy", "Never") != "Never":
        written["restart_policy"] = pod["restartPolicy"]
    if pod.get("subdomain") not in (None, name_of(item)):
        written["service"] = pod["subdomain"]
    if gke.LABEL_NODE_POOL in selector:
        written["pool"] = selector[gke.LABEL_NODE_POOL]
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
    user = section(container, "securityContext").get("runAsUser")
    return written if user is None else {**written, "user": user}
