"""Queueing, as the stack file states it: controllers, flavors, cohorts, checks, queues, priorities."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from components.model.facts import versions
from components.model.stack_file.yaml_nodes import YamlTextError
from policies.objects.kueue_config import configurations_in
from policies.objects.rebuilding import queues as rebuilding
from policies.objects.values import MalformedError, Part
from policies.objects.world import Object, World, manifest
from tpu.adopt.listings import Item, Listings, Remark, name_of, section, stated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from components.model.plan.nodes import SlicePoolPlan
    from components.model.plan.queues import AdmissionCheckPlan, QueueFlavorPlan, QueuePlan, ResourcesPlan

_CONFIGURATIONS: Final = {"jobset": "jobset-controller-config", "kueue": "kueue-manager-config"}
"""ConfigMaps that the charts install."""
_RELEASE: Final = ("meta.helm.sh/release-name", "meta.helm.sh/release-namespace")
_CHART: Final = "helm.sh/chart"
_SYSTEMS: Final = "system-"
"""Beginning of the priority classes that every cluster has."""
_PAIR: Final = ("PriorityClass", "WorkloadPriorityClass")
_STOPS: Final = {"Hold": "hold", "HoldAndDrain": "drain"}
_KUEUES_OWN: Final = {"when_can_borrow": "MayStopSearch", "when_can_preempt": "TryNextFlavor"}
"""How Kueue chooses flavors by default."""
_DURATION: Final = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")
_SECONDS: Final = (3600, 60, 1)
_TIMEOUT: Final = "30m"
"""Kueue's own timeout, apis/config/v1beta2/defaults.go of 0.19.2."""
_REQUEUE: Final = {
    "base_seconds": ("backoffBaseSeconds", 60),
    "max_seconds": ("backoffMaxSeconds", 3600),
    "limit": ("backoffLimitCount", None),
}
"""By key of the stack file: Kueue's field and its default."""


def world_of(listings: Listings) -> World:
    """The Kubernetes objects that rules know, as rules read them."""
    found = (
        manifest(item, origin=f"{kind} {name_of(item)}") for kind, items in listings.objects.items() for item in items
    )
    return World(each for each in found if each is not None)


def of_kind(listings: Listings, kind: str) -> list[Object]:
    """The objects of a kind."""
    found = (manifest(item, origin=f"{kind} {name_of(item)}") for item in listings.kind(kind))
    return [each for each in found if each is not None]


def controllers(listings: Listings) -> tuple[dict[str, Any], list[Remark]]:
    """The section `controllers`: what Helm installed under the names that the stack uses."""
    if not listings.kind("ConfigMap"):
        return {}, [
            Remark(
                what="controllers",
                says="no ConfigMaps are listed, so it is unknown which JobSet and Kueue Helm installed, if any: "
                "the stack file uses the program's default versions.",
                remedy="List configmaps too.",
            )
        ]
    written: dict[str, Any] = {}
    remarks: list[Remark] = []
    for controller in (versions.JOBSET, versions.KUEUE):
        release, remark = _release(listings, controller)
        written |= {controller.name: release} if release else {}
        remarks += [] if remark is None else [remark]
    return written, remarks


def _release(listings: Listings, controller: versions.Controller) -> tuple[dict[str, Any], Remark | None]:
    name, is_kueue = _CONFIGURATIONS[controller.name], controller is versions.KUEUE
    found = next((each for each in listings.kind("ConfigMap") if name_of(each) == name), None)
    metadata = section(found, "metadata")
    annotations, labels = section(metadata, "annotations"), section(metadata, "labels")
    if [annotations.get(key) for key in _RELEASE] != [controller.name, controller.namespace]:
        says = "is not installed" if found is None else "is not installed by Helm in the way of the stack"
        remedy = (
            "The stack file does not install it, and leaves Kueue's objects out."
            if is_kueue
            else "The stack file does not install it."
        )
        return {"install": False}, Remark(
            what=controller.name, says=f"it {says} (no ConfigMap {name} of its release).", remedy=remedy
        )
    written: dict[str, Any] = {}
    version = str(labels.get(_CHART, "")).rpartition("-")[2]
    if version != controller.version:
        written["version"] = version
    if not is_kueue:
        return written, None
    try:
        for each in _configurations(found):
            written |= {"fair_sharing": True} if "fairSharing" in each.value else {}
            written |= _pods_ready(each)
    except MalformedError as error:
        return written, _unread(name, error)
    return written, None


