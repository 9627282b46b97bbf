"""The stack file that listings make: what it says, what it leaves out and why, and that the program takes it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from components.adopt.listings import ListingError
from components.adopt.stack_file import Written, written
from components.model.findings import Severity
from tests.adopt.listed import (
    OWN,
    cluster,
    controllers,
    kueue,
    listings,
    network,
    of,
    pool,
    queueing,
    slice_pool,
    told,
)

if TYPE_CHECKING:
    from tests.adopt.listed import Item

_SLICES = (slice_pool("v5e1"), slice_pool("v5e2"))
_QUOTA = "project acme-ai: its quota of chips and GPUs is not listed, so the stack file states no quota."
_PROTECTED = "cluster ml: no listing says whether it is protected from deletion, so deletion_protection is true."


def _adopted(*items: Item, cluster_name: str | None = None) -> Written:
    return written(listings(*items), stack="test", project="tpu-platform", cluster=cluster_name)


def _platform(found: Written) -> dict[str, Any]:
    return yaml.safe_load(found.text)["config"]["tpu-platform:platform"]


def _errors(found: Written) -> list[str]:
    return [str(finding) for finding, _ in found.reading.findings if finding.severity is Severity.ERROR]


def test_a_platform_of_the_programs_own_making_is_owned_whole() -> None:
    found = _adopted(cluster(), pool("system"), *_SLICES, *network(), *controllers(), *queueing())

    assert _errors(found) == []
    assert yaml.safe_load(found.text)["config"]["gcp:project"] == "acme-ai"
    assert told(found) == [_PROTECTED, _QUOTA]
    assert _platform(found) == {
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
    found = _platform(_adopted(cluster(), pool("system"), slice_pool("v5e1"), spot, slice_pool("big3"), *network()))

    assert [(each["name"], each.get("slices"), each.get("capacity")) for each in found["tpu_slices"]] == [
        ("v5e1", None, None),
        ("v5e2", None, "spot"),
        ("big3", None, None),
    ]


def test_single_hosts_are_counted_in_each_zone() -> None:
    hosts = pool("inference", "ct5lp-hightpu-4t", initialNodeCount=3, locations=["us-west4-a", "us-west4-b"])
    found = _platform(_adopted(cluster(), pool("system"), hosts, *network()))

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
    found = _adopted(cluster(), pool("system", config={"serviceAccount": other}), *network())

    assert _errors(found) == []
    assert _platform(found)["cluster"] == {
        "existing": {"name": "ml", "location": "us-west4"},
        "mode": "standard",
        "node_service_account": other,
    }
    assert "network" not in _platform(found)
    assert told(found)[0] == (
        f"cluster ml: its nodes run as {other}, and the stack's as {OWN}: the stack uses it as it is "
        "(cluster.existing) and does not own it."
    )


def test_a_cluster_without_listed_pools_is_used_as_it_is() -> None:
    found = _adopted(cluster(), *network())

    assert _platform(found)["cluster"]["existing"]["name"] == "ml"
    assert told(found)[0].startswith("cluster ml: no node pool of it is listed, so nobody knows whom its nodes run as:")


def test_an_autopilot_cluster_has_no_pools_of_the_stacks() -> None:
    made = pool("nap-1", autoscaling={"enabled": True, "autoprovisioned": True})
    defaults = {"autoprovisioningNodePoolDefaults": {"serviceAccount": OWN}}
    found = _adopted(cluster(autopilot={"enabled": True}, autoscaling=defaults), made, *network())

    assert _errors(found) == []
    assert _platform(found)["cluster"]["mode"] == "autopilot"
    assert not {"node_pools", "tpu_slices"} & _platform(found).keys()


def test_a_network_of_somebody_elses_making_is_used_as_it_is() -> None:
    routerless = network()[:2]
    found = _adopted(cluster(), pool("system"), *routerless)

    assert _platform(found)["network"] == {"existing": "ml", "subnetwork": "ml-nodes"}
    assert told(found)[0] == (
        "network ml: router ml-router with NAT gateway ml-nat is not among the listed routers: "
        "the stack uses it as it is (network.existing) and does not own it."
    )


def test_what_no_stack_file_states_of_a_pool_is_named() -> None:
    odd = pool("system", config={"gvnic": {"enabled": True}, "diskType": "pd-ssd"})
    found = told(_adopted(cluster(), odd, slice_pool("v5e", config={"diskType": "pd-ssd"}), *network()))

    assert "node pool system: config.gvnic is 'set', and the stack file makes it None." in found
    assert "node pool v5e: disk_type is 'pd-ssd', and the stack file makes it 'pd-balanced'." in found


def test_controllers_that_helm_did_not_install_are_not_the_stacks() -> None:
    found = _adopted(cluster(), pool("system"), *network(), *controllers()[:1], *queueing())

    assert _platform(found)["controllers"] == {"kueue": {"install": False}}
    assert not {"flavors", "queues"} & _platform(found).keys()
    assert any(each.startswith("kueue: it is not installed") for each in told(found))


def _kueue_configured(text: object) -> Written:
    jobset, kueue_ = controllers()
    kueue_["data"] = {"controller_manager_config.yaml": text}
    return _adopted(cluster(), pool("system"), *network(), jobset, kueue_, *queueing())


def test_fair_sharing_is_read_in_the_configuration_of_kueue() -> None:
    found = _kueue_configured("fairSharing:\n  preemptionStrategies: [LessThanInitialShare]\n")

    assert _platform(found)["controllers"] == {"kueue": {"fair_sharing": True}}
    assert not any("nobody knows" in each for each in told(found))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("kind: Configuration\nfairSharing: a: b\n", " is not YAML, line 2: "),
        (4, " is not text; "),
    ],
)
def test_a_configuration_of_kueue_that_cannot_be_read_is_said(text: object, why: str) -> None:
    found = _kueue_configured(text)

    assert "controllers" not in _platform(found)
    (said,) = [each for each in found.remarks if each.what == "ConfigMap kueue-manager-config"]
    assert why in said.says
    assert said.says.endswith("nobody knows whether Kueue shares fairly, and the stack file says that it does not.")
    assert said.remedy.startswith("Set fair_sharing: true under controllers.kueue where it does")


def test_what_is_not_listed_is_said() -> None:
    found = told(_adopted(cluster(), pool("system"), *network()))

    assert any(each.startswith("controllers: no ConfigMaps are listed") for each in found)


def test_a_priority_of_one_half_is_left_out() -> None:
    half = kueue("WorkloadPriorityClass", "low", value=100)
    found = _adopted(cluster(), pool("system"), *network(), *controllers(), half)

    assert "priorities" not in _platform(found)
    assert "priority low: there is no PriorityClass of this name." in told(found)


def test_quotas_that_the_stack_has_no_words_for_are_named() -> None:
    odd = queueing()
    odd[1]["spec"]["namespaceSelector"] = {"matchLabels": {"team": "vision"}}
    found = told(_adopted(cluster(), pool("system"), *_SLICES, *network(), *controllers(), *odd))

    assert (
        "ClusterQueue research: spec.namespaceSelector.matchLabels.team is 'vision', "
        "and the stack's document has nothing there."
    ) in found


def _jobset(**changes: Any) -> Item:  # noqa: ANN401  fields of a pod
    """A run of one v5e slice as the program writes it, with other fields of its pods."""
    container = {
        "name": "jax-tpu",
        "image": "registry.example/train:1.0",
        "command": ["bash", "-c", "sleep 60\n"],
        "ports": [{"containerPort": 8471, "protocol": "TCP"}, {"containerPort": 8080, "protocol": "TCP"}],
        "resources": {"limits": {"google.com/tpu": "4"}, "requests": {"google.com/tpu": "4"}},
        "securityContext": {"privileged": True},
    }
    selector = queueing()[0]["spec"]["nodeLabels"]
    pod: Item = {"containers": [container], "hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}
    pod |= {"restartPolicy": "Never", "nodeSelector": selector, "priorityClassName": "normal", **changes}
    job = {"parallelism": 2, "completions": 2, "backoffLimit": 0, "template": {"spec": pod}}
    labels = {"kueue.x-k8s.io/queue-name": "research", "kueue.x-k8s.io/priority-class": "normal"}
    item = of("JobSet", "jobset.x-k8s.io/v1alpha2", "train", namespace="research", labels=labels)
    item["metadata"]["annotations"] = {"alpha.jobset.sigs.k8s.io/exclusive-topology": "cloud.google.com/gke-nodepool"}
    replicated = [{"name": "slice", "replicas": 2, "template": {"spec": job}}]
    return {**item, "spec": {"failurePolicy": {"maxRestarts": 3}, "replicatedJobs": replicated}}


def _with(*items: Item) -> Written:
    return _adopted(cluster(), pool("system"), *_SLICES, *network(), *controllers(), *queueing(), *items)


def test_a_run_is_stated_as_it_is() -> None:
    found = _with(_jobset())

    assert _errors(found) == []
    assert told(found) == [_PROTECTED, _QUOTA]
    assert _platform(found)["workloads"] == [
        {
            "name": "train",
            "namespace": "research",
            "kind": "jobset",
            "queue": "research",
            "priority": "normal",
            "flavor": "v5e",
            "slices": 2,
            "image": "registry.example/train:1.0",
            "script": "sleep 60\n",
            "max_restarts": 3,
        }
    ]


def test_a_run_that_the_stack_would_start_anew_is_left_out() -> None:
    other = _jobset()
    other["spec"]["replicatedJobs"][0]["name"] = "workers"
    found = _with(other)

    assert "workloads" not in _platform(found)
    assert "JobSet research/train: spec.replicatedJobs[0].name is 'workers', and the stack's is 'slice'." in told(found)


def test_a_run_of_several_flavors_is_read_in_its_workload() -> None:
    admitted = _jobset()
    template = admitted["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    template["metadata"] = {"annotations": {"kueue.x-k8s.io/workload": "jobset-train"}}
    submitted: Item = {"template": {"spec": {}}}
    work = kueue("Workload", "jobset-train", namespace="research", spec={"podSets": [submitted]})
    work["metadata"]["ownerReferences"] = [{"kind": "JobSet", "name": "train", "uid": "uid-train", "controller": True}]

    assert _platform(_with(admitted, work))["workloads"][0]["flavors"] == ["v5e"]
    alone = _with(admitted)
    assert _platform(alone)["workloads"][0]["flavor"] == "v5e"
    assert any("its Workload is not listed" in each for each in told(alone))


def test_jobs_of_controllers_are_nobodys_runs() -> None:
    made = of("Job", "batch/v1", "train-slice-0", namespace="research", spec={"template": {"spec": {}}})
    made["metadata"]["ownerReferences"] = [{"controller": True, "uid": "uid-train"}]

    assert told(_with(made)) == [_PROTECTED, _QUOTA]


@pytest.mark.parametrize(
    ("items", "says"),
    [
        ((), "one cluster is adopted at a time, and 0 are listed"),
        ((cluster(), cluster(name="b", selfLink="https://x/v1/projects/p/locations/l/clusters/b")), "and 2 are listed"),
        ((cluster(), pool("a", config={"machineType": 4})), "machineType is not text"),
    ],
)
def test_listings_that_say_too_little_are_refused_or_told(items: tuple[Item, ...], says: str) -> None:
    try:
        found = "; ".join(told(_adopted(*items, *network())))
    except ListingError as error:
        found = str(error)
    assert says in found


def test_one_of_several_clusters_is_named() -> None:
    other = cluster(name="b", selfLink="https://x/v1/projects/p/locations/l/clusters/b")
    found = _adopted(cluster(), other, pool("system"), *network(), cluster_name="ml")

    assert _platform(found)["cluster"]["name"] == "ml"


def test_the_file_is_the_same_every_time() -> None:
    items = (cluster(), pool("system"), *_SLICES, *network(), *controllers(), *queueing(), _jobset())

    assert _adopted(*items).text == _adopted(*json.loads(json.dumps(items))).text
