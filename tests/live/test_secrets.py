"""Whether the Secrets that pods read exist in the running cluster; the API server's side is doubled, with real TLS."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Final

import pytest

from components.live import checks, secrets
from components.live.check import Change, Check
from components.live.checks import live_findings
from components.live.cluster import LiveCluster, NotAskedError
from components.live.state import Made
from components.model.config import Platform
from components.model.findings import Finding, Severity
from components.model.planning import make_plan
from components.model.rules import check
from simulator.clusters.pki import write_cluster_files
from tests.kubeapi.server import FakeApiServer
from tests.stacks import Stack, a_platform

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from components.model.plan import Plan

_PATH: Final = "GET /api/v1/namespaces/default/secrets"
_CORE: Final = {"resources": [{"name": "secrets", "kind": "Secret", "namespaced": True}]}
_COMMAND: Final = "kubectl create secret generic hf --namespace default --from-literal=token=..."
_ABSENT: Final = {
    "kind": "Status",
    "status": "Failure",
    "reason": "NotFound",
    "message": "secrets not found",
    "code": 404,
}
_INSTALLED: Final = [
    Made(kind="Release", namespace="", name=name, section="controllers", outputs={}) for name in ("jobset", "kueue")
]
_FORBIDDEN: Final = {"kind": "Status", "status": "Failure", "reason": "Forbidden", "message": "may not", "code": 403}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[FakeApiServer]:
    fake = FakeApiServer(write_cluster_files(tmp_path_factory.mktemp("pki"), "10.0.0.1"))
    yield fake
    fake.close()


def _kubeconfig(server: FakeApiServer) -> str:
    connection = server.connection("let-me-in")
    authority = base64.b64encode(str(connection.certificate_authority).encode()).decode()
    cluster = {"server": server.url, "certificate-authority-data": authority}
    return json.dumps(
        {
            "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
            "clusters": [{"name": "k", "cluster": cluster}],
            "users": [{"name": "u", "user": {"token": "let-me-in"}}],
        }
    )


def _plan(stack: Stack, before: Mapping[str, object]) -> Plan:
    return make_plan(Platform.model_validate_json(json.dumps(stack.platform)), "tpu-sandbox", before)


def _reading() -> Stack:
    return a_platform().set("workloads", 0, env={"HF_TOKEN": {"secret": "hf", "key": "token"}})


def _said(server: FakeApiServer, stack: Stack, *, is_preview: bool = True) -> list[tuple[Severity, str, str]]:
    before = {"kubeconfig": _kubeconfig(server)}
    change = Change(plan=_plan(stack, before), before=before, made=_INSTALLED)
    found = live_findings(change, lambda: before["kubeconfig"], is_preview=is_preview)
    return [(each.severity, each.says, each.remedy) for each in found]


def test_a_secret_that_nobody_made_is_told_with_the_command_that_makes_it(server: FakeApiServer) -> None:
    server.routes = {"GET /api/v1": _CORE, f"{_PATH}/hf": (404, _ABSENT)}
    for is_preview in (True, False):
        ((severity, says, remedy),) = _said(server, _reading(), is_preview=is_preview)
        assert severity is Severity.WARNING
        assert says == "the Secret hf in default does not exist. Pods wait until it does."
        assert remedy == f"Declare it under secrets, or make it: {_COMMAND}"


def test_a_secret_that_somebody_made_is_not_told(server: FakeApiServer) -> None:
    server.routes = {"GET /api/v1": _CORE, f"{_PATH}/hf": {"kind": "Secret", "metadata": {"name": "hf"}}}
    assert _said(server, _reading()) == []


def test_a_secret_to_pull_images_has_a_command_of_its_own(server: FakeApiServer) -> None:
    server.routes = {"GET /api/v1": _CORE, f"{_PATH}/registry": (404, _ABSENT)}
    stack = a_platform().set("workloads", 0, image_pull_secrets=["registry"])
    ((_, _, remedy),) = _said(server, stack)
    assert "kubectl create secret docker-registry registry --namespace default --docker-server=" in remedy


def test_the_secrets_of_the_stack_need_no_question(server: FakeApiServer) -> None:
    server.routes, server.asked[:] = {}, []
    own = _reading().set(secrets=[{"name": "hf", "data": {"token": "v"}}])
    assert (_said(server, own), server.asked) == ([], [])


def test_who_may_not_ask_is_told_so_and_stops_no_update(server: FakeApiServer) -> None:
    server.routes = {"GET /api/v1": _CORE, f"{_PATH}/hf": (403, _FORBIDDEN)}
    ((severity, says, remedy),) = _said(server, _reading(), is_preview=False)
    assert severity is Severity.WARNING
    assert says.startswith("the Secret hf in default may not exist: the cluster does not say (")
    assert _COMMAND in remedy


def test_a_cluster_without_a_usable_kubeconfig_stops_no_update() -> None:
    change = Change(plan=_plan(_reading(), {}), before={}, made=_INSTALLED)
    (found,) = live_findings(change, lambda: "not a kubeconfig", is_preview=False)
    assert found.severity is Severity.WARNING
    assert "cannot be asked for the Secrets that pods read" in found.says


def test_once_the_cluster_runs_the_rule_leaves_it_to_the_question() -> None:
    for before, ids in (({}, ["secret-is-declared"]), ({"kubeconfig": "{}"}, [])):
        found = check(_plan(_reading(), before))
        assert [each.rule for each in found if each.rule == "secret-is-declared"] == ids


def test_what_a_check_found_is_kept_where_the_cluster_refuses_the_next_question(
    server: FakeApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.routes = {"GET /api/v1": _CORE, f"{_PATH}/hf": (404, _ABSENT)}
    refused = Check(subject="what nobody may read", is_needed=lambda _: True, findings=_refuse)
    monkeypatch.setattr(checks, "CHECKS", (secrets.CHECK, refused))
    first, second = _said(server, _reading(), is_preview=False)
    assert first[0] is Severity.WARNING
    assert second[0] is Severity.ERROR
    assert "cannot be asked for what nobody may read" in second[1]


def _refuse(_change: Change, _cluster: LiveCluster) -> Iterator[Finding]:
    raise NotAskedError("it is forbidden")
    yield
