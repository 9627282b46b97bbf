"""The objects of a plan that decide whether a workload can run, as documents: what rules over objects judge.

Those of Google Cloud have the inputs of their Pulumi resource, those of Kubernetes are manifests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, cast

from msgspec import structs

from components.manifests import kueue, redis
from components.manifests.charts import jobset_values, kueue_values
from components.manifests.cloud import cluster_inputs, ordinary_pool_inputs, slice_pool_inputs
from components.manifests.compute_class import compute_class
from components.manifests.job import batch_job, headless_service, tpu_job
from components.manifests.jobset import jobset
from components.manifests.manifest import manifest_objects
from components.manifests.namespace import namespace, service_account
from components.manifests.storage import persistent_volume_claim
from components.model.facts import gke, kinds
from components.model.places import Place
from components.model.plan.workloads import BatchJobPlan, JobSetPlan, ManifestPlan, RedisPlan, TpuJobPlan
from components.model.rules.manifest import identity, manifest_objects_differ, same_as

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from components.manifests.metadata import Manifest
    from components.model.facts.kinds import Kind
    from components.model.findings import Finding
    from components.model.plan import Plan
    from components.model.plan.queues import ReleasePlan
    from components.model.plan.workloads import ManifestObject, WorkloadPlan

_MAPS: Final = frozenset({"labels", "resourceLabels", "metadata", "values"})
"""Inputs whose keys are the user's."""


class Document(NamedTuple):
    """An object that will exist."""

    kind: Kind | None
    """Its kind, if it is one of Google Cloud or a Helm release; None for a manifest."""
    body: Mapping[str, Any]


class Judge(Protocol):
    """Applies the rules over objects."""

    def __call__(
        self, judged: Sequence[Mapping[str, Any]], beside: Sequence[Document], /
    ) -> Iterable[tuple[int, Finding]]:
        """The findings about the judged manifests, each with the number of the manifest."""
        ...


def documents(plan: Plan) -> Iterator[Document]:
    """The documents of a sound plan; those of manifests are left to whoever names their files."""
    yield from _of_cloud(plan)
    for manifest in _of_kubernetes(plan):
        yield Document(None, manifest)


def _of_cloud(plan: Plan) -> Iterator[Document]:
    cluster = plan.cluster
    if not cluster.is_existing:
        yield _cloud(kinds.CLUSTER, cluster_inputs(cluster))
    for pool in plan.node_pools:
        yield _cloud(kinds.NODE_POOL, {**ordinary_pool_inputs(pool, cluster), "cluster": cluster.name})
    for pool in plan.slice_pools:
        yield _cloud(kinds.NODE_POOL, {**slice_pool_inputs(pool, cluster), "cluster": cluster.name})
    controllers = plan.controllers
    if controllers.jobset is not None:
        yield _release(controllers.jobset, jobset_values(controllers.jobset))
    if controllers.kueue is not None:
        yield _release(controllers.kueue, kueue_values(controllers.kueue, controllers))


def _cloud(kind: Kind, inputs: Mapping[str, Any]) -> Document:
    return Document(kind, _camel_case(inputs))


def _release(release: ReleasePlan, values: Mapping[str, Any]) -> Document:
    stated = {"name": release.name, "chart": release.chart, "version": release.version, "namespace": release.namespace}
    return Document(kinds.RELEASE, {**stated, "values": values})


def _camel_case(value: Any) -> Any:  # noqa: ANN401  whatever inputs hold
    """Inputs by the names of the provider, without those that are not stated."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {
            _camel(key): each if _camel(key) in _MAPS else _camel_case(each)
            for key, each in fields.items()
            if each is not None
        }
    return [_camel_case(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value


def _camel(key: str) -> str:
    head, *rest = key.split("_")
    return head + "".join(word.capitalize() for word in rest)


def _of_kubernetes(plan: Plan) -> Iterator[Manifest]:
    yield from map(namespace, plan.namespaces)
    yield from map(service_account, plan.service_accounts)
    yield from map(persistent_volume_claim, plan.claims)
    yield from map(compute_class, plan.compute_classes)
    for priority in plan.priorities:
        yield kueue.priority_class(priority)
    if plan.controllers.kueue is not None:
        yield from map(kueue.workload_priority_class, plan.priorities)
        yield from kueue.queue_objects(plan)
    for work in plan.workloads:
        yield from _of_workload(work)


def _of_workload(work: WorkloadPlan) -> Iterator[Manifest]:
    """The objects of a workload; none of a manifest, whose objects come from its file."""
    match work:
        case JobSetPlan():
            yield jobset(work)
        case TpuJobPlan():
            if work.service is not None:
                yield headless_service(work, work.service)
            yield tpu_job(work)
        case BatchJobPlan():
            yield batch_job(work)
        case RedisPlan():
            yield redis.stateful_set(work)
            yield redis.service(work)
        case ManifestPlan():
            return


def findings_in_manifests(plan: Plan, judge: Judge) -> list[Finding]:
    """The findings about the objects of manifests, each at the key of the file, with the line of the file."""
    objects = [(work, each) for work in plan.manifests for each in work.objects]
    if not objects:
        return []
    beside = list(documents(plan))
    found = judge([each for work in plan.manifests for each in manifest_objects(work)], beside)
    return [*_made_twice(objects, beside), *(_in_file(*objects[number], finding) for number, finding in found)]


def _made_twice(
    objects: Sequence[tuple[ManifestPlan, ManifestObject]], beside: Sequence[Document]
) -> Iterator[Finding]:
    made = {identity(each.body, gke.DEFAULT_NAMESPACE) for each in beside if each.kind is None}
    for work, each in objects:
        if identity(each.document, work.namespace) in made:
            yield manifest_objects_differ.signed(same_as(work, each, "is made by the stack itself"))


def _in_file(work: ManifestPlan, each: ManifestObject, finding: Finding) -> Finding:
    keys = finding.place.keys
    where = f"{work.file}:{each.line_of(keys)}: {Place(keys=keys)}"
    return structs.replace(finding, place=work.place.at("file"), says=f"{where}: {finding.says}", is_about_key=False)
