"""The program of the shared state: what is protected, and that nobody may do more than the workflows need."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import pytest

from components.model.facts import gke
from tests.program.harness import Run, run_program
from tests.stacks import PROJECT
from tests.tracked import ROOT, tracked

PROGRAM: Final = ROOT / "examples" / "bootstrap" / "__main__.py"
CONFIG: Final = {
    "gcp:project": "octo-state",
    "project:bucket": "octo-states",
    "project:location": "us-south1",
    "project:repository": "octo/platform",
    "project:repository_id": "4711",
    "project:environments": json.dumps({"dev": "octo-dev", "prod": "octo-prod"}),
    "project:labels": json.dumps({"environment": "shared"}),
}
"""`project:` stands for the name that the harness gives every project."""


def run(**changed: str) -> Run:
    stated = {**CONFIG, **{f"project:{name}": value for name, value in changed.items()}}
    named = {
        key.replace("project:", f"{PROJECT}:") if key.startswith("project:") else key: stated[key] for key in stated
    }
    return run_program("state", named, program=PROGRAM)


@pytest.fixture(scope="module")
def made() -> Run:
    return run()


def account(member: str) -> str:
    """Of a grant's member."""
    return member.removeprefix("serviceAccount:").removesuffix("@octo-state.iam.gserviceaccount.com")


def granted(made: Run, kind: str) -> list[dict[str, Any]]:
    """Grants of a kind, with the account's name for its member."""
    found = [each.inputs for each in made.resources if each.type == kind]
    return [{**each, "member": account(each["member"])} for each in found]


PROJECT_GRANT: Final = "gcp:projects/iAMMember:IAMMember"
BUCKET_GRANT: Final = "gcp:storage/bucketIAMMember:BucketIAMMember"
PER_STACK: Final = ("history", "backups", "locks/organization")
"""Folders with one of its own for each stack, whose name ends with the slash: dev is not dev-2."""
KEY_GRANT: Final = "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember"


def test_nothing_deletes_the_states_or_their_key(made: Run) -> None:
    for kind in ("Bucket", "KeyRing", "CryptoKey"):
        assert made.one(kind, "states").options["protect"] is True
    assert made.one("Bucket", "states").inputs["forceDestroy"] is False


def test_the_bucket_keeps_old_states_and_is_for_nobody_else(made: Run) -> None:
    bucket = made.one("Bucket", "states").inputs
    assert bucket["versioning"] == {"enabled": True}
    assert bucket["uniformBucketLevelAccess"] is True
    assert bucket["publicAccessPrevention"] == "enforced"
    [rule] = bucket["lifecycleRules"]
    assert rule["action"] == {"type": "Delete"}
    assert rule["condition"] == {"numNewerVersions": 50, "daysSinceNoncurrentTime": 90, "withState": "ARCHIVED"}


def test_the_key_is_rotated(made: Run) -> None:
    key = made.one("CryptoKey", "states").inputs
    assert (key["rotationPeriod"], key["destroyScheduledDuration"]) == ("7776000s", "2592000s")


def test_what_costs_something_has_the_labels(made: Run) -> None:
    for kind in ("Bucket", "CryptoKey"):
        assert made.one(kind, "states").inputs["labels"] == {"environment": "shared"}


def test_only_this_repository_is_let_in(made: Run) -> None:
    provider = made.one("WorkloadIdentityPoolProvider", "github").inputs
    assert provider["attributeCondition"] == 'assertion.repository_id == "4711"'
    assert provider["oidc"] == {"issuerUri": "https://token.actions.githubusercontent.com"}
    assert provider["attributeMapping"]["google.subject"] == "assertion.sub"


def test_who_may_act_as_which_account(made: Run) -> None:
    pool = "principal://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/github/subject/"
    grants = granted(made, "gcp:serviceaccount/iAMMember:IAMMember")
    assert {each["role"] for each in grants} == {"roles/iam.workloadIdentityUser"}
    allowed = {
        (account(each["serviceAccountId"].rpartition("/")[2]), each["member"].removeprefix(pool)) for each in grants
    }
    assert allowed == {
        ("preview", "repo:octo/platform:pull_request"),
        ("preview", "repo:octo/platform:ref:refs/heads/main"),
        ("deploy-dev", "repo:octo/platform:environment:dev"),
        ("deploy-prod", "repo:octo/platform:environment:prod"),
    }


