"""The stack `batch-ml`: a share, a Redis with a password that nobody has to know, and the trainer that is given both.

Times are sixtyfold. Nodes stay when they are empty, so that the pods of finished work can still be read.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from payloads.fraud_detection.chain import Chain, model_name
from payloads.fraud_detection.process import Log
from payloads.fraud_detection.share import Share
from valkey.exceptions import AuthenticationError

from components.kubeapi.documents import entries, is_true, section
from components.kubeapi.jobs import WORKLOADS, admitted_by, owner_name
from tests.control_plane.life import (
    Life,
    assert_destroy_leaves_nothing,
    assert_no_secret_in_clear,
    assert_nothing_to_change,
    assert_preview_was_complete,
    bring_up,
)
from tests.leaks import secrets_of

if TYPE_CHECKING:
    from components.kubeapi import Document
    from tests.harness import Simulator

STACK = "batch-ml"
_PODS = "/api/v1/namespaces/default/pods"
_STEPS = {"prepare-share", "transfer-datasets", "queue-jobs", "workload"}
_MOUNTED = {"name": "fileserver-claim", "mountPath": "/mnt/fileserver"}


class Run(NamedTuple):
    """The stack after its first `up`, and the password from its Secret."""

    life: Life
    password: str


@pytest.fixture(scope="module")
def run(simulator: Simulator) -> Run:
    """The stack, brought up once and followed until its Job has ended."""
    simulator.run("exec", "--speed", "60", "--", "true")
    simulator.run("times", "--idle", "86400")
    life = bring_up(simulator, STACK)
    secret = simulator.api().get("/api/v1/namespaces/default/secrets/redis-leader-password")
    return Run(life, base64.b64decode(secret["data"]["password"]).decode())


def test_the_first_preview_shows_every_object_with_its_values(run: Run) -> None:
    assert_preview_was_complete(run.life)
    instance = run.life.planned("batch-aiml-filestore")
    assert instance["tier"] == "BASIC_HDD"
    assert instance["fileShares"].items() >= {"name": "NFSVol", "capacityGb": 1024}.items()


def test_the_share_is_ready_with_its_address_and_the_claim_is_bound_to_it(run: Run, simulator: Simulator) -> None:
    (storage,) = simulator.outputs(run.life.stack)["shared_storage"]
    (share,) = simulator.client.call("status")["shares"]
    assert (share["state"], share["source"]) == ("READY", f"{storage['address']}:/NFSVol")
    assert any("READY" in line and storage["address"] in line for line in simulator.run("status").out.splitlines())
    api = simulator.api()
    claim = api.get("/api/v1/namespaces/default/persistentvolumeclaims/fileserver-claim")
    assert claim["status"]["phase"] == "Bound"
    assert claim["status"]["capacity"]["storage"] == "1Ti"
    volume = api.get(f"/api/v1/persistentvolumes/{claim['spec']['volumeName']}")
    assert volume["spec"]["nfs"] == {"server": storage["address"], "path": "/NFSVol"}


def test_redis_leader_runs_and_answers_only_those_who_know_the_password(run: Run, simulator: Simulator) -> None:
    pod = simulator.api().get(f"{_PODS}/redis-leader-0")
    assert is_true(pod, "Ready")
    (container,) = entries(pod, "spec", "containers")
    assert container["volumeMounts"][0].items() >= _MOUNTED.items()
    assert simulator.redis("PING", password=run.password) is True
    for wrong in (None, "redis"):
        with pytest.raises(AuthenticationError):
            simulator.redis("PING", password=wrong)


def test_the_jobs_are_admitted_by_their_queue_and_complete(run: Run, simulator: Simulator) -> None:
    del run
    api = simulator.api()
    jobs = api.items("/apis/batch/v1/namespaces/default/jobs")
    assert {job["metadata"]["name"] for job in jobs if is_true(job, "Complete")} == _STEPS
    workloads = api.items(WORKLOADS)
    assert {owner_name(each) for each in workloads} == _STEPS
    assert {(each["spec"]["queueName"], admitted_by(each)) for each in workloads} == {("batch-ml", "batch-ml")}
    assert all(is_true(each, "Admitted") and is_true(each, "Finished") for each in workloads)


def test_every_dataset_is_trained_once(run: Run, simulator: Simulator) -> None:
    del run
    (share,) = simulator.client.call("status")["shares"]
    links = Chain(Share(Path(share["folder"])), Log()).read()
    assert sorted(link.dataset for link in links.sound) == [
        f"datasets/training/2018-04-0{day}.csv" for day in (1, 2, 3, 4)
    ]
    shown = simulator.run("files", "output", "--stack", STACK).out
    assert shown.count("Report generated on: ") == 4
    assert all(f"  {model_name(link.trained)}\n" in shown for link in links.sound)


def test_the_model_is_better_after_the_last_dataset_than_after_the_first(run: Run, simulator: Simulator) -> None:
    """On rows of each day that it never saw, and on the test day.

    So it is in each of the orders in which two workers can take the four days of the stack: one of the first two days
    comes first. Of the other orders, those that begin with the fourth day do not rise on the rows of each day.
    """
    del run
    (share,) = simulator.client.call("status")["shares"]
    first, *_, last = Chain(Share(Path(share["folder"])), Log()).read().sound
    for part in ("held_out", "testing"):
        before, after = (link.metrics[part]["average_precision"] for link in (first, last))
        assert before is not None
        assert after is not None
        assert after >= before, part


def test_the_jobs_pods_have_the_address_the_password_and_the_share(run: Run, simulator: Simulator) -> None:
    del run
    pods = simulator.api().items(_PODS, {"labelSelector": "batch.kubernetes.io/job-name=workload"})
    assert len(pods) == 2
    for pod in pods:
        _assert_has_all_three(pod)


def _assert_has_all_three(pod: Document) -> None:
    (container,) = entries(pod, "spec", "containers")
    variables = {each["name"]: each.get("value") for each in container["env"]}
    assert variables == {"REDIS_HOST": "redis", "REDIS_PORT": "6379", "REDIS_PASSWORD": None}
    (password,) = (each for each in container["env"] if each["name"] == "REDIS_PASSWORD")
    assert password["valueFrom"] == {"secretKeyRef": {"name": "redis-leader-password", "key": "password"}}
    assert [mount for mount in container["volumeMounts"] if mount.items() >= _MOUNTED.items()]
    claims = [section(volume, "persistentVolumeClaim").get("claimName") for volume in entries(pod, "spec", "volumes")]
    assert "fileserver-claim" in claims


def test_redis_keeps_its_data_on_the_share(run: Run, simulator: Simulator) -> None:
    simulator.redis("SET", "kept", "until-it-is-read", password=run.password)
    (share,) = simulator.client.call("status")["shares"]
    assert any(b"until-it-is-read" in path.read_bytes() for path in Path(share["folder"]).rglob("*.aof"))


def test_a_second_preview_and_a_refresh_find_nothing(run: Run) -> None:
    assert_nothing_to_change(run.life)


def test_the_password_stands_nowhere_in_clear(run: Run) -> None:
    assert len(run.password) == 32
    assert run.password in secrets_of(run.life.simulator.home, run.life.simulator.api()).values()
    assert_no_secret_in_clear(run.life)


def test_destroy_and_down_leave_no_process_port_or_file(run: Run) -> None:
    assert_destroy_leaves_nothing(run.life)
