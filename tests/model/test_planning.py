"""From a configuration to a plan: the chip ledger of the committed stack, and what an edit changes in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import pytest
from msgspec import Struct

from components.model.config import Platform, Section
from components.model.places import Place
from components.model.plan import Plan
from components.model.plan.cloud import CreatedNetworkPlan
from components.model.planning import make_plan
from components.model.planning.buckets import BucketUse, bucket_plans
from tests.model.catalogue.checkpoints import with_checkpoints
from tests.model.stacks_of_rules import SOUND
from tests.stacks import a_platform, committed_plan, jobset_of, multislice, on_autopilot, reserved, with_capacity

if TYPE_CHECKING:
    from collections.abc import Iterator


def _fields(part: object) -> Iterator[tuple[type, str, object]]:
    """Every field of a plan and of its parts: the type of the part, the name and the value."""
    match part:
        case tuple():
            for each in cast("tuple[object, ...]", part):
                yield from _fields(each)
        case dict():
            yield from _fields(tuple(cast("dict[str, object]", part).values()))
        case Struct() | Plan():
            for name in part.__struct_fields__ if isinstance(part, Struct) else part.__dataclass_fields__:
                value = getattr(part, name)
                yield type(part), name, value
                yield from _fields(value)
        case Section():
            pytest.fail(f"a section of the file in a plan: {part!r}")
        case _:
            return


@pytest.mark.parametrize("name", SOUND)
def test_a_plan_holds_no_section_of_the_file_and_none_only_where_a_field_may_be_none(name: str) -> None:
    for kind, field, value in _fields(SOUND[name].plan()):
        if value is None:
            stated = next(_annotated(each)[field] for each in kind.__mro__ if field in _annotated(each))
            assert "None" in stated, f"{kind.__name__}.{field}"


def _annotated(kind: type) -> dict[str, str]:
    return vars(kind).get("__annotations__", {})


def test_three_slices_of_two_hosts_with_four_chips_make_24() -> None:
    plan = multislice()
    assert [(pool.name, pool.nodes, pool.chips) for pool in plan.slice_pools] == [
        ("nodepool1", 2, 8),
        ("nodepool2", 2, 8),
        ("nodepool3", 2, 8),
    ]
    assert [(flavor.name, flavor.chips) for flavor in plan.flavors] == [("vlp-24", 24)]
    assert [(share.chips, share.is_derived) for share in plan.queues[0].flavors] == [(24, True)]
    assert [(work.name, work.chips) for work in plan.tpu_runs] == [
        ("multislice-3slice", 24),
        ("multislice-2slice", 16),
        ("multislice-1slice", 8),
        ("low-priority", 8),
    ]


def test_another_slice_is_another_pool_and_more_quota() -> None:
    before, after = a_platform().plan(), a_platform().set("tpu_slices", 0, slices=3).plan()
    assert after.slice_pools[:2] == before.slice_pools
    assert [pool.name for pool in after.slice_pools] == ["v5e1", "v5e2", "v5e3"]
    assert (before.queues[0].flavors[0].chips, after.queues[0].flavors[0].chips) == (16, 24)


def test_one_slice_without_a_count_has_the_name_of_the_entry() -> None:
    plan = a_platform().drop("tpu_slices", 0, "slices").plan()
    assert [pool.name for pool in plan.slice_pools] == ["v5e"]


def test_single_host_slices_share_a_pool() -> None:
    plan = a_platform().set("tpu_slices", 0, slices=5, topology="2x2").plan()
    (pool,) = plan.slice_pools
    assert (pool.name, pool.is_multi_host, pool.slices, pool.nodes, pool.chips) == ("v5e", False, 5, 5, 20)


def test_one_machine_of_8_chips_is_no_flavor_of_4() -> None:
    pools = a_platform().set("tpu_slices", 0, machine_type="ct5lp-hightpu-8t", slices=2).plan().slice_pools
    assert [(pool.name, pool.nodes, pool.labels["cloud.google.com/gke-accelerator-count"]) for pool in pools] == [
        ("v5e", 2, "8")
    ]


def test_a_run_of_single_hosts_needs_no_exclusive_pool() -> None:
    stack = a_platform().set("tpu_slices", 0, topology="2x2").set("flavors", 0, topology="2x2")
    single, multi = jobset_of(stack.plan()), jobset_of(a_platform().plan())
    assert (single.hosts, single.exclusive_topology) == (1, None)
    assert (multi.hosts, multi.exclusive_topology) == (2, "cloud.google.com/gke-nodepool")


def test_what_does_not_exist_counts_nothing() -> None:
    plan = a_platform().set("tpu_slices", 0, machine_type="ct9").set("workloads", 0, flavor="none").plan()
    assert not plan.has_whole_ledger
    assert [(pool.nodes, pool.chips, dict(pool.labels)) for pool in plan.slice_pools] == [(0, 0, {}), (0, 0, {})]
    assert (plan.flavors[0].pools, jobset_of(plan).chips) == ((), 0)


def test_disks_follow_the_generation() -> None:
    trillium = a_platform().set("tpu_slices", 0, machine_type="ct6e-standard-4t").plan()
    assert [pool.disk_type for pool in (*a_platform().plan().slice_pools, *trillium.slice_pools)] == [
        "pd-balanced",
        "pd-balanced",
        "hyperdisk-balanced",
        "hyperdisk-balanced",
    ]


def test_public_nodes_have_no_nat_and_no_firewall_rule() -> None:
    private, public = a_platform().plan(), a_platform().set("cluster", private_nodes=False).plan()
    assert isinstance(private.network, CreatedNetworkPlan)
    assert isinstance(public.network, CreatedNetworkPlan)
    assert (private.network.nat, public.network.nat) == ("ml-nat", None)
    assert (private.cluster.control_plane_cidr, public.cluster.control_plane_cidr) == ("172.16.0.0/28", None)
    assert private.controllers.firewall is not None
    assert private.controllers.firewall.ports == (8082, 9443)
    assert public.controllers.firewall is None


def test_namespaces_are_made_but_the_one_that_is_there() -> None:
    stack = a_platform()
    for name, namespace in (("b", "team-b"), ("a", "team-a"), ("c", "team-a")):
        stack = stack.add("queues", 0, "local_queues", name=name, namespace=namespace)
    assert [each.name for each in stack.plan().namespaces] == ["team-a", "team-b"]


def test_a_namespace_stays_when_nothing_of_the_stack_is_in_it_unless_it_may_be_deleted() -> None:
    before = [{"name": "team-a", "delete": False}, {"name": "team-b", "delete": True}]
    assert [each.name for each in a_platform().after(namespaces=before).plan().namespaces] == ["team-a"]


def test_a_namespace_that_an_older_program_made_stays() -> None:
    """Its outputs tell the namespaces of what is in them, and those of the controllers, which Helm makes."""
    stack = a_platform().after(
        queues=[{"name": "a", "local_queues": [{"namespace": "team-a", "name": "a"}]}],
        workloads=[{"namespace": "team-b", "name": "run"}],
        disks=[{"name": "d", "claims": [{"namespace": "team-c", "name": "d"}, {"namespace": "default", "name": "d"}]}],
        controllers=[{"name": "kueue", "namespace": "kueue-system"}],
    )
    assert [each.name for each in stack.plan().namespaces] == ["team-a", "team-b", "team-c"]


def test_an_entry_says_whether_a_namespace_may_be_deleted() -> None:
    entries = [{"name": "team-b", "delete": True}, {"name": "team-a"}]
    (first, second) = a_platform().set(namespaces=entries).plan().namespaces
    assert (first.name, first.is_deleted, str(first.place)) == ("team-a", False, "namespaces[1]")
    assert (second.name, second.is_deleted, str(second.place)) == ("team-b", True, "namespaces[0]")


def test_a_zonal_cluster_is_in_the_region_of_its_zone() -> None:
    plan = a_platform().set("cluster", location="us-west4-a").plan()
    assert (plan.cluster.location, plan.cluster.region) == ("us-west4-a", "us-west4")


def test_a_plan_of_a_thousand_slices_is_still_one_ledger() -> None:
    entry: dict[str, Any] = {"slices": 1000}
    plan = a_platform().set("tpu_slices", 0, **entry).plan()
    assert plan.flavors[0].chips == 8000
    assert len(plan.flavors[0].pools) == 1000


# --- capacity


_SHAPE: dict[str, Any] = {"machine_type": "ct5lp-hightpu-4t", "topology": "2x4"}


def _beside(capacity: str) -> Plan:
    """The small platform with a slice more of the same shape, come by in another way, and its flavor."""
    return (
        a_platform()
        .add("tpu_slices", name="more", zone="us-west4-a", capacity=capacity, **_SHAPE)
        .add("flavors", name="other", capacity=capacity, **_SHAPE)
        .plan()
    )


def test_a_flavor_selects_by_shape_alone_while_there_is_one_way_to_it() -> None:
    shape = {
        "cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice",
        "cloud.google.com/gke-tpu-topology": "2x4",
    }
    assert a_platform().plan().flavors[0].labels == shape
    assert on_autopilot().plan().flavors[0].labels == shape


@pytest.mark.parametrize(
    ("capacity", "label"), [("spot", "cloud.google.com/gke-spot"), ("flex-start", "cloud.google.com/gke-flex-start")]
)
def test_two_ways_to_a_shape_are_two_flavors(capacity: str, label: str) -> None:
    on_demand, other = _beside(capacity).flavors
    assert (on_demand.pools, on_demand.chips) == (("v5e1", "v5e2"), 16)
    assert on_demand.labels["cloud.google.com/gke-provisioning"] == "standard"
    assert (other.pools, other.chips) == (("more",), 8)
    assert other.labels[label] == "true"


def test_a_reserved_flavor_selects_its_reservation() -> None:
    (flavor,) = reserved(project="hardware").plan().flavors
    assert flavor.labels["cloud.google.com/reservation-name"] == "mine"
    assert flavor.chips == 16


def test_slices_that_come_and_go_count_as_if_they_were_there() -> None:
    plan = with_capacity("flex-start").plan()
    assert [(pool.nodes, pool.chips, pool.nodes_per_zone) for pool in plan.slice_pools] == [(2, 8, None)] * 2
    assert plan.queues[0].flavors[0].chips == 16


def test_single_hosts_are_counted_in_each_zone() -> None:
    stack = a_platform().drop("tpu_slices", 0, "zone")
    (pool,) = (
        stack.set("tpu_slices", 0, topology="2x2", slices=3, zones=["us-west4-a", "us-west4-b"]).plan().slice_pools
    )
    assert (pool.nodes_per_zone, pool.nodes, pool.slices, pool.chips) == (3, 6, 6, 24)


# --- storage


def test_pods_write_a_bucket_as_themselves_or_as_their_node() -> None:
    platform = Platform.model_validate_json(json.dumps(a_platform().set(buckets=[{"name": "out"}]).platform))
    autopilot = Platform.model_validate_json(json.dumps(on_autopilot().set(buckets=[{"name": "out"}]).platform))
    uses = [
        BucketUse("out", "research", "default", is_on_host_network=False),
        BucketUse("out", "default", "default", is_on_host_network=True),
        BucketUse("in", "other", "default", is_on_host_network=False),
    ]
    buckets = [bucket_plans(each, make_plan(each, "p").cluster, uses, Place())[0] for each in (platform, autopilot)]
    writers = [[(writer.name, writer.member) for writer in bucket.writers] for bucket in buckets]
    pods = ("research", "serviceAccount:p.svc.id.goog[research/default]")
    assert writers == [[("nodes", "serviceAccount:ml-nodes@p.iam.gserviceaccount.com"), pods], [pods]]


def test_the_driver_of_checkpoints_runs_on_queued_hosts_too() -> None:
    queued = committed_plan("training").cluster.checkpoints
    assert queued is not None
    assert queued.has_queued_hosts
    others = with_checkpoints().plan().cluster.checkpoints
    assert others is not None
    assert not others.has_queued_hosts
