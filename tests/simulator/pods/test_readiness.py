"""A readiness probe: when a container is ready, and how many failures it may have."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from simulator.pods.images import program_of
from simulator.pods.readiness import ReadinessProbe, readiness
from tests.simulator.pods.machine import controller
from tests.simulator.pods.prepared import Preparation

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class Answers:
    """Doubles the question to a program: the answers come one after another."""

    given: list[bool]

    def answers(self) -> bool:
        return self.given.pop(0)


def heard(threshold: int, given: str) -> str:
    """What a kubelet makes of the answers of a program, `+` for a good one."""
    probe = ReadinessProbe(Answers([sign == "+" for sign in given]), threshold)
    return "".join("+" if probe.answers() else "-" for _ in given)


@pytest.mark.parametrize(
    ("threshold", "given", "made"),
    [(3, "--+", "--+"), (3, "+--+--+---+", "+++++++++-+"), (1, "+-+", "+-+")],
    ids=["ready from the first good answer", "a ready one may miss some", "a threshold of one"],
)
def test_a_container_that_is_ready_may_miss_answers_below_its_threshold(threshold: int, given: str, made: str) -> None:
    assert heard(threshold, given) == made


@pytest.mark.parametrize(("stated", "missed"), [({}, 2), ({"failureThreshold": 2}, 1)])
def test_a_container_may_state_its_threshold(tmp_path: Path, stated: dict[str, int], missed: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        prepared = Preparation(tmp_path, ports={8081: server.getsockname()[1]})
        prepared.cluster.put("/api/v1/namespaces/team/configmaps/manager", {"metadata": {}, "data": {"m.yaml": "{}"}})
        surroundings = prepared.surroundings(controller(readinessProbe={"tcpSocket": {"port": 8081}, **stated}))
        program = program_of(str(surroundings.container["image"]), surroundings.releases)
        assert program is not None
        probe = readiness(program, surroundings, tmp_path)
        assert probe is not None
        assert probe.answers()
    assert [probe.answers() for _ in range(missed + 1)] == [True] * missed + [False]
