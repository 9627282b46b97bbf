"""Rules about what Kueue's objects name: queues, namespaces, checks and their configuration, cohorts, Topologies.

Flavors that queues name, and checks, are judged by way of the chip ledger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import gke
from components.model.findings import Finding, Severity, did_you_mean, listing, nearest
from components.model.objects import kinds
from components.model.objects.judging import Family, object_rule, world_rule
from components.model.objects.pods import RUNS, pod_groups
from components.model.objects.values import UndecidedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.objects.values import Part
    from components.model.objects.world import Object, World

_LOCAL: Final = 'Kueue documentation "Local Queue", read 2026-11'
_QUEUE: Final = 'Kueue documentation "ClusterQueue", read 2026-11'
_CHECK: Final = 'Kueue documentation "Admission Check", read 2026-11'
_PROVISIONING: Final = 'Kueue documentation "Provisioning Admission Check Controller", read 2026-11'
_LABEL_NAMESPACE: Final = "kubernetes.io/metadata.name"
"""Set on every namespace by the API server."""
_CONTROLLERS: Final = (gke.PROVISIONING_CONTROLLER, "kueue.x-k8s.io/multikueue")
_KUEUE_GROUP: Final = "kueue.x-k8s.io"
_CLASSES: Final = (
    gke.QUEUED_PROVISIONING_CLASS,
    "check-capacity.autoscaling.x-k8s.io",
    "best-effort-atomic-scale-up.autoscaling.x-k8s.io",
)
"""Of ProvisioningRequests: GKE's, and those of the cluster autoscaler everywhere."""


@world_rule(
    "local-queue-leads-to-a-queue",
    summary="a LocalQueue leads to a ClusterQueue that there is",
    why="Its work waits for ever.",
    source=_LOCAL,
    family=Family.QUOTA,
    kinds=(kinds.LOCAL_QUEUE,),
    needs=(kinds.CLUSTER_QUEUE,),
)
def _local_queue_leads_to_a_queue(local: Object, world: World) -> Iterator[Finding]:
    name = local.text("spec", "clusterQueue")
    if name is not None and world.named(kinds.CLUSTER_QUEUE, name) is not None:
        return
    known = [each.name for each in world.of(kinds.CLUSTER_QUEUE)]
    yield Finding(
        place=local.place.at("spec", "clusterQueue"),
        says=f"{local.name} leads to no ClusterQueue." if name is None else f"no ClusterQueue is named {name}.",
        remedy=f"{'' if name is None else did_you_mean(name, known)}ClusterQueues: {listing(known)}.",
        is_about_key=name is None,
    )


@world_rule(
    "local-queue-has-a-namespace",
    summary="a LocalQueue is in a namespace that there is",
    why="The API server refuses it.",
    source="Kubernetes API v1, Namespace",
    family=Family.QUOTA,
    kinds=(kinds.LOCAL_QUEUE,),
    needs=(kinds.NAMESPACE,),
)
def _local_queue_has_a_namespace(local: Object, world: World) -> Iterator[Finding]:
    name = local.namespace
    if name == gke.DEFAULT_NAMESPACE or name.startswith(gke.SYSTEM_NAMESPACES):
        return
    if world.named(kinds.NAMESPACE, name) is None and not local.has("metadata", "generateName"):
        known = [each.name for each in world.of(kinds.NAMESPACE)]
        yield Finding(
            place=local.place.at("metadata", "namespace"),
            says=f"no namespace is named {name}.",
            remedy=f"{did_you_mean(name, known)}Namespaces: {listing(known)}.",
        )


@world_rule(
    "queue-takes-the-namespace",
    summary="a LocalQueue is in a namespace whose work its ClusterQueue takes",
    why="Kueue holds its work back for ever: the namespace does not match the queue's selector.",
    source=_QUEUE,
    family=Family.QUOTA,
    kinds=(kinds.LOCAL_QUEUE,),
    needs=(kinds.CLUSTER_QUEUE,),
)
def _queue_takes_the_namespace(local: Object, world: World) -> Iterator[Finding]:
    queue = world.named(kinds.CLUSTER_QUEUE, local.string("spec", "clusterQueue"))
    selector = None if queue is None else queue.part("spec", "namespaceSelector")
    if queue is None or selector is None:
        return  # told by other rules
    namespace = world.named(kinds.NAMESPACE, local.namespace)
    labels = {} if namespace is None else namespace.labels("metadata", "labels")
    verdicts = list(_matches(selector, {**labels, _LABEL_NAMESPACE: local.namespace}, is_all=namespace is not None))
    failed = [wanted for wanted, is_match in verdicts if is_match is False]
    if failed:
        yield Finding(
            place=local.place.at("metadata", "namespace"),
            says=f"{queue.name} takes only namespaces with {listing(failed)}, and {local.namespace} is none.",
            remedy=f"Label the namespace, or widen spec.namespaceSelector of {queue.name}.",
        )
    elif any(is_match is None for _, is_match in verdicts):
        raise UndecidedError(local.place.at("metadata", "namespace", "labels"))  # which are stated elsewhere


