"""Rules about how pods find each other, and about their access to the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import floors, gke, kinds, tpu
from components.model.findings import Finding, Severity, about_key, listing
from components.model.rule import Family
from components.model.rules.run import A_NODE_POOL, autopilot_pods_are_plain, not_on_autopilot
from policies.objects.judging import object_rule, read_in_world, world_rule
from policies.objects.pods import MAKERS, RUNS, PodGroup, chips_of, pod_groups, tpu_groups
from policies.objects.requested_slices import is_autopilot, is_multi_host
from policies.objects.shapes import shape_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.places import Key, Place
    from policies.objects.world import Object, World

FAMILY: Final = Family.TOPOLOGY

_JOBS: Final = 'Kubernetes documentation "Jobs", read 2026-11'
_DNS: Final = 'Kubernetes documentation "DNS for Services and Pods", read 2026-11'
_STANDARDS: Final = 'Kubernetes documentation "Pod Security Standards", read 2026-11'
_MULTISLICE: Final = 'GKE documentation "TPU multislice", read 2026-11'
_HOST_DNS: Final = "ClusterFirstWithHostNet"
_HEADLESS: Final = "None"
_JOB_NAMES: Final = (gke.LABEL_JOB_NAME, gke.LABEL_BATCH_JOB_NAME)
_HOST_KEYS: Final = ("hostNetwork", "hostPID", "hostIPC")
_STRICT: Final = ("baseline", "restricted")
_PLAIN_JOBS: Final = (kinds.JOB, kinds.CRON_JOB)
"""Kinds whose pods have no names but those that a Service gives them."""


def _meshes(owner: Object) -> Iterator[PodGroup]:
    """The pods of a plain Job that share a slice."""
    for group in tpu_groups(owner):
        shape = shape_of(group)
        if shape is not None and shape.kind is tpu.HostKind.MULTI:
            yield group


@object_rule(
    summary="the pods of a plain Job on a multi-host slice have a subdomain",
    why="GKE makes TPU_WORKER_HOSTNAMES from it; without one the hosts do not find each other.",
    source=_JOBS,
    kinds=_PLAIN_JOBS,
)
def _hosts_have_names(owner: Object) -> Iterator[Finding]:
    for group in _meshes(owner):
        if group.template.text("spec", "subdomain") is None:
            yield Finding(
                place=group.template.place.at("spec", "subdomain"),
                says=f"not stated, so the pods of {owner.name} cannot find each other by name.",
                remedy=f"Name a headless Service of namespace {owner.namespace}"
                f"{', or make it a JobSet of one Job' if owner.kind is kinds.JOB else ''}.",
            )


def _services(owner: Object, world: World) -> Iterator[tuple[PodGroup, str, Object | None]]:
    """The Service that each group of a Job names as its subdomain; None where there is none of the name."""
    for group in _meshes(owner):
        name = group.template.text("spec", "subdomain")
        if name is not None:
            yield group, name, world.named(kinds.SERVICE, name, owner.namespace)


@world_rule(
    summary="the subdomain of a Job's pods is a Service of their namespace",
    why="Without it the names of the pods do not resolve.",
    source=_DNS,
    kinds=_PLAIN_JOBS,
    needs=(kinds.SERVICE,),
)
def _subdomain_is_a_service(owner: Object, world: World) -> Iterator[Finding]:
    for group, name, service in _services(owner, world):
        if service is None:
            here = [each.name for each in world.of(kinds.SERVICE) if each.namespace == owner.namespace]
            yield Finding(
                place=group.template.place.at("spec", "subdomain"),
                says=f"no Service of namespace {owner.namespace} is named {name}.",
                remedy=f"Declare it, headless, or name another. Services of {owner.namespace}: {listing(here)}.",
            )


@world_rule(
    summary="the Service by which hosts of a slice find each other is headless",
    why="Any other Service has one address for all of them, and no names of pods.",
    source=_DNS,
    kinds=_PLAIN_JOBS,
)
def _hosts_service_is_headless(owner: Object, world: World) -> Iterator[Finding]:
    for _, name, service in _services(owner, world):
        address = None if service is None else service.text("spec", "clusterIP")
        if service is not None and address != _HEADLESS:
            yield Finding(
                place=service.place.at("spec", "clusterIP"),
                says=f"{'not stated' if address is None else address}, but the pods of {owner.name} find each other "
                f"by {name}.",
                remedy=f"Set {_HEADLESS}, as text.",
            )


@world_rule(
    summary="the Service by which hosts of a slice find each other selects their pods",
    why="It resolves only the names of the pods that it selects.",
    source=_DNS,
    kinds=_PLAIN_JOBS,
)
def _hosts_service_selects_them(owner: Object, world: World) -> Iterator[Finding]:
    found = [(group, service) for group, _, service in _services(owner, world) if service is not None]
    for group, service in found:
        carried = _labels_carried(group)
        selector = service.labels("spec", "selector")
        if not selector or not selector.items() <= carried.items():
            asked = listing([f"{key}={value}" for key, value in selector.items()])
            yield Finding(
                place=service.place.at("spec", "selector"),
                says=f"it selects {asked}, and the pods of {owner.name} carry {_first(carried, '=')}.",
                remedy=f"Set {{{_first(carried, ': ')}}}." if carried else "Label the pods, and select the label.",
            )


def _labels_carried(group: PodGroup) -> dict[str, str]:
    """The labels of a Job's pods; first the name of the Job, which is another for each Job of a CronJob."""
    named = {key: group.owner.name for key in _JOB_NAMES if group.owner.kind is kinds.JOB}
    return {**named, **group.template.labels("metadata", "labels"), **named}


