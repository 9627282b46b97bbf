"""A Filestore, a claim for it and a Redis that keeps its data there, through the real engine and control plane."""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from valkey.exceptions import AuthenticationError, ConnectionError as NotReachedError

from components.kubeapi.documents import entries, is_true
from tests.eventually import eventually
from tests.harness import Simulator
from tests.leaks import assert_no_secret, secrets_of
from tests.tracked import ROOT

_STACK: Final = "dev"
_PODS: Final = "/api/v1/namespaces/team/pods"
_CLAIMS: Final = "/api/v1/namespaces/team/persistentvolumeclaims"
_PROJECT: Final = "name: storage\nruntime: {name: python, options: {toolchain: pip, virtualenv: .venv}}\n"
_CONFIG: Final = "config: {gcp:project: acme-test}\n"


@dataclass(frozen=True)
class Run:
    """The stack after its first `up`."""

    simulator: Simulator
    address: str
    """The Filestore's."""
    password: str
    share: Path
    """The folder of the share, as `status` names it."""

    def redis(self, *words: str, password: str | None) -> object:
        """Redis' answer to a command at the address of its Service."""
        return self.simulator.redis(*words, password=password, namespace="team")


@pytest.fixture(scope="module")
def run(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The stack, brought up once."""
    project = tmp_path_factory.mktemp("project")
    shutil.copyfile(Path(__file__).parent / "storage_program.py", project / "__main__.py")
    (project / ".venv").symlink_to(ROOT / ".venv")
    (project / "Pulumi.yaml").write_text(_PROJECT)
    (project / f"Pulumi.{_STACK}.yaml").write_text(_CONFIG)
    inside = Simulator(simulator.home, project)
    inside.up(_STACK)
    outputs: dict[str, Any] = inside.outputs(_STACK)
    password = inside.pulumi("stack", "output", "password", "--show-secrets", "--stack", _STACK).out.strip()
    shares = inside.client.call("status")["shares"]
    assert [(each["state"], each["source"]) for each in shares] == [("READY", f"{outputs['address']}:/NFSVol")]
    assert outputs["password"] == "[secret]"  # noqa: S105  what the engine shows in its place
    assert shares[0]["folder"] in inside.run("status").out
    return Run(inside, outputs["address"], password, Path(shares[0]["folder"]))


def test_the_claim_is_bound_to_the_volume_of_the_instance(run: Run) -> None:
    api = run.simulator.api()
    claim = api.get(f"{_CLAIMS}/files")
    assert (claim["status"]["phase"], claim["spec"]["volumeName"]) == ("Bound", "files")
    volume = api.get("/api/v1/persistentvolumes/files")
    assert volume["status"]["phase"] == "Bound"
    assert volume["spec"]["nfs"] == {"server": run.address, "path": "/NFSVol"}


def test_redis_answers_at_its_service_to_those_who_know_the_password(run: Run) -> None:
    with pytest.raises(AuthenticationError):
        run.redis("PING", password=None)
    assert run.redis("RPUSH", "datasets", "2018-04-01", password=run.password) == 1


def test_the_service_has_the_endpoints_by_which_the_official_provider_waits(run: Run) -> None:
    path = "/api/v1/namespaces/team/endpoints/redis"
    (ports,) = eventually(lambda: entries(run.simulator.api().get(path), "subsets"), what="the Service has endpoints")
    assert ports["addresses"]


def test_redis_keeps_its_data_on_the_share_over_a_new_pod(run: Run) -> None:
    assert run.redis("SET", "kept", "here", password=run.password)
    assert any(b"here" in path.read_bytes() for path in (run.share / "redis" / "appendonlydir").iterdir())
    api = run.simulator.api()
    (pod,) = api.items(_PODS, {"labelSelector": "app=redis"})
    api.delete(f"{_PODS}/{pod['metadata']['name']}")

    def successor_is_ready() -> bool:
        pods = api.items(_PODS, {"labelSelector": "app=redis"})
        return [is_true(each, "Ready") for each in pods if each["metadata"]["uid"] != pod["metadata"]["uid"]] == [True]

    eventually(successor_is_ready, what="the Deployment has a new pod")

    def kept() -> object:
        with contextlib.suppress(NotReachedError):  # the Service does not know the new pod yet
            return run.redis("GET", "kept", password=run.password)
        return None

    assert eventually(kept, what="Redis answers again") == "here"


def test_nothing_drifts(run: Run) -> None:
    run.simulator.pulumi("preview", "--expect-no-changes", "--stack", _STACK)
    run.simulator.pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes", "--stack", _STACK)


def test_no_secret_is_written_down_in_clear(run: Run) -> None:
    hidden = secrets_of(run.simulator.home, run.simulator.api())
    assert run.password in hidden.values()
    assert_no_secret(run.simulator.home, hidden)


def test_storage_can_be_taken_out_and_leaves_nothing(run: Run) -> None:
    run.simulator.up(_STACK, "--config", "storage=false")
    api = run.simulator.api()
    assert api.items("/api/v1/persistentvolumes") == []
    assert api.items(_CLAIMS) == []
    assert run.simulator.client.call("status")["shares"] == []
    assert not run.share.exists()
    run.simulator.pulumi("destroy", "--yes", "--skip-preview", "--stack", _STACK)
