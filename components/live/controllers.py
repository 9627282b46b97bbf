"""Whether the cluster has JobSet or Kueue already, where the stack is about to install them.

Helm finds out only half-way through an update: it refuses a release whose name is in use ("cannot re-use a name that is
still in use"), and objects of a chart that no release of that name owns ("invalid ownership metadata"). Two controllers
of one kind beside each other are worse: both act on every JobSet and Workload.

JobSet's CRD alone is not refused. It is in the chart's folder `crds/`: Helm leaves it in the cluster when the release
goes, and skips it when the release comes back. Kueue's CRDs are templates, which Helm takes over only from a release of
the same name. Source: Helm 3.21.4, pkg/action/install.go and validate.go; the charts of Kueue 0.19.2 and JobSet 0.12.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import entries, section
from components.live.check import Change, Check
from components.model.facts import versions
from components.model.findings import Finding, listing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.kubeapi import Document
    from components.live.cluster import LiveCluster
    from components.model.plan import Plan
    from components.model.plan.queues import ReleasePlan

_RULE: Final = "controllers-are-not-there-yet"
_SOURCE: Final = "Helm 3.21.4, pkg/action/install.go, availableName and existingResourceConflict"
_STORED: Final = "helm.sh/release.v1"
"""The type of the Secrets in which Helm stores releases."""
_DEPLOYED: Final = "deployed"
_MANAGED_BY: Final = "app.kubernetes.io/managed-by"
_OF_RELEASE: Final = "meta.helm.sh/release-name"
_OF_NAMESPACE: Final = "meta.helm.sh/release-namespace"
_SHOWN: Final = 3
"""How many names of CRDs a finding shows."""
_CONTROLLERS: Final[Mapping[str, versions.Controller]] = {each.name: each for each in (versions.JOBSET, versions.KUEUE)}


def _is_needed(change: Change) -> bool:
    return not change.is_adopting and bool(_missing(change))


def _missing(change: Change) -> list[ReleasePlan]:
    """The releases that the stack installs and that its state does not have."""
    controllers = change.plan.controllers
    had = {each.name for each in change.made if each.kind == "Release"}
    return [each for each in (controllers.jobset, controllers.kueue) if each is not None and each.name not in had]


def _findings(change: Change, cluster: LiveCluster) -> Iterator[Finding]:
    missing = _missing(change)
    deployments = cluster.items("apps/v1", "Deployment")
    for plan in missing:
        status = _status(cluster, plan)
        running = [each for each in deployments if _runs(each, plan)]
        if status is not None:
            yield _of_release(change.plan, plan, status)
        elif running:
            yield _of_deployment(change.plan, plan, running[0])
        else:
            foreign = list(_foreign_definitions(cluster, plan))
            if foreign:
                yield _of_definitions(change.plan, plan, foreign)


def _status(cluster: LiveCluster, plan: ReleasePlan) -> str | None:
    """Helm's record of the newest revision of the release, or None if there is no release of that name."""
    secrets = [each for each in cluster.items("v1", "Secret", plan.namespace) if each.get("type") == _STORED]
    labels = [section(each, "metadata", "labels") for each in secrets]
    revisions = [each for each in labels if each.get("name") == plan.name]
    newest = max(revisions, key=lambda each: int(each["version"]), default=None)
    return None if newest is None else str(newest["status"])


def _runs(deployment: Document, plan: ReleasePlan) -> bool:
    """Whether it is the controller: by its name in the project's manifests, or by its image from any registry."""
    containers = entries(deployment, "spec", "template", "spec", "containers")
    images = {str(each.get("image", "")).partition("@")[0].rpartition("/")[2].partition(":")[0] for each in containers}
    name = deployment["metadata"]["name"]
    return name.endswith(f"{plan.name}-controller-manager") or plan.image.rpartition("/")[2] in images


def _foreign_definitions(cluster: LiveCluster, plan: ReleasePlan) -> Iterator[str]:
    """Names of the controller's CRDs that Helm would create, and that it does not take over."""
    if not _CONTROLLERS[plan.name].has_templated_crds:
        return
    group = f"{plan.name}.x-k8s.io"
    for each in cluster.items("apiextensions.k8s.io/v1", "CustomResourceDefinition"):
        labels, annotations = (section(each, "metadata", key) for key in ("labels", "annotations"))
        owner = (labels.get(_MANAGED_BY), annotations.get(_OF_RELEASE), annotations.get(_OF_NAMESPACE))
        if section(each, "spec")["group"].endswith(group) and owner != ("Helm", plan.name, plan.namespace):
            yield each["metadata"]["name"]


def _of_release(plan: Plan, release: ReleasePlan, status: str) -> Finding:
    if status == _DEPLOYED:
        fact = "which is not in the state of this stack"
        remedy = (
            f"{_use_it(release)} To manage it with this stack, adopt it: docs/adoption.md. If this stack "
            "installed it and its first `pulumi up` failed later: `pulumi config set tpu-platform:adopting true`."
        )
    else:
        fact = f"whose status is {status}: an update is installing it now, or did not end"
        remedy = (
            "Wait for that update. If none runs, `make recover` or "
            f"`helm uninstall {release.name} --namespace {release.namespace}` removes what it left. {_use_it(release)}"
        )
    says = f"has the Helm release {release.name} in the namespace {release.namespace}, {fact}."
    return _finding(plan, release, says, remedy)


def _of_deployment(plan: Plan, release: ReleasePlan, deployment: Document) -> Finding:
    metadata = deployment["metadata"]
    annotations = section(metadata, "annotations")
    helm = f"of the Helm release {annotations[_OF_RELEASE]}" if _OF_RELEASE in annotations else "without a Helm release"
    says = (
        f"runs {_title(release)}: the Deployment {metadata['name']} in the namespace {metadata['namespace']}, {helm}."
    )
    remedy = (
        f"{_use_it(release)} The stack can adopt it only as the Helm release {release.name} in the namespace "
        f"{release.namespace}: docs/adoption.md."
    )
    return _finding(plan, release, says, remedy)


def _of_definitions(plan: Plan, release: ReleasePlan, names: list[str]) -> Finding:
    shown = [*names[:_SHOWN], *([f"{len(names) - _SHOWN} more"] if len(names) > _SHOWN else [])]
    says = (
        f"has {_title(release)}'s CRDs without its controller, and Helm does not take them over "
        f"({listing(shown)}: invalid ownership metadata)."
    )
    remedy = (
        "Delete them, which deletes every object of these kinds: `kubectl delete crd` and their names. To keep the "
        f"objects, give each CRD the label {_MANAGED_BY}=Helm and the annotations {_OF_RELEASE}={release.name} and "
        f"{_OF_NAMESPACE}={release.namespace}."
    )
    return _finding(plan, release, says, remedy)


def _use_it(release: ReleasePlan) -> str:
    return f"To use it as it is, set `controllers: {{{release.name}: {{install: false}}}}`."


def _title(release: ReleasePlan) -> str:
    return _CONTROLLERS[release.name].title


def _finding(plan: Plan, release: ReleasePlan, says: str, remedy: str) -> Finding:
    cluster = plan.cluster
    return Finding(
        place=cluster.place.at("existing") if cluster.is_existing else release.place,
        says=f"the stack installs {_title(release)}, but the cluster {cluster.name} {says}",
        remedy=remedy,
        is_about_key=True,
        rule=_RULE,
        source=_SOURCE,
    )


CHECK: Final = Check(
    subject="controllers that the stack would install a second time", is_needed=_is_needed, findings=_findings
)
