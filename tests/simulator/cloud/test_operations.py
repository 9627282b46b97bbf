"""Operations: they take their time, outlive whoever asked and the process, and one at a time touches a resource."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator.cloud.api import Body, Kind
from tests.eventually import eventually

if TYPE_CHECKING:
    from tests.simulator.conftest import World

CLUSTER = "projects/acme/locations/us-west4/clusters/tpus"
POOL = f"{CLUSTER}/nodePools/slice"
FILESTORE = "projects/acme/locations/us-west4-a/instances/shared"
FILESTORE_BODY: Body = {
    "tier": "BASIC_HDD",
    "fileShares": [{"name": "data", "capacityGb": "1024"}],
    "networks": [{"network": "default", "modes": ["MODE_IPV4"]}],
}


def test_an_operation_takes_as_long_as_its_pace(world: World) -> None:
    assert world.cloud.set_pace({Kind.FILESTORE: 60.0}) == {"file.instance": 60.0}

    operation = world.cloud.create(Kind.FILESTORE, FILESTORE, FILESTORE_BODY)
    world.clock.advance(59)
    early = world.cloud.wait(operation["name"], 0.05)
    state = world.cloud.get(FILESTORE)["state"]
    world.clock.advance(1)
    ended = world.done(operation)

    assert (early["status"], state) == ("RUNNING", "CREATING")
    assert (ended["status"], ended["error"], world.cloud.get(FILESTORE)["state"]) == ("DONE", None, "READY")
    assert ended["startTime"] == "2026-09-21T14:13:20.000000Z"
    assert ended["endTime"] == "2026-09-21T14:14:20.000000Z"


def test_the_cloud_is_not_at_work_while_an_operation_only_waits_for_its_moment(world: World, slice_body: Body) -> None:
    assert not world.cloud.is_at_work()
    world.make_cluster()
    world.cloud.set_pace({Kind.NODE_POOL: 60.0})
    world.machines.gate.clear()
    operation = world.cloud.create(Kind.NODE_POOL, POOL, slice_body)
    assert world.cloud.is_at_work(), "machines come"
    world.machines.gate.set()
    eventually(lambda: not world.cloud.is_at_work())
    assert world.cloud.operation(operation["name"])["status"] == "RUNNING"
    world.clock.advance(60)
    world.done(operation)
    assert not world.cloud.is_at_work()


def test_an_operation_goes_on_after_a_restart(world: World, slice_body: Body) -> None:
    world.make_cluster()
    world.machines.gate.clear()
    operation = world.cloud.create(Kind.NODE_POOL, POOL, slice_body)
    world.cloud.set_pace({Kind.NODE_POOL: 3600.0})
    world.machines.gate.set()
    assert world.cloud.wait(operation["name"], 0.2)["status"] == "RUNNING"

    world.restart()
    assert world.cloud.operation(operation["name"])["status"] == "RUNNING"
    assert world.cloud.get(POOL)["status"] == "PROVISIONING"
    world.cloud.resume()
    world.clock.advance(3600)

    assert world.done(operation)["error"] is None
    assert world.cloud.get(POOL)["status"] == "RUNNING"
    assert len(world.pool_nodes("slice")) == 2


def test_a_busy_cluster_takes_no_second_operation(world: World, slice_body: Body) -> None:
    world.make_cluster()
    world.machines.gate.clear()
    operation = world.cloud.create(Kind.NODE_POOL, POOL, slice_body)
    short = operation["name"].rpartition("/")[2]

    for call in (
        lambda: world.cloud.delete(CLUSTER),
        lambda: world.cloud.update(CLUSTER, {"resourceLabels": {"a": "b"}}),
        lambda: world.cloud.delete(POOL),
    ):
        refused = world.refusal(call)
        assert (refused.code, refused.status) == (400, "FAILED_PRECONDITION")
        assert refused.message == f"Cluster is running incompatible operation {short}."
    other = world.cloud.create(Kind.NODE_POOL, f"{CLUSTER}/nodePools/other", slice_body)
    world.machines.gate.set()

    assert world.done(operation)["error"] is None
    assert world.done(other)["error"] is None


def test_a_resize_under_way_hinders_the_group_alone(world: World, slice_body: Body) -> None:
    world.make_cluster()
    world.make(Kind.NODE_POOL, POOL, slice_body)
    group = next(one["apiName"] for one in world.cloud.list(Kind.INSTANCE_GROUP) if one["pool"] == POOL)
    world.machines.gate.clear()
    shrinking = world.cloud.update(group, {"targetSize": 0})

    refused = world.refusal(lambda: world.cloud.update(group, {"targetSize": 2}))
    assert refused.message == f"The resource '{group}' is not ready"
    growing = world.cloud.update(POOL, {"nodeCount": 2})
    refused = world.refusal(lambda: world.cloud.update(group, {"targetSize": 2}))
    assert refused.status == "FAILED_PRECONDITION"
    world.machines.gate.set()

    assert world.done(shrinking)["error"] is None
    assert world.done(growing)["error"] is None
    assert len(world.pool_nodes("slice")) == 2


def test_a_failure_of_the_machine_ends_the_operation_with_its_words(world: World) -> None:
    world.machines.failures["start_cluster"] = "kube-apiserver exited with status 1"

    operation = world.create(Kind.CLUSTER, CLUSTER, {"initialNodeCount": 1})

    assert operation["error"] == {
        "code": 500,
        "status": "INTERNAL",
        "message": "kube-apiserver exited with status 1",
    }
    cluster = world.cloud.get(CLUSTER)
    assert (cluster["status"], cluster["statusMessage"]) == ("ERROR", "kube-apiserver exited with status 1")
    del world.machines.failures["start_cluster"]
    assert world.delete(CLUSTER)["error"] is None
    assert world.cloud.list(Kind.NODE_POOL) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("projects/acme/locations/us-west4/operations/operation-1-x", "Not found: {name}."),
        (CLUSTER, "Not found: {name}."),
        ("projects/acme/global/networks/vpc", "The resource '{name}' was not found"),
        ("projects/acme/serviceAccounts/a@b", "Unknown service account a@b"),
        ("b/bucket", "The specified bucket does not exist."),
    ],
)
def test_what_is_not_there_answers_404(world: World, name: str, text: str) -> None:
    look = world.cloud.operation if "/operations/" in name else world.cloud.get

    refused = world.refusal(lambda: look(name))

    assert (refused.code, refused.status, refused.message) == (404, "NOT_FOUND", text.format(name=name))


def test_malformed_calls_are_refused(world: World) -> None:
    calls = {
        "thing is not a kind of resource": lambda: world.cloud.create("thing", "a", {}),
        "a/b is not the name of a container.cluster": lambda: world.cloud.create(Kind.CLUSTER, "a/b", {}),
        "nonsense is not the name of a resource.": lambda: world.cloud.delete("nonsense"),
        f"{CLUSTER}: initialNodeCount, name cannot be changed after creation.": lambda: world.cloud.update(
            CLUSTER, {"name": "b", "initialNodeCount": 2}
        ),
    }
    for text, call in calls.items():
        assert world.refusal(call).message.startswith(text)


def test_documents_cannot_be_changed_from_outside(world: World) -> None:
    name = "projects/acme/global/networks/vpc"
    world.make(Kind.NETWORK, name, {"autoCreateSubnetworks": False})

    world.cloud.get(name)["mtu"] = 1
    world.cloud.list(Kind.NETWORK)[0]["mtu"] = 1

    assert world.cloud.get(name)["mtu"] == 1460
    assert [found["apiName"] for found in world.cloud.list(Kind.NETWORK, "projects/acme/")] == [name]