def _matches(selector: Part, labels: dict[str, str], *, is_all: bool) -> Iterator[tuple[str, bool | None]]:
    """What is wanted and whether it is met; None where a label may be there that is not known (not `is_all`)."""
    for key, value in selector.labels("matchLabels").items():
        is_known = is_all or key in labels
        yield f"{key}: {value}", labels.get(key) == value if is_known else None
    for each in selector.parts("matchExpressions"):
        key, operator, values = each.string("key"), each.string("operator"), each.texts("values")
        is_met = {
            "In": labels.get(key) in values,
            "NotIn": labels.get(key) not in values,
            "Exists": key in labels,
            "DoesNotExist": key not in labels,
        }.get(operator)
        wanted = f"{key} {operator}" + (f" ({', '.join(values)})" if values else "")
        yield wanted, is_met if is_all or key in labels else None


@world_rule(
    "queue-is-for-its-tenants",
    summary="where teams have queues of their own, a queue says whose work it takes",
    why="Whoever may create a LocalQueue in another namespace takes the quota of this team.",
    source=_QUEUE,
    family=Family.QUOTA,
    kinds=(kinds.CLUSTER_QUEUE,),
    needs=(kinds.LOCAL_QUEUE,),
    severity=Severity.WARNING,
)
def _queue_is_for_its_tenants(queue: Object, world: World) -> Iterator[Finding]:
    selector = queue.part("spec", "namespaceSelector")
    if selector is None or selector.value.get("matchLabels") or selector.value.get("matchExpressions"):
        return
    users: dict[str, dict[str, None]] = {}
    for local in world.of(kinds.LOCAL_QUEUE):
        users.setdefault(local.string("spec", "clusterQueue"), {})[local.namespace] = None
    own = list(users.pop(queue.name, {}))
    others = [name for namespaces in users.values() for name in namespaces if name not in own]
    if len(own) == 1 and others:
        yield Finding(
            place=selector.place,
            says=f"{queue.name} is used from {own[0]} alone, and takes the work of every namespace, {others[0]} among "
            "them.",
            remedy=f"Such as matchLabels: {{{_LABEL_NAMESPACE}: {own[0]}}}.",
        )


@world_rule(
    "cohort-is-shared",
    summary="a queue is in a cohort with others",
    why="Kueue makes a cohort of any name, so a queue that misspells it lends and borrows nothing.",
    source='Kueue documentation "Cohort", read 2026-11',
    family=Family.QUOTA,
    kinds=(kinds.CLUSTER_QUEUE,),
    severity=Severity.WARNING,
)
def _cohort_is_shared(queue: Object, world: World) -> Iterator[Finding]:
    name, key = _cohort_of(queue)
    if name is None or world.named(kinds.COHORT, name) is not None:
        return
    others = [_cohort_of(each)[0] for each in world.of(kinds.CLUSTER_QUEUE) if each is not queue]
    if name in others:
        return
    known = list(dict.fromkeys([*(each.name for each in world.of(kinds.COHORT)), *(each for each in others if each)]))
    meant = nearest(name, known)
    if meant is not None:
        yield Finding(
            place=queue.place.at("spec", key),
            says=f"{queue.name} is alone in {name}.",
            remedy=f"Did you mean {meant}? Cohorts: {listing(known)}.",
        )


def _cohort_of(queue: Object) -> tuple[str | None, str]:
    """The cohort, and what the version of the queue calls it."""
    key = "cohortName" if queue.has("spec", "cohortName") else "cohort"
    return queue.text("spec", key), key


@object_rule(
    "check-controller-exists",
    summary="an admission check of Kueue's is of a controller that Kueue has",
    why="Nobody answers the check: Kueue keeps every queue that asks it inactive.",
    source=_CHECK,
    family=Family.QUOTA,
    kinds=(kinds.ADMISSION_CHECK,),
)
def _check_controller_exists(check: Object) -> Iterator[Finding]:
    name = check.text("spec", "controllerName")
    if name is not None and name.startswith(f"{_KUEUE_GROUP}/") and name not in _CONTROLLERS:
        yield Finding(
            place=check.place.at("spec", "controllerName"),
            says=f"Kueue has no controller {name}.",
            remedy=f"{did_you_mean(name, _CONTROLLERS)}Kueue's are {listing(_CONTROLLERS)}.",
        )


