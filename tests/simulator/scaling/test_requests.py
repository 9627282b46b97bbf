"""How ProvisioningRequests are read, answered and fitted to pools; pure."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

import pytest

from simulator.cloud.pool_defaults import pool_document
from simulator.cloud.service import merged
from simulator.scaling import requests
from simulator.scaling.fitting import Fit, Misfit, choose
from simulator.scaling.requests import Request, State, answered, failed, pods_of
from simulator.scaling.supply import Group, imagined
from tests.simulator.conftest import CLUSTER
from tests.simulator.scaling.builders import QUEUED_SLICE, Waiting, a_request, a_template

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubeapi import Document
    from simulator.cloud.api import Body

_CLUSTER: Final[Body] = {
    "currentMasterVersion": "1.36.4-gke.1247000",
    "defaultMaxPodsConstraint": {"maxPodsPerNode": "110"},
    "clusterIpv4Cidr": "10.4.0.0/14",
    "networkConfig": {"subnetwork": "default"},
    "selfLink": f"https://container.googleapis.com/v1/{CLUSTER}",
}
"""What a pool's document takes of its cluster's."""
_NOW: Final = "2026-11-21T10:00:01Z"


def request(**spec: object) -> Request:
    """A request with another spec."""
    document = a_request("train", ("ppt", 2))
    return Request({**document, "spec": {**document["spec"], **spec}})


def after(*answers: requests.Answer) -> Request:
    """A request that was answered, one after the other."""
    found = request()
    for answer in answers:
        found = Request({**found.document, "status": {"conditions": answered(found, answer, _NOW)}})
    return found


@pytest.mark.parametrize(
    ("answers", "state"),
    [
        ((), State.PENDING),
        ((requests.INITIAL,), State.PENDING),
        ((requests.INITIAL, requests.ACCEPTED), State.ACCEPTED),
        ((requests.ACCEPTED, requests.EXHAUSTED), State.ACCEPTED),
        ((requests.ACCEPTED, requests.EXHAUSTED, requests.PROVISIONED), State.PROVISIONED),
        ((requests.ACCEPTED, requests.PROVISIONED, requests.EXPIRED), State.EXPIRED),
        ((requests.ACCEPTED, requests.PROVISIONED, requests.EXPIRED, requests.REVOKED), State.REVOKED),
        ((requests.INITIAL, failed("OutOfResources", "none")), State.FAILED),
    ],
)
def test_conditions_tell_how_far_a_request_is(answers: tuple[requests.Answer, ...], state: State) -> None:
    assert after(*answers).state is state


def test_an_answer_changes_one_condition_and_what_is_said_again_keeps_its_time() -> None:
    found = after(requests.INITIAL, requests.ACCEPTED, requests.EXHAUSTED)
    again = answered(found, requests.EXHAUSTED, "2026-11-21T11:00:00Z")
    assert [each["lastTransitionTime"] for each in again] == [_NOW, _NOW]
    provisioned = answered(found, requests.PROVISIONED, "2026-11-21T11:00:00Z")
    assert provisioned == [
        {
            "type": "Accepted",
            "status": "True",
            "reason": "SuccessfullyQueued",
            "message": "Provisioning Request was successfully queued.",
            "observedGeneration": 1,
            "lastTransitionTime": _NOW,
        },
        {
            "type": "Provisioned",
            "status": "True",
            "reason": "Provisioned",
            "message": "Provisioning Request was successfully provisioned.",
            "observedGeneration": 1,
            "lastTransitionTime": "2026-11-21T11:00:00Z",
        },
    ]


@pytest.mark.parametrize(
    ("spec", "reason", "message"),
    [
        (
            {"provisioningClassName": "check-capacity.autoscaling.x-k8s.io"},
            "NotModelled",
            (
                "The simulated autoscaler knows the provisioning class queued-provisioning.gke.io, and not "
                "check-capacity.autoscaling.x-k8s.io."
            ),
        ),
        (
            {"parameters": {"capacitySearchStrategy": "OBTAINABILITY"}},
            "NotModelled",
            "The simulated autoscaler does not know capacitySearchStrategy OBTAINABILITY.",
        ),
        (
            {"parameters": {"maxRunDurationSeconds": "1h"}},
            "InvalidArgumentMaxRunDurationParseError",
            "Additional parameter maxRunDurationSeconds could not be parsed.",
        ),
        (
            {"parameters": {"maxRunDurationSeconds": "60"}},
            "InvalidArgumentMaxRunDuration",
            "maxRunDurationSeconds is 60, and not from 600 to 604800.",
        ),
    ],
)
def test_what_is_not_understood_fails_at_once(spec: Document, reason: str, message: str) -> None:
    assert request(**spec).refusal() == failed(reason, message)


def test_parameters_that_gke_does_not_read_either_are_let_through() -> None:
    plain = request(parameters={"maxRunDurationSeconds": "3600", "topology": "2x4"})
    assert plain.refusal() is None
    assert plain.run_seconds == 3600
    assert request().run_seconds is None


# --- pools


def a_pool(name: str = "flex", **changes: object) -> Group:
    """The group of a queued v6e slice of two hosts at zero."""
    body: Body = QUEUED_SLICE | {"initialNodeCount": 0}
    (group,) = imagined(f"{CLUSTER}/nodePools/{name}", pool_document(name, merged(body, changes), _CLUSTER))
    return dataclasses.replace(group, is_there=True)


def single_hosts(name: str = "hosts", most: int = 4) -> Group:
    """The group of a queued pool of single-host v6e slices."""
    return a_pool(name, placementPolicy=None, autoscaling={"maxNodeCount": most})


def a_worker(topology: str = "2x4") -> Waiting:
    """A pod that takes a whole host of a v6e slice."""
    return Waiting("w").on_slice("tpu-v6e-slice", topology).queued()


def chosen(
    pod: Waiting, count: int, *groups: Group, sizes: dict[str, int] | None = None, limit: str | None = None
) -> Fit | Misfit:
    """Where so many pods can go."""
    asked = Request(a_request("train", ("ppt", count)))
    known = {group.name: group.size for group in groups} | (sizes or {})
    return choose(pods_of(asked, [a_template("ppt", pod)]), groups, known, lambda _: limit)


@pytest.mark.parametrize("count", [1, 2])
def test_a_slice_comes_whole(count: int) -> None:
    slice_ = a_pool()
    assert chosen(a_worker(), count, slice_) == Fit(slice_, 2)


def test_hosts_of_their_own_come_as_many_as_there_are_pods() -> None:
    hosts = single_hosts()
    assert chosen(a_worker("2x2"), 3, hosts) == Fit(hosts, 3)


def test_the_pool_with_the_fewest_chips_that_is_free_is_taken() -> None:
    one, two = a_pool("a-slice"), a_pool("b-slice")
    assert chosen(a_worker(), 2, two, one) == Fit(one, 2)
    assert chosen(a_worker(), 2, two, one, sizes={one.name: 2}) == Fit(two, 2)


@pytest.mark.parametrize(
    ("found", "reason", "message"),
    [
        (
            lambda: chosen(a_worker(), 3, a_pool()),
            "ProvisioningRequestSingleZoneInfeasible",
            "Provisioning Request cannot be scheduled in a single zone of a single nodepool, affected nodepools: flex",
        ),
        (
            lambda: chosen(a_worker("2x2"), 5, single_hosts()),
            "NodepoolSizeReached",
            "Max nodepool size reached, affected nodepools: hosts",
        ),
        (
            lambda: chosen(a_worker(), 2, a_pool(), limit="max cluster tpu-v6e-slice limit reached"),
            "OutOfResources",
            "Max cluster limit reached, nodepools out of resources: flex (max cluster tpu-v6e-slice limit reached)",
        ),
        (
            lambda: chosen(a_worker(), 2, dataclasses.replace(a_pool(), is_there=False)),
            "NodepoolNotReady",
            "Nodepool not ready for scale-up, affected nodepools: flex",
        ),
        (
            lambda: chosen(Waiting("w").on_slice("tpu-v6e-slice", "2x4"), 2, a_pool(), single_hosts()),
            "ProvisioningRequestNotSchedulableInNodepool",
            (
                "Provisioning Request's pods cannot be scheduled in the nodepool. Predicate checking errors: flex "
                "(node(s) had untolerated taint {cloud.google.com/gke-queued: true}), hosts (node(s) didn't match "
                "Pod's node affinity/selector)"
            ),
        ),
        (
            lambda: chosen(a_worker(), 2, a_pool(queuedProvisioning={"enabled": False})),
            "NoQueuedNodepool",
            "No node pool of the cluster has queued provisioning.",
        ),
    ],
    ids=["two slices", "more than the pool takes", "cluster limit", "busy", "other pods", "no queued pool"],
)
def test_what_stands_in_the_way_is_told(found: Callable[[], Fit | Misfit], reason: str, message: str) -> None:
    assert found() == Misfit(reason, message)
