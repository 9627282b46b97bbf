"""The outputs of a stack for other stacks and people, in the form of the contract of `platform_outputs`.

All but the kubeconfig and the addresses of storage is known at preview.
"""

from __future__ import annotations

import types
from dataclasses import is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from components.kubeapi.documents import section
from components.manifests.manifest import is_run, manifest_objects
from components.model.facts import gke, kinds
from components.model.plan.workloads import (
    BatchJobPlan,
    JobSetPlan,
    ManifestPlan,
    RedisPlan,
    RunPlan,
    TpuJobPlan,
    TpuRunPlan,
)
from components.pod_sets import AmountError, chips_of
from platform_outputs import contract
from platform_outputs.plain import to_plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pulumi

    from components.manifests.metadata import Manifest
    from components.model.plan import Plan
    from components.model.plan.cloud import ClusterPlan
    from components.model.plan.nodes import SlicePoolPlan
    from components.model.plan.queues import QueuePlan
    from components.model.plan.storage import LustrePlan, SharedStoragePlan
    from components.model.plan.workloads import RunsPlan, WorkloadPlan

_Form = TypeVar("_Form")
"""A part of the contract."""

_KINDS: Final = {
    JobSetPlan: "JobSet",
    TpuJobPlan: "Job",
    BatchJobPlan: "Job",
    RedisPlan: "StatefulSet",
}
_types_of = cache(get_type_hints)
_KEYS: Final = contract.Keys(
    queue_label=gke.LABEL_QUEUE_NAME,
    priority_label=gke.LABEL_WORKLOAD_PRIORITY,
    exclusive_annotation=gke.ANNOTATION_EXCLUSIVE_TOPOLOGY,
    chips_resource=gke.RESOURCE_TPU,
)


class Addresses(NamedTuple):
    """The addresses of storage once it is made: that of each instance, by its name."""

    shares: Mapping[str, pulumi.Output[str]]
    """The addresses of Filestore instances."""
    lustre: Mapping[str, pulumi.Output[str]]


def outputs_of(plan: Plan, kubeconfig: pulumi.Output[str], addresses: Addresses) -> dict[str, Any]:
    """The outputs of a platform as plain data."""
    return to_plain(
        _projected(
            contract.Contract[Any],
            plan,
            schema_version=contract.SCHEMA_VERSION,
            cluster=_cluster(plan.cluster),
            kubeconfig=kubeconfig,
            controllers=_controllers(plan),
            keys=_KEYS,
            pools=tuple(map(_pool, plan.slice_pools)),
            shared_storage=_at(contract.SharedStorage[Any], plan.shared_storage, addresses.shares),
            lustre=_at(contract.Lustre[Any], plan.lustre, addresses.lustre),
            buckets=tuple(contract.Bucket(name=each.name, is_existing=each.location is None) for each in plan.buckets),
            namespaces=tuple(contract.Namespace(name=each.name, delete=each.is_deleted) for each in plan.namespaces),
            flavors=tuple(_projected(contract.Flavor, each, node_labels=each.labels) for each in plan.flavors),
            node_flavors=tuple(
                contract.NodeFlavor(name=each.name, node_labels=each.labels) for each in plan.node_flavors
            ),
            queues=tuple(map(_queue, plan.queues)),
            priorities={each.name: each.value for each in plan.priorities},
            workloads=tuple(each for work in plan.workloads for each in _workloads(work)),
        )
    )


def _projected(form: type[_Form], source: object, **others: object) -> _Form:
    """A part of the contract: the fields of the same names of a part of the plan, and the others as given."""
    # Calling an alias such as Contract[Any] sets an attribute, which a frozen class refuses.
    made: Any = get_origin(form) or form
    types = _types_of(made).items()
    fields = {name: _part(type_, getattr(source, name)) for name, type_ in types if name not in others}
    return made(**fields, **others)


