"""Rehearsals decide as the real control plane does: generated platforms and traces, one step after another in both.

$REHEARSED compares more of them.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

import pytest
import yaml

from components.kubeapi import Api, Informers
from simulator.toolchain.provision import locate
from simulator.toolchain.tools import REHEARSE
from tests.control_plane.rehearsed import Rehearsed, priority_class
from tests.harness import Simulator, project_with
from tests.rehearsal.generated import generated
from tests.stacks import PLATFORM_KEY, stack_file
from tpu.rehearsal.running import rehearse

if TYPE_CHECKING:
    from collections.abc import Generator

STACK: Final = "batch-teams"
COUNT: Final = int(os.environ.get("REHEARSED", "10"))
"""Of each kind: with Kueue's usual shares, and with fair sharing."""
_AT_ONCE: Final = 10


def _seeds(*, is_fair: bool) -> list[int]:
    return [seed for seed in range(10 * COUNT) if (generated(seed).configuration is not None) == is_fair][:COUNT]


@pytest.fixture(scope="module", params=[False, True], ids=["usual", "fair"])
def api(request: pytest.FixtureRequest, simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Api:
    """The platform without workloads, with fair sharing or without."""
    document = yaml.safe_load(stack_file(STACK))
    platform = document["config"][PLATFORM_KEY]
    platform["workloads"] = []
    platform["controllers"]["kueue"] = {"fair_sharing": request.param}
    folder = tmp_path_factory.mktemp("rehearsed")
    Simulator(simulator.home, project_with(folder / "project", {STACK: yaml.safe_dump(document)})).up(STACK)
    api = simulator.api()
    for priority in (0, 100, 1000):
        body = {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "WorkloadPriorityClass",
            "metadata": {"name": priority_class(priority)},
            "value": priority,
        }
        if api.find(f"/apis/kueue.x-k8s.io/v1beta2/workloadpriorityclasses/{priority_class(priority)}") is None:
            api.create("/apis/kueue.x-k8s.io/v1beta2/workloadpriorityclasses", body)
    return api


@pytest.fixture
def informers(api: Api) -> Generator[Informers]:
    """The lists of its API server."""
    made = Informers(api)
    yield made
    made.stop()


def test_generated_platforms_are_decided_alike(informers: Informers, request: pytest.FixtureRequest) -> None:
    is_fair = "fair" in request.node.name
    command = locate([REHEARSE]).binary(REHEARSE)

    def compared(seed: int) -> list[str]:
        told = generated(seed, prefix=f"s{seed}-")
        return [f"seed {seed}: {each}" for each in Rehearsed(informers, told, rehearse(told, command)).differences()]

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = list(pool.map(compared, _seeds(is_fair=is_fair)))
    assert [each for differences in found for each in differences] == []