def _configurations(item: Item | None) -> Iterator[Part]:
    """Kueue's own configuration in its ConfigMap.

    Raises:
        MalformedError: it cannot be read.
    """
    each = None if item is None else manifest(item, origin=f"ConfigMap {name_of(item)}")
    return iter(()) if each is None else configurations_in(each)


def _pods_ready(configuration: Part) -> dict[str, Any]:
    """The key with its value; empty where workloads may wait for ever.

    Raises:
        MalformedError: the configuration says something that cannot be read.
    """
    wait = configuration.part("waitForPodsReady")
    if wait is None or wait.flag("enable") is False:
        return {}
    timeout = _seconds(wait, "timeout", default=_TIMEOUT)
    recovery = _seconds(wait, "recoveryTimeout", default=f"{timeout}s")
    more = stated(
        recovery_timeout_seconds=None if recovery == timeout else recovery,
        block_admission=bool(wait.flag("blockAdmission")),
        requeue=_requeue(wait.part("requeuingStrategy")),
    )
    return {"pods_ready": {"timeout_seconds": timeout, **more}}


def _requeue(strategy: Part | None) -> dict[str, Any]:
    if strategy is None:
        return {}
    found = {key: (strategy.whole(name), default) for key, (name, default) in _REQUEUE.items()}
    written: dict[str, Any] = {key: value for key, (value, default) in found.items() if value not in (None, default)}
    if strategy.string("timestamp", default="Eviction") == "Creation":
        written["timestamp"] = "Creation"
    return written


def _seconds(wait: Part, key: str, *, default: str) -> int:
    text = wait.string(key, default=default)
    form = _DURATION.fullmatch(text)
    if form is None or not text:
        raise MalformedError(wait.place.at(key), text, "a duration in hours, minutes and whole seconds")
    return sum(int(amount or 0) * seconds for amount, seconds in zip(form.groups(), _SECONDS, strict=True))


def _unread(name: str, error: MalformedError) -> Remark:
    cause = error.__cause__
    where = f", line {cause.line + 1}: {cause.problem}" if isinstance(cause, YamlTextError) else ""
    return Remark(
        what=f"ConfigMap {name}",
        says=f"{error}{where}; so it is unknown whether fair sharing is on, and the stack file leaves it off.",
        remedy="Set fair_sharing: true under controllers.kueue if it is on, and pods_ready if workloads wait for their "
        "pods for a time, or pulumi up would switch them off.",
    )


def flavors(listings: Listings, world: World, pools: Sequence[SlicePoolPlan]) -> list[dict[str, Any]]:
    """The section `flavors`."""
    of_chips = rebuilding.chip_flavors(world)
    written: list[dict[str, Any]] = []
    for each in of_kind(listings, "ResourceFlavor"):
        if each.name not in of_chips:
            labels = dict(sorted(rebuilding.node_flavor(each).labels.items()))
            written.append({"name": each.name, **stated(labels=labels)})
            continue
        found = rebuilding.flavor(each, pools)
        capacity = found.capacity if found.capacity != "on-demand" else None
        entry = {"name": found.name, "machine_type": found.machine_type, "topology": found.topology}
        written.append({**entry, **stated(capacity=capacity, reservation=found.reservation)})
    return written


def cohorts(listings: Listings) -> list[dict[str, Any]]:
    """The section `cohorts`: those that are objects, and those that only queues or other cohorts name.

    In Kueue a cohort exists as soon as something names it; a stack file declares its cohorts.
    """
    found = [rebuilding.cohort(each) for each in of_kind(listings, "Cohort")]
    written: dict[str, dict[str, Any]] = {
        each.name: {"name": each.name, **stated(parent=each.parent), **_weight(each.fair_share_weight)}
        for each in found
    }
    of_queues = (rebuilding.queue(each, []).cohort for each in of_kind(listings, "ClusterQueue"))
    for name in filter(None, (*(each.parent for each in found), *of_queues)):
        written.setdefault(name, {"name": name})
    return list(written.values())


