"""What an update removes and others use: who is named, who is not, and where it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import pytest

from components.live.check import Change
from components.live.removed import CHECK
from components.live.state import made
from components.manifests.namespace import DELETED
from components.model.facts import checkpointing, gke
from components.model.findings import Finding, Severity
from tests.program.harness import run_committed
from tests.stacks import Stack, a_platform, committed_plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.kubeapi import Document
    from components.live.cluster import LiveCluster

_KUEUE: Final = "kueue.x-k8s.io/v1beta2"
_TEAM: Final = "team"
_SHARE: Final = "10.8.1.2"


@dataclass
class _Cluster:
    """Doubles the running cluster: the documents that a test writes."""

    documents: list[Document]

    def of_kind(self, group: str, kind: str, namespace: str | None = None) -> list[Document]:
        """The documents of a kind."""
        del namespace
        return [each for each in self.documents if each["kind"] == kind and _group(each) == group]

    def inside(self, namespace: str) -> Iterator[Document]:
        """The documents in a namespace."""
        yield from (each for each in self.documents if each["metadata"].get("namespace") == namespace)


def _group(document: Document) -> str:
    return document["apiVersion"].rpartition("/")[0]


def _object(api_version: str, kind: str, name: str, namespace: str = _TEAM, **parts: object) -> Document:
    metadata: Document = {"name": name, "uid": f"{kind}-{name}", "namespace": namespace}
    if not namespace:
        del metadata["namespace"]
    document: Document = {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}
    document["metadata"].update(document.pop("more", {}))
    return document


def _pod(name: str = "theirs", **spec: object) -> Document:
    return _object("v1", "Pod", name, spec=spec)


def _job(name: str = "theirs", **spec: object) -> Document:
    return _object("batch/v1", "Job", name, spec={"template": {"spec": spec}})


def _labelled(label: str, value: str) -> Document:
    return _object("batch/v1", "Job", "theirs", more={"labels": {label: value}})


def _queueing(kind: str, **spec: object) -> Document:
    return _object(_KUEUE, kind, "theirs", "", spec=spec)


def _urn(type_: str, name: str, component: str = "queues:Queues") -> str:
    return f"urn:pulumi:test::p::tpu-platform:platform:Platform$tpu-platform:{component}${type_}::{name}"


def _state(*documents: Document, component: str = "queues:Queues") -> dict[str, dict[str, object]]:
    """Objects of the stack as the engine answers for its state."""
    found: dict[str, dict[str, object]] = {}
    for each in documents:
        version = each["apiVersion"] if "/" in each["apiVersion"] else f"core/{each['apiVersion']}"
        type_ = f"kubernetes:{version}:{each['kind']}"
        found[_urn(type_, each["metadata"]["name"], component)] = {"type": type_, "outputs": each}
    return found


def _release(name: str) -> dict[str, dict[str, object]]:
    type_ = "kubernetes:helm.sh/v3:Release"
    return {_urn(type_, name, "controllers:Controllers"): {"type": type_, "outputs": {"name": name}}}


def _found(
    state: Mapping[str, Mapping[str, object]],
    *live: Document,
    stack: Stack | None = None,
    before: Mapping[str, object] | None = None,
) -> list[Finding]:
    """What the check says of a stack, by default the small platform, after a state, in a cluster with these objects."""
    known = dict[str, object](namespaces=[]) if before is None else before
    plan = Stack((stack or a_platform()).platform, dict(known)).plan()
    change = Change(plan=plan, before=known, made=tuple(made(state)))
    if not CHECK.is_needed(change):
        return []
    return list(CHECK.findings(change, cast("LiveCluster", _Cluster(list(live)))))


_USED: Final[dict[str, tuple[Document | str, Document, str]]] = {
    "a LocalQueue, by a label": (
        _object(_KUEUE, "LocalQueue", "gone", spec={"clusterQueue": "research"}),
        _labelled(gke.LABEL_QUEUE_NAME, "gone"),
        "LocalQueue team/gone would be removed, and others use it: Job team/theirs.",
    ),
    "a ClusterQueue, by a LocalQueue": (
        _object(_KUEUE, "ClusterQueue", "gone", ""),
        _object(_KUEUE, "LocalQueue", "theirs", spec={"clusterQueue": "gone"}),
        "ClusterQueue gone would be removed, and others use it: LocalQueue team/theirs.",
    ),
    "a Cohort, by a queue": (
        _object(_KUEUE, "Cohort", "gone", ""),
        _queueing("ClusterQueue", cohortName="gone"),
        "Cohort gone would be removed, and others use it: ClusterQueue theirs.",
    ),
    "a flavor, by a queue": (
        _object(_KUEUE, "ResourceFlavor", "gone", ""),
        _queueing("ClusterQueue", resourceGroups=[{"flavors": [{"name": "gone"}]}]),
        "ResourceFlavor gone would be removed, and others use it: ClusterQueue theirs.",
    ),
    "an admission check, by a queue": (
        _object(_KUEUE, "AdmissionCheck", "gone", ""),
        _queueing("ClusterQueue", admissionChecksStrategy={"admissionChecks": [{"name": "gone"}]}),
        "AdmissionCheck gone would be removed, and others use it: ClusterQueue theirs.",
    ),
    "the configuration of a check, by a check": (
        _object(_KUEUE, "ProvisioningRequestConfig", "gone", ""),
        _queueing("AdmissionCheck", parameters={"name": "gone"}),
        "ProvisioningRequestConfig gone would be removed, and others use it: AdmissionCheck theirs.",
    ),
    "a PriorityClass, by a template": (
        _object("scheduling.k8s.io/v1", "PriorityClass", "gone", ""),
        _job(priorityClassName="gone"),
        "PriorityClass gone would be removed, and others use it: Job team/theirs.",
    ),
    "a WorkloadPriorityClass, by a label": (
        _object(_KUEUE, "WorkloadPriorityClass", "gone", ""),
        _labelled(gke.LABEL_WORKLOAD_PRIORITY, "gone"),
        "WorkloadPriorityClass gone would be removed, and others use it: Job team/theirs.",
    ),
    "a volume, by another volume of its share": (
        _object("v1", "PersistentVolume", "gone", "", spec={"nfs": {"server": _SHARE}}),
        _object("v1", "PersistentVolume", "theirs", "", spec={"nfs": {"server": _SHARE, "path": "/data"}}),
        "PersistentVolume gone would be removed, and others use it: PersistentVolume theirs.",
    ),
    "a claim, by a pod": (
        _object("v1", "PersistentVolumeClaim", "gone"),
        _pod(volumes=[{"persistentVolumeClaim": {"claimName": "gone"}}]),
        "PersistentVolumeClaim team/gone would be removed, and others use it: Pod team/theirs.",
    ),
    "an account, by a template": (
        _object("v1", "ServiceAccount", "gone"),
        _job(serviceAccountName="gone"),
        "ServiceAccount team/gone would be removed, and others use it: Job team/theirs.",
    ),
    "a secret, by a variable": (
        _object("v1", "Secret", "gone"),
        _job(containers=[{"env": [{"valueFrom": {"secretKeyRef": {"name": "gone"}}}]}]),
        "Secret team/gone would be removed, and others use it: Job team/theirs.",
    ),
    "a secret, by an account": (
        _object("v1", "Secret", "gone"),
        _object("v1", "ServiceAccount", "theirs", imagePullSecrets=[{"name": "gone"}]),
        "Secret team/gone would be removed, and others use it: ServiceAccount team/theirs.",
    ),
    "a SecretProviderClass, by a volume": (
        _object("secrets-store.csi.x-k8s.io/v1", "SecretProviderClass", "gone"),
        _job(volumes=[{"csi": {"volumeAttributes": {"secretProviderClass": "gone"}}}]),
        "SecretProviderClass team/gone would be removed, and others use it: Job team/theirs.",
    ),
    "a ComputeClass, by a selector": (
        _object("cloud.google.com/v1", "ComputeClass", "gone", ""),
        _job(nodeSelector={gke.LABEL_COMPUTE_CLASS: "gone"}),
        "ComputeClass gone would be removed, and others use it: Job team/theirs.",
    ),
    "the configuration of checkpoints, by a volume": (
        _object("checkpointing.gke.io/v1", "CheckpointConfiguration", "gone", ""),
        _job(volumes=[{"csi": {"driver": checkpointing.DRIVER}}]),
        "CheckpointConfiguration gone would be removed, and others use it: Job team/theirs.",
    ),
    "Kueue, by a Workload": (
        "kueue",
        _object(_KUEUE, "Workload", "theirs"),
        "the release kueue would be removed, and others use it: Workload team/theirs.",
    ),
    "JobSet, by a JobSet": (
        "jobset",
        _object("jobset.x-k8s.io/v1alpha2", "JobSet", "theirs"),
        "the release jobset would be removed, and others use it: JobSet team/theirs.",
    ),
}
"""An object of the stack that the small platform does not have, or the name of a release; who uses it; what is said."""
_INSTALLED: Final = a_platform().set(controllers={"kueue": {"install": False}, "jobset": {"install": False}})


@pytest.mark.parametrize("case", _USED)
def test_what_others_use_is_not_removed(case: str) -> None:
    removed, user, says = _USED[case]
    state = _release(removed) if isinstance(removed, str) else _state(removed)
    (finding,) = _found(state, user, stack=_INSTALLED)
    assert finding.severity is Severity.ERROR
    assert finding.says.startswith(says)
    assert _found({**state, **_state(user)}, user, stack=_INSTALLED) == []


def _claim() -> Document:
    return _object("v1", "PersistentVolumeClaim", "gone")


def _mounting(**parts: Any) -> Document:  # noqa: ANN401  parts of a document
    return _object("v1", "Pod", "theirs", spec={"volumes": [{"persistentVolumeClaim": {"claimName": "gone"}}]}, **parts)


def _owned_by(kind: str, name: str) -> dict[str, object]:
    return {"ownerReferences": [{"kind": kind, "name": name, "uid": f"{kind}-{name}", "controller": True}]}


def test_who_has_ended_uses_nothing() -> None:
    state = _state(_claim())
    ended: list[dict[str, Any]] = [
        {"phase": "Succeeded"},
        {"conditions": [{"type": "Complete", "status": "True"}]},
        {"jobDeploymentStatus": "Complete"},
    ]
    assert [_found(state, _mounting(status=each)) for each in ended] == [[], [], []]
    assert len(_found(state, _mounting(status={"conditions": [{"type": "Complete", "status": "False"}]}))) == 1


def test_a_pod_of_another_namespace_uses_another_claim() -> None:
    assert _found(_state(_claim()), _mounting(more={"namespace": "other"})) == []


def test_what_owns_a_pod_in_the_end_is_named() -> None:
    job = _object("batch/v1", "Job", "inner", more=_owned_by("JobSet", "train"))
    pod = _mounting(more=_owned_by("Job", "inner"))
    jobset = _object("jobset.x-k8s.io/v1alpha2", "JobSet", "train")
    (finding,) = _found(_state(_claim()), pod, job, jobset)
    assert "others use it: JobSet team/train." in finding.says
    (unknown,) = _found(_state(_claim()), _mounting(more=_owned_by("PyTorchJob", "tune")))
    assert "others use it: PyTorchJob team/tune." in unknown.says
    assert _found(_state(_claim(), jobset), pod, job, jobset) == []


def test_a_few_are_named_and_the_others_counted() -> None:
    pods = [_pod(f"p{number}", serviceAccountName="gone") for number in range(6)]
    (finding,) = _found(_state(_object("v1", "ServiceAccount", "gone")), *pods)
    assert "Pod team/p0, Pod team/p1, Pod team/p2, Pod team/p3 and 2 more of kind Pod." in finding.says


def test_a_share_that_another_volume_of_the_stack_keeps_stays() -> None:
    share = {"name": "data", "tier": "ZONAL", "location": "us-west4-a", "share": "data", "capacity_gib": 1024}
    stack = a_platform().set(shared_storage=[{**share, "claims": [{"name": "data"}]}])
    (kept,) = stack.plan().claims
    theirs = _object("v1", "PersistentVolume", "theirs", "", spec={"nfs": {"server": _SHARE}})
    volumes = [
        _object("v1", "PersistentVolume", name, "", spec={"nfs": {"server": _SHARE}}) for name in ("gone", kept.volume)
    ]
    assert _found(_state(*volumes), theirs, stack=stack) == []


def test_a_claim_of_the_same_name_that_stays_in_another_namespace_changes_nothing() -> None:
    share = {"name": "data", "tier": "ZONAL", "location": "us-west4-a", "share": "data", "capacity_gib": 1024}
    stack = a_platform().set(shared_storage=[{**share, "claims": [{"name": "gone", "namespace": "other"}]}])
    kept = _object("v1", "PersistentVolumeClaim", "gone", "other")
    state = {**_state(_claim()), **_state(kept, component="shared_storage:SharedStorage")}
    (finding,) = _found(state, _mounting(), stack=stack)
    assert "PersistentVolumeClaim team/gone would be removed" in finding.says


def test_a_local_queue_is_shown_in_its_queue_or_warned_of_when_that_was_drained() -> None:
    queue = _object(_KUEUE, "LocalQueue", "gone", spec={"clusterQueue": "research"})
    (here,) = _found(_state(queue), _labelled(gke.LABEL_QUEUE_NAME, "gone"))
    assert (str(here.place), here.is_about_key) == ("queues[0].local_queues", True)
    other = _object(_KUEUE, "LocalQueue", "gone", spec={"clusterQueue": "other"})
    before = {"namespaces": [], "queues": [{"name": "other", "stop": "drain"}]}
    (drained,) = _found(_state(other), _labelled(gke.LABEL_QUEUE_NAME, "gone"), before=before)
    assert (str(drained.place), drained.severity) == ("queues", Severity.WARNING)


def test_a_claim_is_shown_in_the_section_of_its_storage() -> None:
    (finding,) = _found(_state(_claim(), component="lustre:Lustre"), _mounting())
    assert str(finding.place) == "lustre"


# --- namespaces


def _namespace(*, may_be_deleted: bool) -> Document:
    annotations = {DELETED: "with-the-declaration"} if may_be_deleted else {}
    return _object("v1", "Namespace", _TEAM, "", more={"annotations": annotations})


_THEIRS: Final = _object("v1", "ConfigMap", "notes")


def test_a_namespace_is_not_deleted_with_what_others_have_in_it() -> None:
    ours = _object("v1", "Secret", "ours")
    others = [
        ours,
        _THEIRS,
        _object("v1", "ConfigMap", "kube-root-ca.crt"),
        _object("v1", "ServiceAccount", "default"),
        _object("v1", "ResourceQuota", "gke-resource-quotas"),
        _object("v1", "Event", "it-happened"),
        _object("v1", "Pod", "of-a-job", more=_owned_by("Job", "mine")),
    ]
    state = {**_state(_namespace(may_be_deleted=True), component="namespaces:Namespaces"), **_state(ours)}
    (finding,) = [each for each in _found(state, *others) if "namespace" in each.says]
    assert finding.says == "the namespace team would be deleted with what the stack did not make: ConfigMap team/notes."
    assert str(finding.place) == "namespaces"
    assert _found(state, *[each for each in others if each is not _THEIRS]) == []


def test_a_namespace_that_the_engine_keeps_needs_no_question() -> None:
    state = _state(_namespace(may_be_deleted=False), component="namespaces:Namespaces")
    assert _found(state, _THEIRS) == []


def test_a_namespace_of_an_older_program_is_looked_at() -> None:
    """Its outputs do not name the namespaces, and its state lets the engine delete each."""
    state = _state(_namespace(may_be_deleted=False), component="namespaces:Namespaces")
    (finding,) = _found(state, _THEIRS, before={"queues": []})
    assert "ConfigMap team/notes" in finding.says


def test_a_declared_namespace_is_not_deleted() -> None:
    state = _state(_namespace(may_be_deleted=True), component="namespaces:Namespaces")
    assert _found(state, _THEIRS, stack=a_platform().set(namespaces=[{"name": _TEAM, "delete": True}])) == []


# --- the plan and the state


@pytest.mark.parametrize("stack", ["dev", "batch-ml", "hotswap-both", "training", "flex-start-autopilot"])
def test_nothing_is_removed_by_an_update_that_changes_nothing(stack: str) -> None:
    """Every object that the program registers is one of the plan, by kind, namespace and name."""
    state = {
        _urn(each.type, each.name, each.parent.partition("::")[0].removeprefix("tpu-platform:")): {
            "type": each.type,
            "outputs": each.inputs,
        }
        for each in run_committed(stack).resources
    }
    found = tuple(made(state))
    assert found
    change = Change(plan=committed_plan(stack), before={}, made=found)
    assert not CHECK.is_needed(change)