@object_rule(
    "check-has-parameters",
    summary="an admission check that provisions nodes names a ProvisioningRequestConfig",
    why="Kueue keeps the check, and every queue that asks it, inactive.",
    source=_PROVISIONING,
    family=Family.QUOTA,
    kinds=(kinds.ADMISSION_CHECK,),
)
def _check_has_parameters(check: Object) -> Iterator[Finding]:
    if check.text("spec", "controllerName") != gke.PROVISIONING_CONTROLLER:
        return
    parameters = check.part("spec", "parameters")
    remedy = f"Write parameters: {{apiGroup: {_KUEUE_GROUP}, kind: {kinds.PROVISIONING_CONFIG.name}, name: ...}}."
    if parameters is None:
        yield Finding(
            place=check.place.at("spec", "parameters"),
            says=f"{check.name} does not say which nodes it asks for.",
            remedy=remedy,
            is_about_key=True,
        )
        return
    for key, wanted in (("apiGroup", _KUEUE_GROUP), ("kind", kinds.PROVISIONING_CONFIG.name)):
        found = parameters.text(key)
        if found not in (None, wanted):
            yield Finding(place=parameters.place.at(key), says=f"{found} is not {wanted}.", remedy=remedy)


@world_rule(
    "check-config-exists",
    summary="the ProvisioningRequestConfig that an admission check names is there",
    why="Kueue keeps the check, and every queue that asks it, inactive.",
    source=_PROVISIONING,
    family=Family.QUOTA,
    kinds=(kinds.ADMISSION_CHECK,),
    needs=(kinds.PROVISIONING_CONFIG,),
)
def _check_config_exists(check: Object, world: World) -> Iterator[Finding]:
    if check.text("spec", "parameters", "kind") != kinds.PROVISIONING_CONFIG.name:
        return
    name = check.text("spec", "parameters", "name")
    if name is not None and world.named(kinds.PROVISIONING_CONFIG, name) is None:
        known = [each.name for each in world.of(kinds.PROVISIONING_CONFIG)]
        yield Finding(
            place=check.place.at("spec", "parameters", "name"),
            says=f"no ProvisioningRequestConfig is named {name}.",
            remedy=f"{did_you_mean(name, known)}ProvisioningRequestConfigs: {listing(known)}.",
        )


@object_rule(
    "provisioning-class-exists",
    summary="nodes are asked for of a class that GKE or the cluster autoscaler has",
    why="Nobody answers the requests, and the work waits for ever.",
    source=_PROVISIONING,
    family=Family.QUOTA,
    kinds=(kinds.PROVISIONING_CONFIG,),
    severity=Severity.WARNING,
)
def _provisioning_class_exists(config: Object) -> Iterator[Finding]:
    name = config.text("spec", "provisioningClassName")
    if name is not None and name not in _CLASSES:
        yield Finding(
            place=config.place.at("spec", "provisioningClassName"),
            says=f"{name} is no class known here.",
            remedy=f"{did_you_mean(name, _CLASSES)}Known: {listing(_CLASSES)}.",
        )


@object_rule(
    "check-is-of-held-flavors",
    summary="a queue asks its checks for flavors that it holds",
    why="Work of the flavor that was meant is admitted without the check.",
    source=_CHECK,
    family=Family.QUOTA,
    kinds=(kinds.CLUSTER_QUEUE,),
)
def _check_is_of_held_flavors(queue: Object) -> Iterator[Finding]:
    held = [
        flavor.string("name") for group in queue.parts("spec", "resourceGroups") for flavor in group.parts("flavors")
    ]
    for check in queue.parts("spec", "admissionChecksStrategy", "admissionChecks"):
        for index, name in enumerate(check.texts("onFlavors")):
            if name not in held:
                yield Finding(
                    place=check.place.at("onFlavors", index),
                    says=f"{queue.name} has no quota of {name}.",
                    remedy=f"{did_you_mean(name, held)}Flavors of {queue.name}: {listing(held)}.",
                )


@world_rule(
    "placement-topology-exists",
    summary="the Topology that a flavor names is there",
    why="Kueue keeps every queue with the flavor inactive.",
    source='Kueue documentation "Topology Aware Scheduling", read 2026-11',
    family=Family.QUOTA,
    kinds=(kinds.RESOURCE_FLAVOR,),
    needs=(kinds.TOPOLOGY,),
)
def _placement_topology_exists(flavor: Object, world: World) -> Iterator[Finding]:
    name = flavor.text("spec", "topologyName")
    if name is not None and world.named(kinds.TOPOLOGY, name) is None:
        known = [each.name for each in world.of(kinds.TOPOLOGY)]
        yield Finding(
            place=flavor.place.at("spec", "topologyName"),
            says=f"no Topology is named {name}.",
            remedy=f"{did_you_mean(name, known)}Topologies: {listing(known)}.",
        )


