"""The whole program on the stack `multislice`: what it registers, value by value, and in which order it comes to be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from tests.golden import assert_golden
from tests.program.harness import CERTIFICATE, ENDPOINT, Registered, Run, as_golden, run_program, run_stack
from tests.stacks import PLATFORM_KEY, a_platform

_GOLDEN = Path(__file__).parent / "golden"
_CLUSTER = "gcp:container/cluster:Cluster::multislice-cluster"


def _needs(run: Run, resource: Registered) -> set[str]:
    """Everything that exists before the resource, by type and name."""
    known = {each.reference: each for each in run.resources}
    needed: set[str] = set()
    waiting = [resource]
    while waiting:
        for reference in waiting.pop().options.get("dependencies", []):
            if reference not in needed:
                needed.add(reference)
                waiting.append(known[reference])
    return needed


def test_registers_these_resources(multislice: Run) -> None:
    (warning,) = multislice.log
    assert "[control-plane-is-closed]" in warning[1]
    assert_golden(_GOLDEN / "multislice-resources.yaml", as_golden(multislice.resources))


def test_exports_these_outputs(multislice: Run) -> None:
    assert_golden(_GOLDEN / "multislice-outputs.yaml", multislice.outputs)


def test_three_slices_of_two_hosts_make_the_quota(multislice: Run) -> None:
    pools = [each for each in multislice.of("NodePool") if "placementPolicy" in each.inputs]
    assert [(pool.name, pool.inputs["nodeCount"], pool.inputs["placementPolicy"]) for pool in pools] == [
        (f"nodepool{number}", 2, {"type": "COMPACT", "tpuTopology": "2x4"}) for number in (1, 2, 3)
    ]
    (group,) = multislice.one("ClusterQueue", "cluster-queue").inputs["spec"]["resourceGroups"]
    assert group["coveredResources"] == ["google.com/tpu"]
    assert group["flavors"] == [{"name": "vlp-24", "resources": [{"name": "google.com/tpu", "nominalQuota": "24"}]}]


def test_runs_are_submitted_in_the_order_of_the_file(multislice: Run) -> None:
    order = ["multislice-3slice", "multislice-2slice", "multislice-1slice", "low-priority"]
    runs = [multislice.one("JobSet", f"default/{name}") for name in order]
    assert [run.options["dependencies"] for run in runs[1:]] == [[run.reference] for run in runs[:-1]]


def test_the_first_run_waits_for_all_that_it_names(multislice: Run) -> None:
    needed = _needs(multislice, multislice.one("JobSet", "default/multislice-3slice"))
    real = [each for each in multislice.resources if each.type.startswith(("gcp:", "kubernetes:"))]
    assert needed == {each.reference for each in real if not each.type.endswith(":JobSet")}


def test_kueue_follows_jobset_and_its_objects_follow_kueue(multislice: Run) -> None:
    kueue = multislice.one("Release", "kueue")
    assert multislice.one("Release", "jobset").reference in _needs(multislice, kueue)
    of_kueue = [each for each in multislice.resources if each.type.startswith("kubernetes:kueue.x-k8s.io/v1beta2:")]
    assert {each.type.rpartition(":")[2] for each in of_kueue} == {
        "ResourceFlavor",
        "ClusterQueue",
        "LocalQueue",
        "WorkloadPriorityClass",
    }
    assert all(kueue.reference in _needs(multislice, each) for each in of_kueue)


def test_what_names_something_is_deleted_before_it(multislice: Run) -> None:
    local = multislice.one("LocalQueue", "default/multislice-queue")
    queue = multislice.one("ClusterQueue", "cluster-queue")
    flavor = multislice.one("ResourceFlavor", "vlp-24")
    assert local.options["dependencies"] == [queue.reference]
    assert queue.options["dependencies"] == [flavor.reference]


def test_all_that_is_in_the_cluster_goes_with_it(multislice: Run) -> None:
    inside = [
        each for each in multislice.resources if each.type.startswith("kubernetes:") or each.type.endswith("NodePool")
    ]
    assert {each.reference for each in inside if each.options.get("deletedWith") != _CLUSTER} == set()


def test_all_that_is_in_the_cluster_is_reached_by_its_provider(multislice: Run) -> None:
    inside = [each for each in multislice.resources if each.type.startswith("kubernetes:")]
    assert {each.options["provider"] for each in inside} == {"pulumi:providers:kubernetes::multislice-cluster"}


def test_children_have_their_component_as_parent_and_components_finish(multislice: Run) -> None:
    components = {each.reference for each in multislice.resources if each.type.startswith("tpu-platform:")}
    assert {each.parent for each in multislice.resources} <= {
        *components,
        "pulumi:pulumi:Stack::tpu-platform-multislice",
    }
    assert components <= multislice.finished


def test_the_kubeconfig_reaches_the_cluster_without_a_token(multislice: Run) -> None:
    kubeconfig = yaml.safe_load(multislice.outputs["kubeconfig"])
    (cluster,), (user,) = kubeconfig["clusters"], kubeconfig["users"]
    assert cluster["cluster"] == {"server": f"https://{ENDPOINT}", "certificate-authority-data": CERTIFICATE}
    assert user["user"].keys() == {"exec"}
    assert kubeconfig["current-context"] == "multislice-cluster"


def test_a_protected_cluster_is_protected_by_both_sides() -> None:
    run = run_stack(a_platform())
    cluster = run.one("Cluster", "ml")
    assert cluster.inputs["deletionProtection"] is True
    assert cluster.options["protect"] is True


def test_public_nodes_need_no_way_in_and_none_out() -> None:
    run = run_stack(a_platform().set("cluster", private_nodes=False))
    assert run.of("Router") + run.of("RouterNat") + run.of("Firewall") == []
    assert "privateClusterConfig" not in run.one("Cluster", "ml").inputs


def test_an_existing_network_is_neither_made_nor_changed() -> None:
    run = run_stack(a_platform().set(network={"existing": "default", "subnetwork": "default"}))
    assert [each.name for each in run.resources if each.type.startswith("gcp:compute/")] == ["ml-webhooks"]
    cluster = run.one("Cluster", "ml")
    assert (cluster.inputs["network"], cluster.inputs["subnetwork"]) == ("default", "default")
    assert cluster.inputs["ipAllocationPolicy"] == {}


def test_single_host_slices_share_a_pool_without_placement() -> None:
    small: dict[str, Any] = {"machine_type": "ct5lp-hightpu-4t", "topology": "2x2"}
    run = run_stack(
        a_platform()
        .add("tpu_slices", name="small", slices=3, zone="us-west4-a", **small)
        .add("flavors", name="v5e-2x2", **small)
        .add("queues", 0, "flavors", name="v5e-2x2")
    )
    pool = run.one("NodePool", "small")
    assert pool.inputs["nodeCount"] == 3
    assert "placementPolicy" not in pool.inputs


def test_a_local_queue_follows_its_namespace() -> None:
    run = run_stack(a_platform().add("queues", 0, "local_queues", name="team", namespace="team-a"))
    local = run.one("LocalQueue", "team-a/team")
    assert run.one("Namespace", "team-a").reference in local.options["dependencies"]


def test_two_runs_register_the_same(multislice: Run, platform: dict[str, object]) -> None:
    again = run_program("multislice", {"gcp:project": "tpu-sandbox", PLATFORM_KEY: json.dumps(platform)})
    assert again.resources == multislice.resources
