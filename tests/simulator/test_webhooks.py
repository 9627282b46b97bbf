"""`recover` waits until the webhooks of a cluster can be called; an API server in memory stands for the real one."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

import pytest

from simulator.commands.clusters import await_webhooks
from tests.simulator.memory_api import MemoryApi

if TYPE_CHECKING:
    from components.kubeapi import Document

_SLICES: Final = "/apis/discovery.k8s.io/v1/namespaces/kueue-system/endpointslices"
_LEASES: Final = "/apis/coordination.k8s.io/v1/namespaces/kueue-system/leases"
_HOOKS: Final = "/apis/admissionregistration.k8s.io/v1"
_MISSING: Final = "Service kueue-system/webhooks of a webhook has no ready endpoint"


def _endpoints(*, ready: bool) -> Document:
    return {
        "metadata": {"name": "webhooks-x", "labels": {"kubernetes.io/service-name": "webhooks"}},
        "endpoints": [{"addresses": ["10.0.0.1"], "conditions": {"ready": ready}}],
    }


def _lease(renewed: str) -> Document:
    return {"metadata": {"name": "kueue"}, "spec": {"holderIdentity": "kueue-0", "renewTime": renewed}}


def _configuration(**config: object) -> Document:
    return {"metadata": {"name": "kueue"}, "webhooks": [{"name": "a.kueue.io", "clientConfig": config}]}


@pytest.fixture
def server() -> MemoryApi:
    made = MemoryApi()
    service = {"namespace": "kueue-system", "name": "webhooks"}
    made.put(f"{_HOOKS}/validatingwebhookconfigurations/kueue", _configuration(service=service))
    made.put(f"{_HOOKS}/mutatingwebhookconfigurations/kueue", _configuration(url="https://elsewhere.example"))
    return made


def test_a_webhook_that_cannot_be_called_is_named(server: MemoryApi) -> None:
    assert await_webhooks(server.api, 0) == [_MISSING]
    server.put(f"{_SLICES}/webhooks-x", _endpoints(ready=False))
    assert await_webhooks(server.api, 0) == [_MISSING]


def test_it_returns_as_soon_as_the_webhook_can_be_called(server: MemoryApi) -> None:
    server.put(f"{_SLICES}/webhooks-x", _endpoints(ready=False))
    found: list[list[str]] = []
    waiting = threading.Thread(target=lambda: found.append(await_webhooks(server.api, 3600)))
    waiting.start()
    assert waiting.is_alive()
    server.put(f"{_SLICES}/webhooks-x", _endpoints(ready=True))
    waiting.join()
    assert found == [[]]


def test_a_controller_that_is_about_to_end_is_not_taken_for_one_that_is_there(server: MemoryApi) -> None:
    server.put(f"{_SLICES}/webhooks-x", _endpoints(ready=True))
    server.put(f"{_LEASES}/kueue", _lease("10:00:00"))
    assert await_webhooks(server.api, 0) == ["Lease kueue-system/kueue was not renewed by its holder"]
    found: list[list[str]] = []
    waiting = threading.Thread(target=lambda: found.append(await_webhooks(server.api, 3600)))
    waiting.start()
    for second in range(60):  # a renewal that is seen first is none
        server.put(f"{_LEASES}/kueue", _lease(f"10:00:{second:02}"))
        waiting.join(0.5)
        if found:
            break
    assert found == [[]]


def test_an_api_server_that_does_not_answer_is_named(server: MemoryApi) -> None:
    server.away = True
    assert len(await_webhooks(server.api, 0)) == 1
