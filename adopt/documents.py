"""Compares the documents of the written stack file with the objects in the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from adopt.listings import Item, Listings, Remark, name_of, namespace_of, section
from components.manifests import kueue
from components.manifests.compute_class import compute_class
from components.manifests.job import batch_job, tpu_job
from components.manifests.jobset import jobset
from components.manifests.namespace import secret_provider_class
from components.manifests.pathways import pathways_jobset
from components.manifests.ray import ray_job
from components.manifests.storage import (
    checkpoint_configuration,
    of_disk,
    of_lustre,
    of_share,
    persistent_volume,
    persistent_volume_claim,
)
from components.model.plan.workloads import (
    BatchJobPlan,
    JobSetPlan,
    PathwaysPlan,
    RayPlan,
    RedisPlan,
    RunsPlan,
    TpuJobPlan,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan
    from components.model.plan.storage import ClaimPlan

_RUNS: Final = ("JobSet", "RayJob", "Job")
_SERVERS: Final[dict[str, tuple[object, ...]]] = {
    "backoffLimit": (6,),
    "completionMode": ("NonIndexed", "Indexed"),
    "completions": (1,),
    "coordinator": (),
    "dnsPolicy": ("ClusterFirst",),
    "enableDNSHostnames": (True,),
    "enabled": (False,),
    "ensureAllDaemonSetPodsRunning": (False,),
    "groupName": ("default",),
    "imagePullPolicy": ("IfNotPresent", "Always"),
    "manualSelector": (False,),
    "operator": ("All",),
    "optimizeRulePriority": (False,),
    "parallelism": (1,),
    "podReplacementPolicy": ("TerminatingOrFailed", "Failed"),
    "preemptionPolicy": ("PreemptLowerPriority",),
    "protocol": ("TCP",),
    "publishNotReadyAddresses": (True,),
    "restartStrategy": ("Recreate",),
    "schedulerName": ("default-scheduler",),
    "startupPolicyOrder": ("AnyOrder",),
    "spot": (False,),
    "submissionMode": ("K8sJobMode",),
    "stopPolicy": ("None",),
    "terminationGracePeriodSeconds": (30,),
    "terminationMessagePath": ("/dev/termination-log",),
    "terminationMessagePolicy": ("File",),
    "ttlSecondsAfterFinished": (0,),
    "volumeMode": ("Filesystem",),
    "whenCanBorrow": ("MayStopSearch", "Borrow"),
    "whenCanPreempt": ("TryNextFlavor",),
    "withinClusterQueue": ("Never",),
    "reclaimWithinCohort": ("Never",),
    "policy": ("Never",),
}
"""Fields that the API servers and webhooks fill in, with what they write."""
_ANYBODYS: Final = ("suspend", "selector", "nodeSelector", "tolerations", "uid", "resourceVersion")
"""Fields that controllers write after the creation: Kueue, the Job controller, the binder of volumes."""
_KEPT: Final = ("spec", "value", "description", "globalDefault", "data")


def rendered(plan: Plan) -> Iterator[Item]:
    """The documents of all kinds that are compared."""
    yield from (_item(compute_class(each)) for each in plan.compute_classes)
    yield from _queueing(plan)
    for priority in plan.priorities:
        yield _item(kueue.priority_class(priority))
        yield _item(kueue.workload_priority_class(priority))
    for claim, source in _claims(plan):
        yield _item(persistent_volume(claim, source))
        yield _item(persistent_volume_claim(claim))
    yield from (_item(secret_provider_class(each)) for each in plan.provider_classes)
    if plan.cluster.checkpoints is not None:
        yield _item(checkpoint_configuration(plan.cluster.checkpoints))
    yield from (run_document(run) for run in plan.workloads if not isinstance(run, RedisPlan))


def _claims(plan: Plan) -> Iterator[tuple[ClaimPlan, Item]]:
    """Every claim with what is behind it; the address of an instance is its own."""
    for share in plan.shared_storage:
        yield from ((claim, of_share(None, share.path)) for claim in share.claims)
    for instance in plan.lustre:
        yield from ((claim, of_lustre(instance, None)) for claim in instance.claims)
    for disk in plan.disks:
        yield from ((claim, of_disk(disk)) for claim in disk.claims)


def _queueing(plan: Plan) -> Iterator[Item]:
    yield from (_item(kueue.resource_flavor(flavor)) for flavor in (*plan.flavors, *plan.node_flavors))
    yield from (_item(kueue.cohort(cohort)) for cohort in plan.cohorts)
    for check in plan.admission_checks:
        yield _item(kueue.provisioning_request_config(check))
        yield _item(kueue.admission_check(check))
    for queue in plan.queues:
        yield _item(kueue.cluster_queue(queue))
        yield from (_item(kueue.local_queue(local)) for local in queue.local_queues)


def run_document(run: RunsPlan) -> Item:
    """The document of a run."""
    match run:
        case JobSetPlan():
            return _item(jobset(run))
        case TpuJobPlan():
            return _item(tpu_job(run))
        case PathwaysPlan():
            return _item(pathways_jobset(run))
        case RayPlan():
            return _item(ray_job(run))
        case BatchJobPlan():
            return _item(batch_job(run))


def _item(document: object) -> Item:
    return cast("Item", document)


def differences(listings: Listings, plan: Plan) -> tuple[list[Remark], list[tuple[str, str, str]]]:
    """Remarks on objects that the plan states differently or not at all; and the restarted runs.

    A run is kind, namespace and name.
    """
    remarks: list[Remark] = []
    restarted: list[tuple[str, str, str]] = []
    compared = {_key(document): document for document in rendered(plan)}
    for kind in dict.fromkeys(key[0] for key in compared):
        for item in listings.kind(kind):
            document = compared.pop(_key(item), None)
            if document is None:
                continue
            found = list(_compared(document, item))
            is_run = kind in _RUNS
            if is_run and any(is_changed for _, is_changed in found):
                restarted.append(_key(item))
            remarks += [
                Remark(
                    what=" ".join((kind, _where(item))), says=says, remedy=_remedy(is_run=is_run, is_changed=changed)
                )
                for says, changed in found
            ]
    remarks += [
        Remark(what=f"{kind} {name}", says="it is not in the listings.", remedy="pulumi up would create it.")
        for kind, _, name in compared
        if listings.kind(kind) or kind not in _RUNS
    ]
    return remarks, restarted


def _remedy(*, is_run: bool, is_changed: bool) -> str:
    if is_run and is_changed:
        return "The stack file leaves the workload out; it keeps running."
    if is_changed:
        return "pulumi up would change it: check pulumi preview first."
    return "The stack file cannot state it: it stays until somebody recreates the object."


def _where(item: Item) -> str:
    namespace = namespace_of(item)
    return f"{namespace}/{name_of(item)}" if namespace else name_of(item)


def _key(item: Item) -> tuple[str, str, str]:
    return str(item["kind"]), namespace_of(item), name_of(item)


def _compared(document: Item, item: Item) -> Iterator[tuple[str, bool]]:
    """Each difference, and whether the stack's document changes the object by it."""
    for key in ("labels", "annotations"):
        for name, value in section(document, "metadata", key).items():
            there = section(item, "metadata", key).get(name)
            if there != value:
                yield f"{key[:-1]} {name} is {there!r}, but the stack has {value!r}.", True
    for key in _KEPT:
        if key in document or key in item:
            yield from _within(document.get(key), item.get(key), key)


