"""A second stack on a cluster whose JobSet and Kueue another stack installed, and a job of a user."""

from __future__ import annotations

from typing import Any, Final

import pytest
import yaml

from components.kubeapi.documents import is_true
from components.kubeapi.owners import JOBSETS
from simulator.cloud.api import Kind
from tests.eventually import eventually
from tests.harness import Simulator, project_with
from tests.stacks import GCP_PROJECT, PLATFORM_KEY, stack_file

STACK: Final = "multislice"
SECOND: Final = "second"
_CLUSTER: Final = "multislice-cluster"
_ZONE: Final = "us-west4-a"
_BOTH: Final = ("jobset", "kueue")
_USERS: Final = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "metadata": {"name": "users", "namespace": "default", "labels": {"kueue.x-k8s.io/queue-name": "multislice-queue"}},
    "spec": {
        "replicatedJobs": [
            {
                "name": "slice",
                "replicas": 1,
                "template": {
                    "spec": {
                        "parallelism": 1,
                        "completions": 1,
                        "template": {
                            "spec": {
                                "restartPolicy": "Never",
                                "containers": [{"name": "c", "image": "busybox", "command": ["sleep", "86400"]}],
                            }
                        },
                    }
                },
            }
        ]
    },
}
"""A job that a user submits to the first stack's queue."""


def _second(**controllers: Any) -> str:  # noqa: ANN401  any setting
    """A stack with a pool, a queue of its own, and nothing of the same name as the first stack's."""
    platform = {
        "cluster": {
            "existing": {"name": _CLUSTER, "location": "us-west4"},
            "mode": "standard",
            "node_service_account": f"multislice-cluster-nodes@{GCP_PROJECT}.iam.gserviceaccount.com",
        },
        "node_pools": [{"name": "system2", "machine_type": "e2-standard-4", "nodes": 1, "zones": [_ZONE]}],
        **controllers,
    }
    config = {"gcp:project": GCP_PROJECT, PLATFORM_KEY: platform}
    return yaml.safe_dump({"config": config}, sort_keys=False)


@pytest.fixture(scope="module")
def first(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Simulator:
    """The first stack, up, and a user's job that it does not know."""
    folder = tmp_path_factory.mktemp("second") / "project"
    used = Simulator(simulator.home, project_with(folder, {STACK: stack_file(STACK), SECOND: _second()}))
    used.up(STACK)
    used.api().create(JOBSETS.replace("/jobsets", "/namespaces/default/jobsets"), _USERS)
    return used


def _there(simulator: Simulator) -> dict[str, str]:
    """Releases, controllers and the user's job, with what tells them from others of their names."""
    api, found = simulator.api(), dict[str, str]()
    for each in api.items("/api/v1/secrets", {"labelSelector": "owner=helm"}):
        found[each["metadata"]["name"]] = each["metadata"]["labels"]["status"]
    for path in ("/apis/apps/v1/deployments", "/apis/kueue.x-k8s.io/v1beta2/clusterqueues", JOBSETS):
        found |= {each["metadata"]["name"]: each["metadata"]["uid"] for each in api.items(path)}
    return found


def _write(simulator: Simulator, text: str) -> None:
    (simulator.project / f"Pulumi.{SECOND}.yaml").write_text(text)


def test_controllers_of_another_stack_are_refused_before_anything_is_made(first: Simulator) -> None:
    before, pools = _there(first), len(first.client.call("cloud.list", kind=str(Kind.NODE_POOL)))
    for command in (("preview",), ("up", "--yes", "--skip-preview")):
        done = first.pulumi(*command, "--stack", SECOND, code=None)
        assert done.code != 0, done.text
        for name in _BOTH:
            assert f"the Helm release {name} in the namespace {name}-system" in done.text
            assert f"controllers: {{{name}: {{install: false}}}}" in done.text
        assert "docs/adoption.md" in done.text
        assert f"Pulumi.{SECOND}.yaml:" in done.text
        assert "Traceback" not in done.text
    assert _there(first) == before
    assert len(first.client.call("cloud.list", kind=str(Kind.NODE_POOL))) == pools


def test_a_stack_that_uses_them_comes_up_and_its_destroy_leaves_them(first: Simulator) -> None:
    before = _there(first)
    _write(first, _second(controllers={name: {"install": False} for name in _BOTH}))
    first.up(SECOND)
    first.pulumi("preview", "--expect-no-changes", "--stack", SECOND)
    first.pulumi("destroy", "--yes", "--skip-preview", "--stack", SECOND)
    assert _there(first) == before


def test_a_create_that_helm_refuses_is_not_stored_and_destroy_leaves_the_release(first: Simulator) -> None:
    before = _there(first)
    _write(first, _second())
    done = first.up(SECOND, "--config=tpu-platform:adopting=true", code=None)
    assert "cannot re-use a name that is still in use" in done.text
    first.pulumi("destroy", "--yes", "--skip-preview", "--stack", SECOND)
    assert _there(first) == before


def test_a_stack_that_has_its_controllers_is_not_refused(first: Simulator) -> None:
    first.pulumi("preview", "--stack", STACK)
    jobs = eventually(lambda: first.api().items(JOBSETS), what="the jobs are there")
    assert not any(is_true(each, "Failed") for each in jobs)
