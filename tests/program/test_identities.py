"""Accounts, Secrets and Secret Manager as the program registers them."""

from __future__ import annotations

import base64
import json

from tests.program.harness import MISSING_SECRET, Run, run_program
from tests.stacks import GCP_PROJECT, PLATFORM_KEY, Stack, a_platform

_MEMBER = "serviceAccount:tpu-sandbox.svc.id.goog[default/trainer]"
_SECRET = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}
"""How the engine's protocol marks a secret."""
_MOUNT = {"secret_manager": "hf-token", "path": "/secrets"}


def _run(stack: Stack) -> Run:
    run = run_program(
        "test", {"gcp:project": GCP_PROJECT, PLATFORM_KEY: json.dumps(stack.platform)}, decrypted=[PLATFORM_KEY]
    )
    assert run.exit_code is None, run.log
    return run


def _trained(**keys: object) -> Stack:
    accounts = [{"name": "trainer", "roles": ["roles/bigquery.dataViewer", "projects/p/roles/mine"]}]
    stack = a_platform().set("workloads", 0, service_account="trainer", host_network=False, **keys)
    return stack.set(service_accounts=accounts)


def test_an_account_gets_its_roles_by_workload_identity_before_the_workload_is_submitted() -> None:
    run = _run(_trained())
    assert run.one("ServiceAccount", "default/trainer").inputs["metadata"] == {
        "name": "trainer",
        "namespace": "default",
    }
    grants = {each.name: each.inputs for each in run.of("IAMMember") if each.inputs["member"] == _MEMBER}
    assert {name: inputs["role"] for name, inputs in grants.items()} == {
        "default-trainer-bigquery.dataViewer": "roles/bigquery.dataViewer",
        "default-trainer-mine": "projects/p/roles/mine",
    }
    needed = run.one("JobSet", "default/train").options["dependencies"]
    assert any(each.endswith("IAMMember::default-trainer-mine") for each in needed)


def test_an_account_that_exists_is_not_made() -> None:
    run = _run(_trained().set("service_accounts", 0, existing=True))
    assert not list(run.of("ServiceAccount"))
    assert [each.name for each in run.of("IAMMember") if each.inputs["member"] == _MEMBER]


def test_a_secret_of_secret_manager_brings_the_add_on_and_the_right_to_read_it() -> None:
    run = _run(_trained(mounts=[_MOUNT]))
    assert run.one("Cluster", "ml").inputs["secretManagerConfig"] == {"enabled": True}
    member = run.one("SecretIamMember", "hf-token-default-trainer").inputs
    assert {key: member[key] for key in ("secretId", "project", "role", "member")} == {
        "secretId": "hf-token",
        "project": GCP_PROJECT,
        "role": "roles/secretmanager.secretAccessor",
        "member": _MEMBER,
    }
    spec = run.one("SecretProviderClass", "default/secret-manager-hf-token").inputs["spec"]
    assert spec["provider"] == "gke"
    assert "projects/tpu-sandbox/secrets/hf-token/versions/latest" in spec["parameters"]["secrets"]


def test_a_secret_that_only_pods_beside_slices_mount_brings_the_same() -> None:
    beside = {"name": "data", "image": "registry.example/data:1.0", "service_account": "trainer", "mounts": [_MOUNT]}
    run = _run(_trained(replicated_jobs=[beside]))
    assert run.one("Cluster", "ml").inputs["secretManagerConfig"] == {"enabled": True}
    assert run.one("SecretIamMember", "hf-token-default-trainer").inputs["member"] == _MEMBER
    assert run.one("SecretProviderClass", "default/secret-manager-hf-token")


def test_without_one_there_is_no_add_on() -> None:
    run = _run(_trained())
    assert "secretManagerConfig" not in run.one("Cluster", "ml").inputs


def test_values_of_secrets_are_secrets_of_the_engine() -> None:
    run = _run(a_platform().set(secrets=[{"name": "hf", "data": {"token": "hunter2"}}]))
    secret = run.one("Secret", "default/hf")
    value = base64.b64encode(b"hunter2").decode()
    assert secret.inputs["data"] == {"token": {**_SECRET, "value": value}}
    assert "hunter2" not in str(run.log)


def test_values_that_nobody_encrypted_are_refused_and_not_shown() -> None:
    platform = a_platform().set(secrets=[{"name": "hf", "data": {"token": "hunter2"}}]).platform
    run = run_program("test", {"gcp:project": GCP_PROJECT, PLATFORM_KEY: json.dumps(platform)})
    assert run.exit_code == 32
    assert "secrets[0].data.token: it is in clear" in str(run.log)
    assert "hunter2" not in str(run.log)


def test_a_secret_of_the_project_that_nobody_made_is_told_with_the_command_that_makes_it() -> None:
    mount = {"secret_manager": MISSING_SECRET, "path": "/other"}
    run = _run(_trained(mounts=[mount, _MOUNT]))
    said = str(run.log)
    assert f"workloads[0].mounts[0].secret_manager: warning: tpu-sandbox has no secret {MISSING_SECRET}; " in said
    assert f"gcloud secrets create {MISSING_SECRET} --project tpu-sandbox --data-file FILE" in said
    assert "has no secret hf-token" not in said
