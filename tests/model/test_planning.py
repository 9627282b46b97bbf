"""From a configuration to a plan: the chip ledger of the committed stack, and what an edit changes in it."""

from __future__ import annotations

import dataclasses
from enum import Enum
from pathlib import Path
from typing import Any, cast

from components.model.findings import Place
from components.model.plan import CreatedNetworkPlan
from tests.golden import assert_golden
from tests.stacks import a_platform, jobset_of, multislice

_GOLDEN = Path(__file__).parent / "golden"


def _plain(value: object) -> object:
    """A part of a plan as plain data, each place as the path that users read."""
    match value:
        case Place():
            return str(value)
        case Enum():
            return value.value
        case tuple():
            return [_plain(each) for each in cast("tuple[object, ...]", value)]
        case dict():
            return {key: _plain(each) for key, each in cast("dict[str, object]", value).items()}
        case _ if dataclasses.is_dataclass(value):
            return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        case _:
            return value


def test_the_plan_of_the_stack_multislice() -> None:
    assert_golden(_GOLDEN / "plan-multislice.yaml", _plain(multislice()))


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
    assert stack.plan().namespaces == ("team-a", "team-b")


def test_a_zonal_cluster_is_in_the_region_of_its_zone() -> None:
    plan = a_platform().set("cluster", location="us-west4-a").plan()
    assert (plan.cluster.location, plan.cluster.region) == ("us-west4-a", "us-west4")


def test_a_plan_of_a_thousand_slices_is_still_one_ledger() -> None:
    entry: dict[str, Any] = {"slices": 1000}
    plan = a_platform().set("tpu_slices", 0, **entry).plan()
    assert plan.flavors[0].chips == 8000
    assert len(plan.flavors[0].pools) == 1000
