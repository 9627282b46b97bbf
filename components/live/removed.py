"""Removals that others notice: the objects of the state that the plan no longer has, and who needs them.

One table says what refers to each kind, and how. Who is the stack's own, or has ended, needs nothing. A namespace is
needed by everything in it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, cast

from msgspec import Struct

from components.kubeapi import Document, entries, section
from components.live.check import Change, Check
from components.manifests.namespace import DELETED
from components.model.facts import checkpointing, gke
from components.model.findings import Finding, Severity, listing
from components.model.places import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet

    from components.live.cluster import LiveCluster
    from components.live.state import Made
    from components.model.plan import Plan

    Identity = tuple[str, str, str]
    """Kind, namespace and name."""
    Kinds = Sequence[tuple[str, str]]
    """API group and kind of each."""

_RULE: Final = "removal-takes-nothing-of-others"
_SOURCE: Final = "components/live/removed.py"
_SHOWN: Final = 4
"""Objects that a finding names."""

_KUEUE: Final = "kueue.x-k8s.io"
_WORK: Final = (
    ("", "Pod"),
    ("apps", "DaemonSet"),
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
    ("batch", "CronJob"),
    ("batch", "Job"),
    ("jobset.x-k8s.io", "JobSet"),
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"),
    ("ray.io", "RayCluster"),
    ("ray.io", "RayJob"),
    ("ray.io", "RayService"),
)
"""Pods, and the kinds with templates of pods."""
_QUEUEING: Final = tuple(
    (_KUEUE, kind)
    for kind in (
        "Workload",
        "LocalQueue",
        "ClusterQueue",
        "Cohort",
        "ResourceFlavor",
        "Topology",
        "AdmissionCheck",
        "WorkloadPriorityClass",
    )
)
"""Kinds of Kueue that a person makes; the definition of each goes with the release."""


class Use(Struct, frozen=True, kw_only=True):
    """How others use a kind of object that the program registers."""

    of: Callable[[Plan], Iterable[Identity]]
    """The objects of the kind in the plan."""
    by: Kinds
    paths: Sequence[Sequence[str]] = ()
    """Keys, each inside the one before, under which a user of it has its name, at any depth; none: it needs no name."""
    loses: str
    """The loss to its users, as a sentence."""
    section: str = ""
    """Section of the stack file that declares it; by default the one of its component."""
    names: Callable[[Made], Iterable[str]] = lambda made: (made.name,)
    """The names by which others refer to it."""
    warns: Callable[[Change, Made], bool] = lambda _change, _made: False
    """Whether its users have lost it before, so that a warning is enough."""


def _outside(kind: str, names: Iterable[str]) -> set[Identity]:
    return {(kind, "", name) for name in names}


def _in(kind: str, *pairs: tuple[str, str]) -> set[Identity]:
    """Objects in namespaces, of pairs of namespace and name."""
    return {(kind, *pair) for pair in pairs}


def _release(name: str, is_installed: Callable[[Plan], object]) -> Callable[[Plan], set[Identity]]:
    return lambda plan: _outside("Release", [name] if is_installed(plan) is not None else [])


def _secrets(plan: Plan) -> set[Identity]:
    made = [(each.namespace, each.name) for each in plan.secrets]
    return _in("Secret", *made, *((each.namespace, each.secret) for each in plan.redises))


def _volumes(made: Made) -> Iterator[str]:
    """The storage behind a PersistentVolume, as other volumes name it."""
    spec = section(made.outputs, "spec")
    yield from (
        str(value) for value in (section(spec, "nfs").get("server"), section(spec, "csi").get("volumeHandle")) if value
    )


def _is_drained(change: Change, made: Made) -> bool:
    """Whether the queue behind a LocalQueue was drained before, so that its users have lost their quota already."""
    queue = section(made.outputs, "spec").get("clusterQueue")
    return any(each.name == queue and each.is_drained for each in change.plan.former_queues)


_USES: Final[Mapping[str, Use]] = {
    "LocalQueue": Use(
        of=lambda plan: _in(
            "LocalQueue", *((each.namespace, each.name) for one in plan.queues for each in one.local_queues)
        ),
        by=(*_WORK, (_KUEUE, "Workload")),
        paths=(("labels", gke.LABEL_QUEUE_NAME), ("spec", "queueName")),
        loses="They would wait until a LocalQueue of this name exists again.",
        section="queues",
        warns=_is_drained,
    ),
    "ClusterQueue": Use(
        of=lambda plan: _outside("ClusterQueue", (each.name for each in plan.queues)),
        by=((_KUEUE, "LocalQueue"), (_KUEUE, "Workload")),
        paths=(("spec", "clusterQueue"), ("admission", "clusterQueue")),
        loses="Kueue would keep the queue half deleted, and admit nothing of theirs.",
    ),
    "Cohort": Use(
        of=lambda plan: _outside("Cohort", (each.name for each in plan.cohorts)),
        by=((_KUEUE, "ClusterQueue"), (_KUEUE, "Cohort")),
        paths=(("spec", "cohortName"), ("spec", "cohort"), ("spec", "parentName"), ("spec", "parent")),
        loses="They would no longer borrow from its parent.",
        section="cohorts",
    ),
    "ResourceFlavor": Use(
        of=lambda plan: _outside("ResourceFlavor", (each.name for each in (*plan.flavors, *plan.node_flavors))),
        by=((_KUEUE, "ClusterQueue"), (_KUEUE, "Cohort")),
        paths=(("flavors", "name"),),
        loses="Kueue keeps a flavor until no queue names it: the update would not end.",
        section="flavors",
    ),
    "AdmissionCheck": Use(
        of=lambda plan: _outside("AdmissionCheck", (each.name for each in plan.admission_checks)),
        by=((_KUEUE, "ClusterQueue"),),
        paths=(("admissionChecks", "name"), ("admissionChecks",)),
        loses="Kueue stops a queue whose check does not exist.",
        section="admission_checks",
    ),
    "ProvisioningRequestConfig": Use(
        of=lambda plan: _outside("ProvisioningRequestConfig", (each.name for each in plan.admission_checks)),
        by=((_KUEUE, "AdmissionCheck"),),
        paths=(("parameters", "name"),),
        loses="Kueue stops the queues of a check without its configuration.",
        section="admission_checks",
    ),
    "PriorityClass": Use(
        of=lambda plan: _outside("PriorityClass", (each.name for each in plan.priorities)),
        by=_WORK,
        paths=(("priorityClassName",),),
        loses="The API server refuses their next pods: a restart, or another run.",
    ),
    "WorkloadPriorityClass": Use(
        of=lambda plan: _outside("WorkloadPriorityClass", (each.name for each in plan.priorities)),
        by=_WORK,
        paths=(("labels", gke.LABEL_WORKLOAD_PRIORITY),),
        loses="Kueue queues no job whose priority does not exist.",
    ),
    "PersistentVolume": Use(
        of=lambda plan: _outside("PersistentVolume", (each.volume for each in plan.claims)),
        by=(("", "PersistentVolume"), *_WORK),
        paths=(("nfs", "server"), ("csi", "volumeHandle")),
        names=_volumes,
        loses="The data behind it would be deleted.",
    ),
    "PersistentVolumeClaim": Use(
        of=lambda plan: _in("PersistentVolumeClaim", *((each.namespace, each.name) for each in plan.claims)),
        by=_WORK,
        paths=(("persistentVolumeClaim", "claimName"),),
        loses="Their next pods could not start, and Kubernetes keeps the claim until the last pod with it is gone.",
    ),
    "ServiceAccount": Use(
        of=lambda plan: _in(
            "ServiceAccount", *((each.namespace, each.name) for each in plan.service_accounts if not each.is_existing)
        ),
        by=_WORK,
        paths=(("serviceAccountName",),),
        loses="The API server refuses their next pods, and running ones lose their permissions.",
        section="service_accounts",
    ),
    "Secret": Use(
        of=_secrets,
        by=(*_WORK, ("", "ServiceAccount")),
        paths=(
            ("secretKeyRef", "name"),
            ("secretRef", "name"),
            ("secret", "secretName"),
            ("secret", "name"),
            ("imagePullSecrets", "name"),
        ),
        loses="Their next pods could not start.",
        section="secrets",
    ),
    "SecretProviderClass": Use(
        of=lambda plan: _in("SecretProviderClass", *((each.namespace, each.name) for each in plan.provider_classes)),
        by=_WORK,
        paths=(("volumeAttributes", "secretProviderClass"),),
        loses="Their next pods could not start.",
        section="workloads",
    ),
    "ComputeClass": Use(
        of=lambda plan: _outside("ComputeClass", (each.name for each in plan.compute_classes)),
        by=(*_WORK, (_KUEUE, "ResourceFlavor")),
        paths=(("nodeSelector", gke.LABEL_COMPUTE_CLASS), ("nodeLabels", gke.LABEL_COMPUTE_CLASS)),
        loses="GKE makes no more nodes for them.",
    ),
    "CheckpointConfiguration": Use(
        of=lambda plan: _outside(
            "CheckpointConfiguration", [] if plan.cluster.checkpoints is None else [plan.cluster.checkpoints.name]
        ),
        by=_WORK,
        paths=(("csi", "driver"),),
        names=lambda _: (checkpointing.DRIVER,),
        loses="Their checkpoints on the hosts would be lost, and their next pods could not start.",
        section="cluster",
    ),
    "Release kueue": Use(
        of=_release("kueue", lambda plan: plan.controllers.kueue),
        by=_QUEUEING,
        loses="The definitions of their kinds go with Kueue, so all of them would be deleted.",
    ),
    "Release jobset": Use(
        of=_release("jobset", lambda plan: plan.controllers.jobset),
        by=(("jobset.x-k8s.io", "JobSet"),),
        loses="Without JobSet nothing starts them, restarts them or notes their end.",
    ),
}
"""By kind; a Helm release with its name."""

_NOBODYS: Final = frozenset({"Event", "Endpoints", "EndpointSlice", "Lease", "ControllerRevision", "PodMetrics"})
"""Kinds that controllers write about other objects."""
_ENDED: Final = frozenset({"Complete", "Completed", "Failed", "Finished", "Succeeded"})
"""Conditions, phases and states in which a job or a pod has ended, over all kinds."""


def _removed(change: Change) -> list[Made]:
    """The objects that the state has and the plan does not, of the kinds that others use."""
    return [each for each in change.made if (use := _use_of(each)) and each.identity not in use.of(change.plan)]


def _use_of(made: Made) -> Use | None:
    return _USES.get(f"{made.kind} {made.name}" if made.kind == "Release" else made.kind)


def _deleted_namespaces(change: Change) -> list[Made]:
    """The namespaces of the state that the engine deletes; a program from before the outputs named them kept none."""
    planned = {each.name for each in change.plan.namespaces}
    may_be_kept = "namespaces" in change.before
    return [
        each
        for each in change.made
        if each.kind == "Namespace"
        and each.name not in planned
        and not (may_be_kept and DELETED not in section(each.outputs, "metadata", "annotations"))
    ]


def _findings(change: Change, cluster: LiveCluster) -> Iterator[Finding]:
    own = {each.identity for each in change.made}
    for each in _deleted_namespaces(change):
        yield from _of_namespace(each, own, cluster)
    removed, live = _removed(change), _Live(cluster)
    for each in removed:
        use = cast("Use", _use_of(each))
        kept = [
            one for one in change.made if _use_of(one) is use and one.namespace == each.namespace and one not in removed
        ]
        names = set(use.names(each)).difference(*(use.names(one) for one in kept))
        users = live.users(each, use, names) - own
        if users:
            yield _in_use(change, each, use, users)


def _of_namespace(namespace: Made, own: AbstractSet[Identity], cluster: LiveCluster) -> Iterator[Finding]:
    found = {
        _identity(each)
        for each in cluster.inside(namespace.name)
        if each["kind"] not in _NOBODYS
        and (each["kind"], each["metadata"]["name"]) not in gke.IN_EVERY_NAMESPACE
        and _controller(each) is None
    } - own
    if found:
        yield _finding(
            Place().at("namespaces"),
            f"the namespace {namespace.name} would be deleted with what the stack did not make: {_shown(found)}.",
            "Delete that first. To keep it, name the namespace once more, without delete: true, and update.",
        )


def _in_use(change: Change, made: Made, use: Use, users: Collection[Identity]) -> Finding:
    what = f"the release {made.name}" if made.kind == "Release" else f"{made.kind} {_called(made.namespace, made.name)}"
    severity = Severity.WARNING if use.warns(change, made) else Severity.ERROR
    return _finding(
        _place(change.plan, made, use),
        f"{what} would be removed, and others use it: {_shown(users)}. {use.loses}",
        "Keep it until they have ended, or use something else.",
        severity,
    )


def _place(plan: Plan, made: Made, use: Use) -> Place:
    """Where the stack file had it: in its queue, if that is still there, or in its section."""
    queue = section(made.outputs, "spec").get("clusterQueue")
    kept = [each for each in plan.queues if made.kind == "LocalQueue" and each.name == queue]
    return kept[0].place.at("local_queues") if kept else Place().at(use.section or made.section)


def _finding(place: Place, says: str, remedy: str, severity: Severity = Severity.ERROR) -> Finding:
    return Finding(
        place=place, says=says, remedy=remedy, severity=severity, is_about_key=True, rule=_RULE, source=_SOURCE
    )


class _Live:
    """The objects of the cluster that may use others, each kind read once."""

    def __init__(self, cluster: LiveCluster) -> None:
        self._cluster = cluster
        self._read: dict[tuple[str, str], list[Document]] = {}

    def users(self, made: Made, use: Use, names: Collection[str]) -> set[Identity]:
        """Who names one of the names and has not ended, each as what owns it in the end."""
        documents = [each for kind in use.by for each in self._of(*kind)]
        owners = {each["metadata"]["uid"]: each for kind in _WORK for each in self._read.get(kind, ())}
        return {
            _owner(each, owners)
            for each in documents
            if (not made.namespace or _namespace(each) == made.namespace)
            and not _has_ended(each)
            and (not use.paths or any(name in names for path in use.paths for name in _named(each, path)))
        }

    def _of(self, group: str, kind: str) -> list[Document]:
        if (group, kind) not in self._read:
            self._read[group, kind] = self._cluster.of_kind(group, kind)
        return self._read[group, kind]


def _named(part: object, path: Sequence[str]) -> Iterator[str]:
    """The texts at the end of a path of keys that begins at any depth."""
    if isinstance(part, list):
        for each in cast("list[object]", part):
            yield from _named(each, path)
    elif isinstance(part, dict):
        mapping = cast("dict[str, object]", part)
        yield from _at(mapping, path)
        for each in mapping.values():
            yield from _named(each, path)


def _at(part: object, path: Sequence[str]) -> Iterator[str]:
    """The texts at the end of a path that begins here; each item of a list goes on with it."""
    if isinstance(part, list):
        for each in cast("list[object]", part):
            yield from _at(each, path)
    elif not path:
        yield from [part] if isinstance(part, str) else []
    elif isinstance(part, dict):
        yield from _at(cast("dict[str, object]", part).get(path[0]), path[1:])


def _has_ended(document: Document) -> bool:
    status = section(document, "status")
    states = (status.get("phase"), status.get("jobDeploymentStatus"))
    ended = [each.get("type") in _ENDED and each.get("status") == "True" for each in entries(status, "conditions")]
    return any(state in _ENDED for state in states) or any(ended)


def _owner(document: Document, known: Mapping[str, Document]) -> Identity:
    """The owner of an object in the end: what controls it, what controls that, and so on."""
    while (owner := _controller(document)) is not None:
        if owner["uid"] not in known:
            return owner["kind"], _namespace(document), owner["name"]
        document = known[owner["uid"]]
    return _identity(document)


def _controller(document: Document) -> Document | None:
    return next((each for each in entries(document, "metadata", "ownerReferences") if each.get("controller")), None)


def _identity(document: Document) -> Identity:
    return document["kind"], _namespace(document), document["metadata"]["name"]


def _namespace(document: Document) -> str:
    return document["metadata"].get("namespace", "")


def _called(namespace: str, name: str) -> str:
    return f"{namespace}/{name}" if namespace else name


def _shown(found: Collection[Identity]) -> str:
    """A few of the objects by kind and name, and how many more of each kind there are."""
    ordered = sorted(found)
    words = [f"{kind} {_called(namespace, name)}" for kind, namespace, name in ordered[:_SHOWN]]
    more = Counter(kind for kind, _, _ in ordered[_SHOWN:])
    return listing([*words, *(f"{number} more of kind {kind}" for kind, number in more.items())])


CHECK: Final = Check(
    subject="objects and users of others, which the update may take along",
    is_needed=lambda change: bool(_removed(change) or _deleted_namespaces(change)),
    findings=_findings,
)
