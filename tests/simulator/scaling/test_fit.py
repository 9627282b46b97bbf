"""Whether a pod fits on a node, as kube-scheduler would decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from simulator.pods.selectors import fits_node_affinity, selects, untolerated
from simulator.scaling.pods import Pod
from simulator.scaling.snapshot import ClusterSnapshot
from tests.simulator.scaling.builders import POOL, TPU, TPU_TAINT, Waiting, a_slot

if TYPE_CHECKING:
    from components.kubeapi import Document

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def _term(key: str, operator: str, *values: str) -> Document:
    return {"key": key, "operator": operator, "values": list(values)}


@pytest.mark.parametrize(
    ("term", "holds"),
    [
        (_term("zone", "In", "a", "b"), True),
        (_term("zone", "NotIn", "a"), False),
        (_term("none", "NotIn", "a"), True),
        (_term("zone", "Exists"), True),
        (_term("none", "DoesNotExist"), True),
        (_term("chips", "Gt", "3"), True),
        (_term("chips", "Lt", "4"), False),
        (_term("zone", "Gt", "3"), False),
    ],
)
def test_a_node_is_selected_by_expressions(term: Document, *, holds: bool) -> None:
    affinity = {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [term]}]}}}
    assert fits_node_affinity(affinity, {"zone": "a", "chips": "4"}, "n1") is holds


def test_terms_are_alternatives_and_an_empty_one_selects_nothing() -> None:
    named = {"matchFields": [_term("metadata.name", "In", "n1")]}
    cases: list[tuple[list[Document], bool]] = [([{}], False), ([{}, named], True), ([], False)]
    for terms, holds in cases:
        assert fits_node_affinity({"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": terms}}}, {}, "n1") is holds


def test_a_label_selector_without_content_selects_everything_and_none_nothing() -> None:
    assert selects({}, {"a": "b"})
    assert not selects(None, {"a": "b"})
    assert selects({"matchLabels": {"a": "b"}, "matchExpressions": [_term("c", "DoesNotExist")]}, {"a": "b"})
    assert not selects({"matchLabels": {"a": "c"}}, {"a": "b"})


@pytest.mark.parametrize(
    ("toleration", "may_come"),
    [
        ({"key": TPU, "operator": "Exists"}, True),
        ({"key": TPU, "value": "present"}, True),
        ({"key": TPU, "operator": "Equal", "value": "present", "effect": "NoSchedule"}, True),
        ({"operator": "Exists"}, True),
        ({"key": TPU, "value": "absent"}, False),
        ({"key": TPU, "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "other", "operator": "Exists"}, False),
    ],
)
def test_a_taint_is_tolerated(toleration: Document, *, may_come: bool) -> None:
    assert (untolerated([TPU_TAINT], [toleration]) is None) is may_come


def test_a_preference_keeps_nobody_out() -> None:
    assert untolerated([{"key": "a", "effect": "PreferNoSchedule"}], []) is None


def test_requests_are_those_of_all_containers_or_of_the_greatest_that_comes_first() -> None:
    def of(cpu: str, **more: Any) -> Document:  # noqa: ANN401  any field of a container
        return {"name": "c", "resources": {"limits": {"cpu": cpu}}, **more}

    document = Waiting("p").document
    document["spec"] |= {
        "containers": [of("1"), of("500m")],
        "initContainers": [of("3"), of("100m", restartPolicy="Always")],
        "overhead": {"cpu": "10m"},
    }
    assert Pod(document).requests == {"cpu": 3010, "pods": 1000}


@pytest.mark.parametrize(
    ("pod", "reason"),
    [
        (Waiting("p", {"cpu": "4"}), None),
        (Waiting("p", {"cpu": "4001m"}), "Insufficient cpu"),
        (Waiting("p", {TPU: "4"}), f"Insufficient {TPU}"),
        (Waiting("p").selecting(gke_spot="true"), "node(s) didn't match Pod's node affinity/selector"),
        (
            Waiting("p", spec={"containers": [{"name": "c", "ports": [{"hostPort": 8471}]}]}),
            "node(s) didn't have free ports for the requested pod ports",
        ),
    ],
)
def test_a_pod_needs_what_the_node_has_left(pod: Waiting, reason: str | None) -> None:
    other = Waiting("o", spec={"containers": [{"name": "c", "ports": [{"hostPort": 8471}]}]}).pod
    assert ClusterSnapshot([]).why_not(pod.pod, a_slot("n1", other)) == reason


def test_ports_of_containers_that_run_beside_the_others_are_taken_too() -> None:
    port = {"name": "s", "ports": [{"hostPort": 8471}]}
    beside = Waiting("b", spec={"initContainers": [{**port, "restartPolicy": "Always"}], "containers": [{"name": "c"}]})
    before = Waiting("p", spec={"initContainers": [port], "containers": [{"name": "c"}]})
    other = Waiting("o", spec={"containers": [port]}).pod
    snapshot, slot = ClusterSnapshot([]), a_slot("n1", other)
    assert snapshot.why_not(beside.pod, slot) == "node(s) didn't have free ports for the requested pod ports"
    assert snapshot.why_not(before.pod, slot) is None


def test_a_taint_is_named() -> None:
    slot = a_slot(taints=[TPU_TAINT])
    assert (
        ClusterSnapshot([slot]).why_not(Waiting("p").pod, slot)
        == "node(s) had untolerated taint {google.com/tpu: present}"
    )


def test_a_leader_wants_a_pool_without_other_jobs() -> None:
    one, two = Waiting("one").exclusive("job-1").pod, Waiting("two").exclusive("job-2").pod
    taken, free = a_slot("n1", one, gke_nodepool="p1"), a_slot("n2", gke_nodepool="p2")
    snapshot = ClusterSnapshot([taken, a_slot("n3", gke_nodepool="p1"), free])
    assert snapshot.why_not(two, snapshot.slots[1]) == "node(s) didn't match pod anti-affinity rules"
    assert snapshot.find(two) is free
    snapshot.settle(two, free)
    follower = Waiting("follower").exclusive("job-1").pod
    assert snapshot.why_not(follower, free) == "node(s) didn't match pod affinity rules"
    assert snapshot.find(follower) is taken


def test_who_is_there_may_keep_others_away() -> None:
    required = {_REQUIRED: [{"topologyKey": POOL, "labelSelector": {"matchLabels": {"app": "noisy"}}}]}
    shy = Waiting("shy", spec={"affinity": {"podAntiAffinity": required}}).pod
    slot = a_slot("n1", shy, gke_nodepool="p1")
    noisy = Waiting("noisy", labels={"app": "noisy"}).pod
    reason = "node(s) didn't satisfy existing pods anti-affinity rules"
    assert ClusterSnapshot([slot]).why_not(noisy, a_slot("n2", gke_nodepool="p1")) == reason
    assert ClusterSnapshot([slot]).why_not(noisy, a_slot("n2", gke_nodepool="p2")) is None


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ({"topologySpreadConstraints": [{"whenUnsatisfiable": "DoNotSchedule"}]}, "topology spread constraints"),
        ({"topologySpreadConstraints": [{"whenUnsatisfiable": "ScheduleAnyway"}]}, None),
        ({"resourceClaims": [{"name": "tpu"}]}, "resource claims"),
        (
            {
                "affinity": {
                    "podAffinity": {
                        _REQUIRED: [{"topologyKey": POOL, "namespaceSelector": {"matchLabels": {"a": "b"}}}]
                    }
                }
            },
            "a namespace selector in an affinity term",
        ),
    ],
)
def test_what_is_not_understood_is_said(spec: Document, what: str | None) -> None:
    assert Waiting("p", spec=spec).pod.unmodelled == what
