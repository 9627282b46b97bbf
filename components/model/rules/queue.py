"""Rules about queues: what they refer to, what they cover, and how one comes to an end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import gke, kinds
from components.model.findings import Finding, Severity, about_key, listing, unlisted
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan
    from components.model.plan.queues import ResourcesPlan

FAMILY: Final = Family.QUOTA

_KUEUE: Final = 'Kueue documentation "ClusterQueue", read 2026-11'
_LABELS_OF_FLAVOR: Final = 8


@rule(
    summary="where work is queued, Kueue is installed",
    why="Nothing else knows queues: the API server refuses them, and work that names one would start at once.",
    source="components/manifests/kueue.py",
)
def _kueue_is_installed(plan: Plan) -> Iterator[Finding]:
    if plan.controllers.kueue is not None:
        return
    declared = {"queues": plan.queues, "cohorts": plan.cohorts, "admission_checks": plan.admission_checks}
    for section, parts in declared.items():
        if parts:
            yield about_key(
                place=plan.place.at(section),
                says="only Kueue knows them, and it is not installed.",
                remedy="Remove them, or take install: false away from controllers.kueue.",
            )
    for work in plan.queued:
        if work.queue is not None:
            yield about_key(
                place=work.place.at("queue"),
                says=f"nothing queues {work.name}: Kueue is not installed.",
                remedy="Remove the key, or take install: false away from controllers.kueue.",
            )


@rule(
    summary="queues hold quota of declared flavors",
    why="Kueue keeps a ClusterQueue inactive while one of its flavors does not exist.",
    source=_KUEUE,
    kinds=(kinds.CLUSTER_QUEUE, kinds.COHORT),
    needs=(kinds.RESOURCE_FLAVOR,),
)
def _queue_flavor_exists(plan: Plan) -> Iterator[Finding]:
    known = [flavor.name for flavor in (*plan.flavors, *plan.node_flavors)]
    names = set(known)
    for queue in plan.queues:
        for share in queue.shares:
            if share.name not in names:
                yield unlisted(share.place.at("name"), "flavor", share.name, known, "Flavors")


@rule(
    summary="quota of slices is stated in chips, and quota of other nodes in their resources",
    why="A quota of what the flavor's nodes do not have admits work that they can never take.",
    source="the chip ledger, components/model/plan/",
)
def _quota_fits_flavor(plan: Plan) -> Iterator[Finding]:
    slices, nodes = {each.name for each in plan.flavors}, {each.name for each in plan.node_flavors}
    for queue in plan.queues:
        for share in queue.flavors:
            if share.name in nodes - slices:
                yield Finding(
                    place=share.place.at("name"),
                    says=f"{share.name} counts ordinary resources, and none are stated.",
                    remedy='Add resources, such as {cpu: "10", memory: 10Gi}.',
                )
        for share in queue.resources:
            if share.name in slices - nodes:
                yield about_key(
                    place=share.place.at("resources"),
                    says=f"{share.name} counts slices, whose quota is stated in chips.",
                    remedy="Write chips in its place, or nothing to take what the pools hold.",
                )
            elif gke.RESOURCE_TPU in share.quotas:
                yield about_key(
                    place=share.place.at("resources", gke.RESOURCE_TPU),
                    says="chips are counted by flavors with a machine type and a topology.",
                    remedy="Declare such a flavor, and state chips of it.",
                )


@rule(
    summary="flavors of a queue that have a resource in common cover the same ones",
    why="Kueue takes all resources of such flavors from the same flavor, and refuses a queue where they differ.",
    source=_KUEUE,
)
def _resource_is_covered_once(plan: Plan) -> Iterator[Finding]:
    for queue in plan.queues:
        first: dict[str, ResourcesPlan] = {}
        for share in queue.resources:
            other = next((first[name] for name in share.quotas if name in first), share)
            for name in share.quotas:
                first.setdefault(name, share)
            if tuple(other.quotas) != tuple(share.quotas):
                yield Finding(
                    place=share.place.at("resources"),
                    says=f"{share.name} covers {listing(list(share.quotas))}, but {other.name}, which has some of "
                    f"them, covers {listing(list(other.quotas))}.",
                    remedy=f"State {listing(list({**other.quotas, **share.quotas}))} for both; 0 is an amount.",
                )


@rule(
    summary=f"a flavor has at most {_LABELS_OF_FLAVOR} labels",
    why="The API server refuses more.",
    source="Kueue API v1beta2, ResourceFlavorSpec.nodeLabels",
)
def _flavor_has_few_labels(plan: Plan) -> Iterator[Finding]:
    for flavor in (*plan.flavors, *plan.node_flavors):
        if len(flavor.labels) > _LABELS_OF_FLAVOR:
            yield Finding(
                place=flavor.place.at("labels"),
                says=f"{len(flavor.labels)} labels are more than the {_LABELS_OF_FLAVOR} that a flavor may have.",
                remedy="Keep those by which its nodes differ from others.",
            )


@rule(
    summary="the admission checks of queues are declared",
    why="Kueue keeps a ClusterQueue inactive while one of its checks does not exist.",
    source='Kueue documentation "Admission Check", read 2026-11',
    kinds=(kinds.CLUSTER_QUEUE,),
    needs=(kinds.ADMISSION_CHECK,),
)
def _admission_check_exists(plan: Plan) -> Iterator[Finding]:
    known = [check.name for check in plan.admission_checks]
    names = set(known)
    for queue in plan.queues:
        for share in queue.shares:
            for index, check in enumerate(share.admission_checks):
                if check not in names:
                    yield unlisted(
                        share.place.at("admission_checks", index), "admission check", check, known, "Admission checks"
                    )


@rule(
    summary="every admission check is asked by some queue",
    why="Work is admitted without the nodes that the check was to ask for.",
    source='Kueue documentation "Admission Check", read 2026-11',
    severity=Severity.WARNING,
    kinds=(kinds.ADMISSION_CHECK,),
    needs=(kinds.CLUSTER_QUEUE,),
)
def _admission_check_is_used(plan: Plan) -> Iterator[Finding]:
    used = {check for queue in plan.queues for share in queue.shares for check in share.admission_checks}
    for check in plan.admission_checks:
        if check.name not in used:
            yield Finding(
                place=check.place.at("name"),
                says=f"no queue asks {check.name}.",
                remedy=f"Name {check.name} in {check.place.display_name('admission_checks of a flavor of a queue')}.",
            )


@rule(
    summary="queues that hand out queued slices ask for their nodes",
    why="Nodes of queued pools come for ProvisioningRequests alone, which only an admission check makes.",
    source='GKE documentation "Provisioning requests", read 2026-11',
    kinds=(kinds.CLUSTER_QUEUE,),
    needs=(kinds.RESOURCE_FLAVOR, kinds.NODE_POOL),
)
def _queued_slices_are_asked_for(plan: Plan) -> Iterator[Finding]:
    waiting = {flavor.name for flavor in plan.flavors if flavor.is_queued}
    class_of = {check.name: check.class_name for check in plan.admission_checks}
    asking = [name for name, class_name in class_of.items() if class_name == gke.QUEUED_PROVISIONING_CLASS]
    for queue in plan.queues:
        for share in queue.flavors:
            if share.name not in waiting or not set(share.admission_checks).isdisjoint(asking):
                continue
            others = [name for name in share.admission_checks if name in class_of]
            if share.admission_checks and not others:
                continue  # none is declared; another rule says so
            asks = f"asks for none of class {gke.QUEUED_PROVISIONING_CLASS}" if others else "asks for none"
            yield about_key(
                place=share.place.at("admission_checks"),
                says=f"nodes of {share.name} are queued, and {queue.name} {asks}.",
                remedy=f"Name an admission check. Declared: {listing(asking)}; "
                f"{share.place.display_name('{name: nodes} makes one')}.",
            )


@rule(
    summary="a queue is drained before it is removed",
    why="Kueue keeps a ClusterQueue that is in use half deleted, and its work runs on outside of every quota.",
    source='Kueue documentation "ClusterQueue", StopPolicy, read 2026-11',
)
def _queue_is_drained(plan: Plan) -> Iterator[Finding]:
    kept = {queue.name for queue in plan.queues}
    for queue in plan.former_queues:
        if queue.name not in kept and not queue.is_drained:
            yield about_key(
                place=plan.place.at("queues"),
                says=f"{queue.name} would be removed, and it has not been drained.",
                remedy="Put it back with stop: drain and update; remove it with the update after that.",
            )
