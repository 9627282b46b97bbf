"""What a request becomes when the API server is away: asked again, explained, or given up."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from components.kubeapi import ApiError, UnreachableError
from simulator.providers.base import ProviderError
from simulator.providers.kube.access import Access
from tests.simulator.providers.kube.builders import CONFIG, Kube, Told, a_config

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulator.providers.kube.cluster import ApplyCluster


@pytest.fixture
def access(cluster: ApplyCluster, told: Told) -> Access:
    """The way to the cluster."""
    return Access(cluster.kubeconfig, None, told, told)


def failing(*errors: Exception) -> Callable[[], str]:
    """A request that fails with these errors, one after the other, and then succeeds."""
    left = list(errors)

    def request() -> str:
        if left:
            raise left.pop(0)
        return "done"

    return request


def gone(text: str = "it does not answer") -> UnreachableError:
    """The API server is away."""
    return UnreachableError(text)


@pytest.mark.parametrize(
    "error", [gone(), ApiError(503, {"message": "starting"}), ApiError(429, {"message": "storage is initializing"})]
)
def test_what_met_a_server_that_was_away_is_asked_again(
    access: Access, told: Told, cluster: ApplyCluster, error: Exception
) -> None:
    told.outages.append((True, "tpus: kube-apiserver was killed by SIGKILL"))
    assert access.ask("urn", failing(error)) == "done"
    assert told.asked == [cluster.server.url]
    assert told.warnings == [
        (
            "urn",
            "the cluster's API server was away: tpus: kube-apiserver was killed by SIGKILL. It runs again; going on.",
        )
    ]


def test_a_server_that_stays_away_is_explained(access: Access, told: Told) -> None:
    told.outages.append((False, "tpus: kube-apiserver keeps ending: it exited with status 1."))
    with pytest.raises(ProviderError) as caught:
        access.ask("urn", failing(gone()))
    assert str(caught.value) == (
        "configured Kubernetes cluster is unreachable: tpus: kube-apiserver keeps ending: it exited with status 1."
    )
    assert told.warnings == []


def test_a_cluster_of_somebody_else_is_told_by_what_was_seen(access: Access, told: Told) -> None:
    told.outages.append(None)
    with pytest.raises(ProviderError) as caught:
        access.ask("urn", failing(gone("https://35.0.0.1 does not answer: timed out")))
    assert str(caught.value) == (
        "configured Kubernetes cluster is unreachable: https://35.0.0.1 does not answer: timed out"
    )


def test_a_server_that_goes_away_twice_is_given_up(access: Access, told: Told) -> None:
    told.outages.append((True, "it was killed"))
    with pytest.raises(ProviderError) as caught:
        access.ask("urn", failing(gone(), gone("again")))
    assert str(caught.value) == "configured Kubernetes cluster is unreachable: again"


def test_a_refusal_is_not_an_outage(access: Access, told: Told) -> None:
    with pytest.raises(ApiError, match="forbidden"):
        access.ask("urn", failing(ApiError(403, {"message": "forbidden"})))
    assert told.asked == []


def test_an_outage_in_the_middle_of_an_update_is_overcome(kube: Kube, told: Told) -> None:
    kube.provider.check(replace(CONFIG, new=a_config(namespace=None)))
    told.outages.append((True, "it was killed"))
    route = "PATCH /api/v1/namespaces/default/configmaps/c"
    kube.cluster.server.routes[route] = lambda _: (kube.cluster.server.routes.pop(route), (503, {"message": "no"}))[1]
    created = kube.provider.create(replace(CONFIG, new=a_config(a="1")))
    assert created.outputs["data"] == {"a": "1"}
    assert [urn for urn, _ in told.warnings] == [CONFIG.urn]