def _within(wanted: Any, there: Any, path: str) -> Iterator[tuple[str, bool]]:  # noqa: ANN401  any part of a document
    if isinstance(wanted, dict) and isinstance(there, dict):
        one, other = cast("dict[str, Any]", wanted), cast("dict[str, Any]", there)
        for key in one:
            yield from _within(one[key], other.get(key), f"{path}.{key}")
        for key in sorted(other.keys() - one.keys()):
            yield from ((says, False) for says in _unsaid(key, other[key], f"{path}.{key}"))
    elif isinstance(wanted, list) and isinstance(there, list):
        these, those = cast("list[Any]", wanted), cast("list[Any]", there)
        if len(these) != len(those):
            yield f"{path} has {len(those)} entries, but the stack has {len(these)}.", True
        for index, (one, other) in enumerate(zip(these, those, strict=False)):
            yield from _within(one, other, f"{path}[{index}]")
    elif wanted != there and not (wanted in ("", [], {}, None) and there is None) and not _is_address(path):
        yield f"{path} is {there!r}, but the stack has {wanted!r}.", True


def _is_address(path: str) -> bool:
    """Whether only the cloud knows the value: the address of a share's server, or of an instance."""
    return path in ("spec.nfs.server", "spec.csi.volumeAttributes.ip")


def _unsaid(key: str, value: object, path: str) -> Iterator[str]:
    """The parts of a field that the stack does not write and that only its author can have set."""
    if key in _ANYBODYS or value in (None, "", [], {}) or value in _SERVERS.get(key, ()):
        return
    if isinstance(value, dict):
        for inner, each in cast("dict[str, Any]", value).items():
            if not inner.startswith("kueue.x-k8s.io/"):
                yield from _unsaid(inner, each, f"{path}.{inner}")
    else:
        yield f"{path} is {value!r}, but the stack's document does not state it."