def checks(listings: Listings, world: World) -> list[dict[str, Any]]:
    """The section `admission_checks`."""
    return [_check(listings, rebuilding.admission_check(each, world)) for each in of_kind(listings, "AdmissionCheck")]


def _check(listings: Listings, check: AdmissionCheckPlan) -> dict[str, Any]:
    config = next((each for each in listings.kind("ProvisioningRequestConfig") if name_of(each) == check.name), None)
    retries = section(config, "spec", "retryStrategy").get("backoffLimitCount")
    provisioning = stated(
        class_name=check.class_name,
        managed_resources=list(check.managed_resources),
        parameters=dict(check.parameters),
        retries=retries or None,
    )
    return {"name": check.name, "provisioning": provisioning}


def queues(listings: Listings) -> list[dict[str, Any]]:
    """The section `queues`."""
    local = of_kind(listings, "LocalQueue")
    return [
        _queue(
            rebuilding.queue(each, [one for one in local if one.text("spec", "clusterQueue") == each.name]),
            _STOPS.get(each.string("spec", "stopPolicy")),
        )
        for each in of_kind(listings, "ClusterQueue")
    ]


def _queue(queue: QueuePlan, stop: str | None) -> dict[str, Any]:
    keys = ("within_cluster_queue", "reclaim_within_cohort", "borrow_within_cohort")
    fungibility = stated(when_can_borrow=queue.when_can_borrow, when_can_preempt=queue.when_can_preempt)
    policy = queue.concurrent_admission
    return {
        "name": queue.name,
        **stated(cohort=queue.cohort),
        **_weight(queue.fair_share_weight),
        **stated(strategy=queue.strategy if queue.strategy != "BestEffortFIFO" else None),
        "flavors": [_chips(share) for share in queue.flavors] + [_resources(share) for share in queue.resources],
        **stated(
            preemption={key: getattr(queue, key) for key in keys if getattr(queue, key) != "Never"},
            fungibility={} if fungibility == _KUEUES_OWN else fungibility,
            concurrent_admission=policy
            and {"mode": policy.mode, **stated(last_acceptable_flavor=policy.last_acceptable_flavor)},
            stop=stop,
            local_queues=[{"name": each.name, "namespace": each.namespace} for each in queue.local_queues],
        ),
    }


def _chips(share: QueueFlavorPlan) -> dict[str, Any]:
    limits = stated(borrow=share.borrow, lend=share.lend, admission_checks=list(share.admission_checks))
    return {"name": share.name, "chips": share.chips, **limits}


def _resources(share: ResourcesPlan) -> dict[str, Any]:
    quotas = {name: str(amount) for name, amount in share.quotas.items()}
    return {"name": share.name, "resources": quotas, **stated(admission_checks=list(share.admission_checks))}


def priorities(listings: Listings) -> tuple[list[dict[str, Any]], list[Remark]]:
    """The section `priorities`: PriorityClasses with a WorkloadPriorityClass of the same name and value."""
    of_pods, of_work = ({name_of(each): each for each in listings.kind(kind)} for kind in _PAIR)
    of_pods = {name: each for name, each in of_pods.items() if not name.startswith(_SYSTEMS)}
    written: list[dict[str, Any]] = []
    remarks: list[Remark] = []
    for name in sorted(of_pods.keys() | of_work.keys(), key=lambda each: -_value(of_pods.get(each, of_work.get(each)))):
        pair = (of_pods.get(name), of_work.get(name))
        values = {_value(each) for each in pair if each is not None}
        if None in pair or len(values) > 1:
            missing = _PAIR[pair[0] is not None]
            says = f"there is no {missing} of this name." if None in pair else f"{' and '.join(_PAIR)} differ."
            remedy = "The stack gives both one value: the stack file leaves it out."
            remarks.append(Remark(what=f"priority {name}", says=says, remedy=remedy))
            continue
        description = section(pair[1]).get("description")
        written.append({"name": name, "value": _value(pair[1]), **stated(description=description)})
    return written, remarks


def _value(item: Item | None) -> int:
    value = section(item).get("value")
    return value if isinstance(value, int) else 0


def _weight(text: str | None) -> dict[str, Any]:
    if text is None or text == "1":
        return {}
    return {"fair_share_weight": int(text.removesuffix("m")) / 1000 if text.endswith("m") else float(text)}