def _first(labels: Mapping[str, str], between: str) -> str:
    return next((f"{key}{between}{value}" for key, value in labels.items()), "no label")


@world_rule(
    summary="a Service with the name of a JobSet's own Service names the pods of the JobSet",
    why="JobSet makes no Service if one of that name exists, and the names of its pods do not resolve.",
    source="JobSet 0.12.0, pkg/controllers/jobset_controller.go",
    kinds=(kinds.JOBSET,),
)
def _jobset_service_is_its_own(owner: Object, world: World) -> Iterator[Finding]:
    if owner.flag("spec", "network", "enableDNSHostnames") is False:
        return
    subdomain = owner.text("spec", "network", "subdomain")
    name = owner.name if subdomain is None else subdomain
    service = world.named(kinds.SERVICE, name, owner.namespace)
    own = {gke.LABEL_JOBSET_NAME: owner.name}
    if service is None or (
        service.text("spec", "clusterIP") == _HEADLESS and service.labels("spec", "selector") == own
    ):
        return
    path: tuple[Key, ...] = ("metadata", "name") if subdomain is None else ("spec", "network", "subdomain")
    yield Finding(
        place=owner.place.at(*path),
        says=f"there is a Service {name} in namespace {owner.namespace} that does not name the pods of this JobSet.",
        remedy="Choose another name, or remove the Service: JobSet makes its own.",
    )


@object_rule(
    summary="pods with chips that use their host's network also use the cluster's DNS",
    why="Otherwise they ask the host's DNS, which does not know the names of pods, and no host finds another.",
    source=_DNS,
    kinds=MAKERS,
)
def _host_network_resolves_names(owner: Object) -> Iterator[Finding]:
    for group in tpu_groups(owner):
        policy = group.template.string("spec", "dnsPolicy", default="ClusterFirst")
        if group.template.flag("spec", "hostNetwork") is True and policy != _HOST_DNS:
            yield Finding(
                place=group.template.place.at("spec", "dnsPolicy"),
                says=f"{policy} with hostNetwork: true, so names of pods are not resolved.",
                remedy=f"Set {_HOST_DNS}.",
            )