def test_who_previews_may_change_nothing(made: Run) -> None:
    found = {
        each["role"]
        for kind in (PROJECT_GRANT, BUCKET_GRANT, KEY_GRANT)
        for each in granted(made, kind)
        if each["member"] == "preview"
    }
    assert {"roles/container.viewer", "roles/storage.objectViewer", "roles/cloudkms.cryptoKeyDecrypter"} < found
    assert [role for role in found if not role.endswith(("iewer", "KeyDecrypter"))] == []


DEPLOYS: Final = {
    "compute.networkAdmin",
    "compute.securityAdmin",
    "container.admin",
    "file.editor",
    "iam.serviceAccountAdmin",
    "iam.serviceAccountUser",
    "resourcemanager.projectIamAdmin",
    "serviceusage.serviceUsageAdmin",
    "storage.admin",
}
"""Typed by hand, so that no role more is granted unseen."""


def test_who_deploys_may_do_so_in_one_project_and_grants_no_other_role_than_those_of_nodes(made: Run) -> None:
    grants = granted(made, PROJECT_GRANT)
    assert {each["project"] for each in grants if each["member"] == "deploy-dev"} == {"octo-dev"}
    assert {each["role"].removeprefix("roles/") for each in grants if each["member"] == "deploy-dev"} == DEPLOYS
    of_grants = [each for each in grants if each["role"] == "roles/resourcemanager.projectIamAdmin"]
    assert sorted(each["member"] for each in of_grants) == ["deploy-dev", "deploy-prod"]
    for each in of_grants:
        condition = each["condition"]["expression"]
        assert re.findall(r"'(roles/[^']+)'", condition) == list(gke.NODE_ROLES)
        assert "hasOnly" in condition


def test_the_state_of_an_environment_is_written_by_its_own_account_alone(made: Run) -> None:
    grants = granted(made, BUCKET_GRANT)
    writers = {each["member"]: each for each in grants if each["role"] != "roles/storage.objectViewer"}
    assert sorted(writers) == ["deploy-dev", "deploy-prod"]
    for name in ("dev", "prod"):
        grant = writers[f"deploy-{name}"]
        assert grant["role"] == "roles/storage.objectUser"
        own = [f"stacks/tpu-platform/{name}.json", *(f"{each}/tpu-platform/{name}/" for each in PER_STACK)]
        begins = "resource.name.startsWith('projects/_/buckets/octo-states/objects/.pulumi/{}')"
        assert grant["condition"]["expression"].split(" || ") == [begins.format(each) for each in own]


def test_secrets_are_encrypted_by_who_deploys_and_read_by_who_previews(made: Run) -> None:
    assert {(each["member"], each["role"].rpartition(".")[2]) for each in granted(made, KEY_GRANT)} == {
        ("preview", "cryptoKeyDecrypter"),
        ("deploy-dev", "cryptoKeyEncrypterDecrypter"),
        ("deploy-prod", "cryptoKeyEncrypterDecrypter"),
    }


def test_no_api_is_switched_off_with_the_stack(made: Run) -> None:
    assert {each.inputs["disableOnDestroy"] for each in made.of("Service")} == {False}


def test_the_outputs_are_the_variables_that_the_workflows_read(made: Run) -> None:
    texts = [path.read_text() for path in tracked(".github/workflows/*.yml")]
    read = {name for text in texts for name in re.findall(r"vars\.(\w+)", text)}
    assert read == set(made.outputs) - {"secrets_provider"}
    assert made.outputs["DEPLOY_SERVICE_ACCOUNT"]["prod"] == "deploy-prod@octo-state.iam.gserviceaccount.com"
    assert made.outputs["PULUMI_BACKEND_URL"] == "gs://octo-states"
    assert made.outputs["secrets_provider"].startswith("gcpkms://")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"repository": "platform"}, "repository: 'platform' is not owner/name."),
        ({"repository_id": '1" || true'}, "is not a number"),
        ({"environments": "{}"}, "name at least one"),
        ({"environments": '{"Dev": "x"}'}, "'Dev' must be lower-case"),
    ],
)
def test_settings_that_would_let_in_others_are_refused_before_anything_is_made(
    changed: dict[str, str], said: str
) -> None:
    refused = run(**changed)
    assert refused.exit_code == 32
    assert refused.resources == []
    assert [said in text for level, text in refused.log if level == "error"] == [True]