@world_rule(
    "slice-requests-are-covered",
    summary="a queue has quota of everything that runs on its slices ask for beside chips",
    why="Kueue never admits a run that asks for a resource of which its queue has none.",
    source=_QUEUE,
    family=Family.QUOTA,
    kinds=RUNS,
    needs=(kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE),
)
def _slice_requests_are_covered(run: Object, world: World) -> Iterator[Finding]:
    groups = tuple(pod_groups(run))
    if not any(group.chips for group in groups):
        return  # the ledger's
    queue = _queue_of(run, world)
    if queue is None:
        return
    covered = list(
        dict.fromkeys(name for part in queue.parts("spec", "resourceGroups") for name in part.texts("coveredResources"))
    )
    for container in (each for group in groups for each in group.all_containers):
        for resource, place_of in _asked(container):
            if covered and resource not in covered:
                yield Finding(
                    place=container.place.at("resources", place_of, resource),
                    says=f"{queue.name} has no quota of {resource}; {run.name} would wait for ever.",
                    remedy=f"Do not ask for it, or cover it in {queue.name}. Covered: {listing(covered)}.",
                    is_about_key=True,
                )


def _queue_of(run: Object, world: World) -> Object | None:
    """The ClusterQueue that the run is submitted to; None where it is in none, or in one that is not here."""
    name = run.text("metadata", "labels", gke.LABEL_QUEUE_NAME)
    local = None if name is None else world.named(kinds.LOCAL_QUEUE, name, run.namespace)
    return None if local is None else world.named(kinds.CLUSTER_QUEUE, local.string("spec", "clusterQueue"))


@world_rule(
    "run-selects-a-held-flavor",
    summary="the nodes that a run selects are those of a flavor of its queue",
    why="Kueue looks for a flavor whose labels the pods' selector allows, and admits nothing where there is none.",
    source="Kueue 0.16.2, pkg/scheduler/flavorassigner/flavorassigner.go",
    family=Family.QUOTA,
    kinds=RUNS,
    needs=(kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE, kinds.RESOURCE_FLAVOR),
)
def _run_selects_a_held_flavor(run: Object, world: World) -> Iterator[Finding]:
    queue = _queue_of(run, world)
    for pods in pod_groups(run) if queue is not None else ():
        requests = {resource for each in pods.containers for resource, _ in _asked(each)}
        for group in queue.parts("spec", "resourceGroups") if queue is not None else ():
            if requests.isdisjoint(group.texts("coveredResources")):
                continue
            names = [flavor.string("name") for flavor in group.parts("flavors")]
            refused = [_refusal(pods.selector, world.named(kinds.RESOURCE_FLAVOR, name)) for name in names]
            if refused and all(key is not None for key in refused):
                yield Finding(
                    place=pods.template.place.at("spec", "nodeSelector"),
                    says=f"it allows none of the flavors of {run.text('metadata', 'labels', gke.LABEL_QUEUE_NAME)}: "
                    f"{listing(names)} {'has' if len(names) == 1 else 'have'} another "
                    f"{listing(sorted({key for key in refused if key is not None}))}.",
                    remedy="Select the nodes of one of them, or submit to another queue.",
                )


def _refusal(selector: Mapping[str, str], flavor: Object | None) -> str | None:
    """The first label of the flavor that the selector rules out; None where there is none, and for unknown flavors."""
    labels = {} if flavor is None else flavor.labels("spec", "nodeLabels")
    return next((key for key, value in selector.items() if labels.get(key, value) != value), None)


def _asked(container: Part) -> Iterator[tuple[str, str]]:
    """Resources that a container asks for, and whether by a request or by the limit that stands for one."""
    seen: set[str] = set()
    for kind in ("requests", "limits"):
        stated = container.part("resources", kind)
        for resource in () if stated is None else stated.value:
            amount = container.quantity("resources", kind, resource)
            if amount is not None and amount.milli and resource not in seen:
                yield resource, kind
            seen.add(resource)


QUEUE_LINK_RULES: Final = (
    _local_queue_leads_to_a_queue,
    _local_queue_has_a_namespace,
    _queue_takes_the_namespace,
    _queue_is_for_its_tenants,
    _cohort_is_shared,
    _check_controller_exists,
    _check_has_parameters,
    _check_config_exists,
    _provisioning_class_exists,
    _check_is_of_held_flavors,
    _placement_topology_exists,
    _slice_requests_are_covered,
    _run_selects_a_held_flavor,
)
