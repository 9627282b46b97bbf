"""Lookups by the program before it registers anything: an existing cluster, and secrets of Secret Manager.

The lookup of the component comes later and has no line to show. The stack makes none of the secrets. Their owner may
still do so before the pods start, so that such a finding is a warning.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_gcp as gcp

from components.manifests.kubeconfig import kubeconfig
from components.model.findings import Finding, Severity, did_you_mean
from components.model.plan.pods import SecretManagerMountPlan
from components.model.project import KEY, PROJECT
from components.model.stack_file.text import StackText
from components.model.stack_file.yaml_nodes import YamlTextError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from components.model.plan import Plan


NOT_FOUND: Final = "not found"
"""In what the provider of Google Cloud says of a resource that does not exist."""


def refusal(ask: Callable[[], object]) -> str:
    """The provider's words instead of an answer, in one line; empty where it answers."""
    try:
        ask()
    except Exception as error:
        if type(error) is not Exception:  # the SDK raises just this for an answer with an error (runtime/settings.py)
            raise
        return " ".join(str(error).split())
    return ""


_CLUSTER_EXISTS: Final = "existing-cluster-exists"
_CLUSTER_SOURCE: Final = "gcp.container.getCluster"


def missing_cluster(plan: Plan, folder: Path | None = None, *, parent: pulumi.Resource | None = None) -> Finding | None:
    """The fault of the existing cluster of a plan; None where it is there, or where the stack makes its own.

    The provider lists no clusters, so the names that may be meant are those of the stack files in `folder`, if there is
    one. The provider of `parent` is asked.
    """
    cluster = plan.cluster
    said = refusal(partial(_cluster, plan, parent)) if cluster.is_existing else ""
    if not said:
        return None
    known = [] if folder is None else list(dict.fromkeys(_named(folder)))
    is_missing = NOT_FOUND in said
    says = (
        f"{plan.project} has no cluster {cluster.name} in {cluster.location}"
        if is_missing
        else f"the provider cannot read it: {said}"
    )
    return Finding(
        place=cluster.place.at("existing", "name"),
        says=f"{says.rstrip('.')}.",
        remedy=f"{did_you_mean(cluster.name, [name for name in known if name != cluster.name])}"
        f"`gcloud container clusters list --project {plan.project}` lists them with their locations.",
        rule=_CLUSTER_EXISTS,
        source=_CLUSTER_SOURCE,
    )


def existing_kubeconfig(plan: Plan) -> str:
    """The kubeconfig of a plan's existing cluster, which `missing_cluster` has found."""
    cluster = plan.cluster
    found = _cluster(plan)
    return kubeconfig(cluster.name, found.endpoint, found.master_auths[0].cluster_ca_certificate)


def _cluster(plan: Plan, parent: pulumi.Resource | None = None) -> gcp.container.GetClusterResult:
    return gcp.container.get_cluster(
        name=plan.cluster.name,
        location=plan.cluster.location,
        project=plan.project,
        opts=pulumi.InvokeOptions(parent=parent),
    )


def _named(folder: Path) -> Iterator[str]:
    """The clusters that the stack files of a folder name."""
    for file in sorted(folder.glob("Pulumi.*.yaml")):
        try:
            text = StackText.parse(file.name, file.read_text(encoding="utf-8-sig", errors="replace"))
        except YamlTextError:
            continue
        for keys in (("name",), ("existing", "name")):
            for key in (f"{PROJECT}:{KEY}", KEY):
                name = text.value(("config", key, "cluster", *keys))
                if isinstance(name, str):
                    yield name


_RULE: Final = "project-secret-exists"
_SOURCE: Final = "gcp.secretmanager.getSecret"


def missing_secrets(plan: Plan) -> Iterator[Finding]:
    """A warning for each secret that does not exist, or that the provider cannot read."""
    mounts = [each for group in plan.pod_groups for each in group.pod.all_mounts]
    of_secret = {mount.secret: mount for mount in mounts if isinstance(mount, SecretManagerMountPlan)}
    for name, mount in of_secret.items():
        said = refusal(partial(gcp.secretmanager.get_secret, secret_id=name, project=plan.project))
        if said:
            is_missing = NOT_FOUND in said
            yield Finding(
                place=mount.place.at("secret_manager"),
                says=f"{plan.project} has no secret {name}; its pods wait with the event FailedMount."
                if is_missing
                else f"whether {plan.project} has the secret {name} is unknown: {said.rstrip('.')}.",
                remedy=f"Make it before the update: gcloud secrets create {name} --project {plan.project} "
                "--data-file FILE",
                severity=Severity.WARNING,
                rule=_RULE,
                source=_SOURCE,
            )