def _part(wanted: Any, value: Any) -> Any:  # noqa: ANN401  a type, and a field of a plan
    """A field of a plan in the form of the contract."""
    origin, arguments = get_origin(wanted), get_args(wanted)
    if origin in (Union, types.UnionType):
        return None if value is None else _part(arguments[0], value)
    if origin is tuple:
        return tuple(_part(arguments[0], each) for each in value)
    return _projected(cast("type[object]", wanted), value) if is_dataclass(wanted) else value


def _cluster(cluster: ClusterPlan) -> contract.Cluster:
    endpoint = None if cluster.is_existing else "private" if cluster.private_endpoint else "public"
    return _projected(contract.Cluster, cluster, endpoint=endpoint)


def _controllers(plan: Plan) -> tuple[contract.Controller, ...]:
    wait = plan.controllers.pods_ready
    ready = None if wait is None else _projected(contract.PodsReady, wait, requeuing_limit=wait.limit)
    releases = ((plan.controllers.jobset, None), (plan.controllers.kueue, ready))
    return tuple(
        _projected(contract.Controller, each, pods_ready=pods_ready)
        for each, pods_ready in releases
        if each is not None
    )


def _pool(pool: SlicePoolPlan) -> contract.Pool:
    reservation = None if pool.reservation is None else pool.reservation.name
    return _projected(contract.Pool, pool, reservation=reservation, is_autoscaled=pool.autoscaling is not None)


def _at(
    form: type[_Form], stores: Sequence[SharedStoragePlan | LustrePlan], addresses: Mapping[str, pulumi.Output[str]]
) -> tuple[_Form, ...]:
    """Stores with their addresses."""
    return tuple(_projected(form, each, address=addresses[each.name]) for each in stores)


def _queue(queue: QueuePlan) -> contract.Queue:
    limited = [share for share in queue.flavors if (share.borrow, share.lend) != (None, None)]
    return _projected(
        contract.Queue,
        queue,
        quota={share.name: share.chips for share in queue.flavors},
        limits={share.name: _projected(contract.Limits, share) for share in limited},
        resources={
            share.name: {name: str(amount) for name, amount in share.quotas.items()} for share in queue.resources
        },
    )


def _workloads(work: WorkloadPlan) -> tuple[contract.Workload, ...]:
    """A workload; of a manifest, each of its objects that Kueue queues."""
    if not isinstance(work, ManifestPlan):
        return (_workload(work),)
    return tuple(
        contract.Workload(
            namespace=document["metadata"]["namespace"],
            name=document["metadata"]["name"],
            kind=document["kind"],
            queue=_label(document, gke.LABEL_QUEUE_NAME),
            priority=_label(document, gke.LABEL_WORKLOAD_PRIORITY),
            slices=0,
            chips=_chips(document),
            checkpoint_seconds=None,
            replicated_jobs=(),
        )
        for document in manifest_objects(work)
        if is_run(document)
    )


def _chips(document: Manifest) -> int:
    """The chips of an object; of a CronJob, those of each of its Jobs."""
    is_cron_job = kinds.kind_of(document) is kinds.CRON_JOB
    try:
        return chips_of(section(document, "spec", "jobTemplate") if is_cron_job else document)
    except AmountError:
        return 0  # the API server refuses the object


def _label(document: Manifest, name: str) -> str | None:
    labels = section(document, *kinds.labels_at(kinds.kind_of(document)))
    return labels.get(name)


def _workload(work: RunsPlan | RedisPlan) -> contract.Workload:
    is_on_slices = isinstance(work, TpuRunPlan)
    others = work.replicated_jobs if isinstance(work, JobSetPlan) else ()
    return contract.Workload(
        namespace=work.namespace,
        name=work.name,
        kind=_KINDS[type(work)],
        queue=work.queue if isinstance(work, RunPlan) else None,
        priority=work.priority if isinstance(work, RunPlan) else None,
        slices=work.slices if is_on_slices else 0,
        chips=work.chips if is_on_slices else 0,
        checkpoint_seconds=work.checkpoint_seconds if is_on_slices else None,
        replicated_jobs=tuple(_projected(contract.ReplicatedJob, each) for each in others),
    )