def _wanted_of_host(group: PodGroup) -> Iterator[tuple[Place, str]]:
    """Access to the host that pods request, as a word of the manifest: namespaces, ports and privileges."""
    for key in _HOST_KEYS:
        if group.template.flag("spec", key) is True:
            yield group.template.place.at("spec", key), key
    for container in group.all_containers:
        if container.flag("securityContext", "privileged") is True:
            yield container.place.at("securityContext", "privileged"), "privileged"
        for port in container.parts("ports"):
            if port.whole("hostPort"):
                yield port.place.at("hostPort"), "hostPort"


@read_in_world(autopilot_pods_are_plain, kinds=MAKERS, needs=(kinds.CLUSTER,))
def _autopilot_pods_are_plain(owner: Object, world: World) -> Iterator[Finding]:
    if world.has(kinds.CLUSTER) and not is_autopilot(world):
        return
    for group in pod_groups(owner):
        wanted = [(place, word) for place, word in _wanted_of_host(group) if word != "hostPort"]
        if gke.LABEL_NODE_POOL in group.selector:
            wanted.append((group.selected_at(gke.LABEL_NODE_POOL), A_NODE_POOL))
        if wanted and is_autopilot(world):
            yield from (not_on_autopilot(place, word) for place, word in wanted)


@object_rule(
    summary="containers with chips are not privileged",
    why="A privileged container may do anything on its host, such as act as the node. It gets its chips without that.",
    source="components/model/facts/floors.py",
    family=Family.GUARDRAILS,
    kinds=MAKERS,
    severity=Severity.WARNING,
)
def _chips_need_no_privilege(owner: Object) -> Iterator[Finding]:
    for group in tpu_groups(owner):
        for container in group.containers:
            if chips_of(container) and container.flag("securityContext", "privileged") is True:
                yield about_key(
                    place=container.place.at("securityContext", "privileged"),
                    says="the container may do anything on its host, and needs that for chips only on nodes older than "
                    f"{floors.UNPRIVILEGED_TPU}.",
                    remedy="Remove the key, if the program itself does not need it.",
                )


@world_rule(
    summary="the Pod Security Standard of a namespace allows its pods' access to the host",
    why="The API server refuses the pods: the workload exists, but never gets one.",
    source=_STANDARDS,
    family=Family.GUARDRAILS,
    kinds=MAKERS,
)
def _namespace_takes_pods(owner: Object, world: World) -> Iterator[Finding]:
    namespace = world.named(kinds.NAMESPACE, owner.namespace)
    standard = None if namespace is None else namespace.text("metadata", "labels", gke.LABEL_POD_SECURITY)
    for group in pod_groups(owner) if standard in _STRICT else ():
        for place, word in _wanted_of_host(group):
            yield about_key(
                place=place,
                says=f"namespace {owner.namespace} enforces {standard}, which does not allow {word}.",
                remedy=f"Remove the key, or label the namespace {gke.LABEL_POD_SECURITY}: privileged.",
            )


@object_rule(
    summary="pods that share a slice declare the ports of the TPU runtime",
    why="Nothing fails without it, but readers of the manifest and authors of network policies do not see them.",
    source=_MULTISLICE,
    kinds=RUNS,
    severity=Severity.ADVICE,
)
def _tpu_ports_are_declared(owner: Object) -> Iterator[Finding]:
    for group in tpu_groups(owner):
        declared = {port.whole("containerPort") for container in group.containers for port in container.parts("ports")}
        needed = (gke.PORT_TPU_RUNTIME, gke.PORT_MULTISLICE) if group.replicas > 1 else (gke.PORT_TPU_RUNTIME,)
        missing = [str(port) for port in needed if port not in declared]
        if missing and is_multi_host(group):
            yield Finding(
                place=group.containers[0].place.at("ports"),
                says=f"{listing(missing)} {'is' if len(missing) == 1 else 'are'} not declared.",
                remedy=f"Add {listing([f'{{containerPort: {port}}}' for port in missing])}.",
            )
