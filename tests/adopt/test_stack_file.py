"""The stack file that listings make: what it says, what it leaves out and why, and that the program takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from tests.adopt.listed import (
    OWN,
    PROTECTED,
    QUOTA,
    SLICES,
    adopted,
    cluster,
    controllers,
    errors,
    kueue,
    network,
    platform,
    pool,
    queueing,
    slice_pool,
    told,
)
from tpu.adopt.listings import ListingError

if TYPE_CHECKING:
    from tests.adopt.listed import Item
    from tpu.adopt.stack_file import Written


def test_a_platform_of_the_programs_own_making_is_owned_whole() -> None:
    found = adopted(cluster(), pool("system"), *SLICES, *network(), *controllers(), *queueing())

    assert errors(found) == []
    assert yaml.safe_load(found.text)["config"]["gcp:project"] == "acme-ai"
    assert told(found) == [PROTECTED, QUOTA]
    assert platform(found) == {
        "labels": {"team": "vision"},
        "network": {
            "name": "ml",
            "nodes_cidr": "10.0.0.0/20",
            "pods_cidr": "10.4.0.0/16",
            "services_cidr": "10.8.0.0/20",
            "mtu": 1460,
        },
        "cluster": {
            "name": "ml",
            "mode": "standard",
            "location": "us-west4",
            "release_channel": "REGULAR",
            "deletion_protection": True,
        },
        "node_pools": [{"name": "system", "machine_type": "e2-standard-4", "nodes": 1, "zones": ["us-west4-a"]}],
        "tpu_slices": [
            {"name": "v5e", "slices": 2, "machine_type": "ct5lp-hightpu-4t", "topology": "2x4", "zone": "us-west4-a"}
        ],
        "flavors": [{"name": "v5e", "machine_type": "ct5lp-hightpu-4t", "topology": "2x4"}],
        "queues": [
            {
                "name": "research",
                "flavors": [{"name": "v5e", "chips": 16}],
                "preemption": {"within_cluster_queue": "LowerPriority"},
                "local_queues": [{"name": "research", "namespace": "research"}],
            }
        ],
        "priorities": [{"name": "normal", "value": 500}],
    }


def test_slices_that_differ_or_are_not_numbered_from_one_stay_entries_of_their_own() -> None:
    spot = slice_pool(
        "v5e2", config={"spot": True, "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"}}
    )
    found = platform(adopted(cluster(), pool("system"), slice_pool("v5e1"), spot, slice_pool("big3"), *network()))

    assert [(each["name"], each.get("slices"), each.get("capacity")) for each in found["tpu_slices"]] == [
        ("v5e1", None, None),
        ("v5e2", None, "spot"),
        ("big3", None, None),
    ]


def test_single_hosts_are_counted_in_each_zone() -> None:
    hosts = pool("inference", "ct5lp-hightpu-4t", initialNodeCount=3, locations=["us-west4-a", "us-west4-b"])
    found = platform(adopted(cluster(), pool("system"), hosts, *network()))

    assert found["tpu_slices"] == [
        {
            "name": "inference",
            "slices": 3,
            "machine_type": "ct5lp-hightpu-4t",
            "topology": "2x2",
            "zones": ["us-west4-a", "us-west4-b"],
        }
    ]


def test_a_cluster_whose_nodes_run_as_another_account_is_used_as_it_is() -> None:
    other = "training@acme-ai.iam.gserviceaccount.com"
    found = adopted(cluster(), pool("system", config={"serviceAccount": other}), *network())

    assert errors(found) == []
    assert platform(found)["cluster"] == {
        "existing": {"name": "ml", "location": "us-west4"},
        "mode": "standard",
        "node_service_account": other,
    }
    assert "network" not in platform(found)
    assert told(found)[0] == (
        f"cluster ml: its nodes run as {other}, but the stack's run as {OWN}: the stack uses it as it is "
        "(cluster.existing) and does not own it."
    )


def test_a_cluster_without_listed_pools_is_used_as_it_is() -> None:
    found = adopted(cluster(), *network())

    assert platform(found)["cluster"]["existing"]["name"] == "ml"
    unknown = "none of its node pools is listed, so the service account of its nodes is unknown"
    assert told(found)[0].startswith(f"cluster ml: {unknown}:")


def test_an_autopilot_cluster_has_no_pools_of_the_stacks() -> None:
    made = pool("nap-1", autoscaling={"enabled": True, "autoprovisioned": True})
    defaults = {"autoprovisioningNodePoolDefaults": {"serviceAccount": OWN}}
    found = adopted(cluster(autopilot={"enabled": True}, autoscaling=defaults), made, *network())

    assert errors(found) == []
    assert platform(found)["cluster"]["mode"] == "autopilot"
    assert not {"node_pools", "tpu_slices"} & platform(found).keys()


def test_a_network_of_somebody_elses_making_is_used_as_it_is() -> None:
    routerless = network()[:2]
    found = adopted(cluster(), pool("system"), *routerless)

    assert platform(found)["network"] == {"existing": "ml", "subnetwork": "ml-nodes"}
    assert told(found)[0] == (
        "network ml: router ml-router with NAT gateway ml-nat is not among the listed routers: "
        "the stack uses it as it is (network.existing) and does not own it."
    )


def test_what_no_stack_file_states_of_a_pool_is_named() -> None:
    odd = pool("system", config={"gvnic": {"enabled": True}, "diskType": "pd-ssd"})
    found = told(adopted(cluster(), odd, slice_pool("v5e", config={"diskType": "pd-ssd"}), *network()))

    assert "node pool system: config.gvnic is 'set', but the stack file makes it None." in found
    assert "node pool v5e: disk_type is 'pd-ssd', but the stack file makes it 'pd-balanced'." in found


def test_controllers_that_helm_did_not_install_are_not_the_stacks() -> None:
    found = adopted(cluster(), pool("system"), *network(), *controllers()[:1], *queueing())

    assert platform(found)["controllers"] == {"kueue": {"install": False}}
    assert not {"flavors", "queues"} & platform(found).keys()
    assert any(each.startswith("kueue: it is not installed") for each in told(found))


def _kueue_configured(text: object) -> Written:
    jobset, kueue_ = controllers()
    kueue_["data"] = {"controller_manager_config.yaml": text}
    return adopted(cluster(), pool("system"), *network(), jobset, kueue_, *queueing())


def test_fair_sharing_is_read_in_the_configuration_of_kueue() -> None:
    found = _kueue_configured("fairSharing:\n  preemptionStrategies: [LessThanInitialShare]\n")

    assert platform(found)["controllers"] == {"kueue": {"fair_sharing": True}}
    assert not any("nobody knows" in each for each in told(found))


@pytest.mark.parametrize(
    ("text", "pods_ready"),
    [
        ("waitForPodsReady: {}\n", {"timeout_seconds": 1800}),
        (
            (
                "waitForPodsReady: {timeout: 1h0m5s, recoveryTimeout: 10m, blockAdmission: true, requeuingStrategy: "
                "{timestamp: Creation, backoffBaseSeconds: 10, backoffMaxSeconds: 3600, backoffLimitCount: 4}}\n"
            ),
            {
                "timeout_seconds": 3605,
                "recovery_timeout_seconds": 600,
                "block_admission": True,
                "requeue": {"base_seconds": 10, "limit": 4, "timestamp": "Creation"},
            },
        ),
    ],
)
def test_how_long_pods_may_wait_is_read_in_the_configuration_of_kueue(text: str, pods_ready: object) -> None:
    assert platform(_kueue_configured(text))["controllers"] == {"kueue": {"pods_ready": pods_ready}}


def test_a_wait_that_is_switched_off_is_none() -> None:
    assert "controllers" not in platform(_kueue_configured("waitForPodsReady: {enable: false, timeout: 5m}\n"))


def test_a_wait_in_fractions_is_said() -> None:
    found = _kueue_configured("waitForPodsReady: {timeout: 1.5h}\n")

    assert "controllers" not in platform(found)
    (said,) = [each for each in found.remarks if each.what == "ConfigMap kueue-manager-config"]
    assert "waitForPodsReady.timeout is not a duration" in said.says


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("kind: Configuration\nfairSharing: a: b\n", " is not YAML, line 2: "),
        (4, " is not text; "),
    ],
)
def test_a_configuration_of_kueue_that_cannot_be_read_is_said(text: object, why: str) -> None:
    found = _kueue_configured(text)

    assert "controllers" not in platform(found)
    (said,) = [each for each in found.remarks if each.what == "ConfigMap kueue-manager-config"]
    assert why in said.says
    assert said.says.endswith("it is unknown whether fair sharing is on, and the stack file leaves it off.")
    assert said.remedy.startswith("Set fair_sharing: true under controllers.kueue if it is on")


def test_what_is_not_listed_is_said() -> None:
    found = told(adopted(cluster(), pool("system"), *network()))

    assert any(each.startswith("controllers: no ConfigMaps are listed") for each in found)


def test_a_priority_of_one_half_is_left_out() -> None:
    half = kueue("WorkloadPriorityClass", "low", value=100)
    found = adopted(cluster(), pool("system"), *network(), *controllers(), half)

    assert "priorities" not in platform(found)
    assert "priority low: there is no PriorityClass of this name." in told(found)


def test_quotas_that_the_stack_has_no_words_for_are_named() -> None:
    odd = queueing()
    odd[1]["spec"]["namespaceSelector"] = {"matchLabels": {"team": "vision"}}
    found = told(adopted(cluster(), pool("system"), *SLICES, *network(), *controllers(), *odd))

    assert (
        "ClusterQueue research: spec.namespaceSelector.matchLabels.team is 'vision', "
        "but the stack's document does not state it."
    ) in found


@pytest.mark.parametrize(
    ("items", "says"),
    [
        ((), "one cluster is adopted at a time, but 0 are listed (listed clusters: none). Give the output "),
        (
            (cluster(), cluster(name="b", selfLink="https://x/v1/projects/p/locations/l/clusters/b")),
            "one cluster is adopted at a time, but 2 are listed (listed clusters: b and ml). Give the output ",
        ),
    ],
)
def test_listings_that_do_not_say_which_cluster_are_refused(items: tuple[Item, ...], says: str) -> None:
    with pytest.raises(ListingError) as caught:
        adopted(*items, *network())
    assert str(caught.value).startswith(says)


def test_a_pool_that_cannot_be_read_is_left_out() -> None:
    found = adopted(cluster(), pool("system"), pool("odd", config={"machineType": 4}), *network())
    assert [each["name"] for each in platform(found)["node_pools"]] == ["system"]
    assert "node pool odd: its nodeConfig.machineType is not text." in told(found)


def test_one_of_several_clusters_is_named() -> None:
    other = cluster(name="b", selfLink="https://x/v1/projects/p/locations/l/clusters/b")
    found = adopted(cluster(), other, pool("system"), *network(), wanted="ml")

    assert platform(found)["cluster"]["name"] == "ml"


def test_lists_of_kubectl_are_taken_apart() -> None:
    items = (cluster(), pool("system"), *SLICES, *network(), *controllers())
    single = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueueList"}
    bare = [
        {key: value for key, value in each.items() if key not in ("apiVersion", "kind")} for each in queueing()[2:3]
    ]
    others = {"apiVersion": "v1", "kind": "List", "items": [*queueing()[:2], *queueing()[3:]]}
    assert adopted(*items, {**single, "items": bare}, others).text == adopted(*items, *queueing()).text


def test_what_is_told_is_in_the_same_order_every_time() -> None:
    odd = queueing()
    selector = {f"label-{number}": "x" for number in range(9)}
    odd[1]["spec"]["namespaceSelector"] = {"matchLabels": dict(reversed(selector.items()))}
    odd[1]["spec"] |= dict(reversed({f"field{number}": 7 for number in range(9)}.items()))
    found = told(adopted(cluster(), pool("system"), *SLICES, *network(), *controllers(), *odd))
    assert [each.partition(" is ")[0].rpartition(".")[2] for each in found if " is 7, " in each] == [
        f"field{number}" for number in range(9)
    ]
