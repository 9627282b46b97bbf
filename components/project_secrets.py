"""Secrets of Secret Manager that pods mount, looked up before anything is registered: whether they exist.

The stack makes none of them. Their owner may still do so before the pods start, so that a finding is a warning.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import pulumi_gcp as gcp

from components.lookups import NOT_FOUND, refusal
from components.model.findings import Finding, Severity
from components.model.plan.pods import SecretManagerMountPlan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.plan import Plan

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
