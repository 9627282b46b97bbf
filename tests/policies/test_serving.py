"""A pack over gRPC, as the engine asks it; the other tests ask its server without one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import grpc
import pytest
from pulumi.runtime.proto.analyzer_pb2 import ConfigureAnalyzerRequest, PolicyConfig
from pulumi.runtime.proto.analyzer_pb2_grpc import AnalyzerStub

from policies.pack import pack_of
from policies.serving import listening
from tests.policies.asking import Registered, request_of

if TYPE_CHECKING:
    from collections.abc import Iterator

POOL: Final = request_of(
    Registered(
        "gcp:container/nodePool:NodePool",
        "slices",
        {
            "name": "slices",
            "initialNodeCount": 0,
            "autoscaling": {"totalMaxNodeCount": 2, "locationPolicy": "ANY"},
            "nodeConfig": {"machineType": "ct5lp-hightpu-4t"},
            "placementPolicy": {"type": "COMPACT", "tpuTopology": "2x4"},
        },
    )
)
"""The question about slices with limits over all zones; a remedy turns them into limits per zone."""


@pytest.fixture
def stub() -> Iterator[AnalyzerStub]:
    """What calls a pack."""
    server, port = listening(pack_of("topology"))
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield AnalyzerStub(channel)
    server.stop(grace=None).wait()


def test_nothing_is_put_right_until_a_level_asks_for_it(stub: AnalyzerStub) -> None:
    asked: Any = stub  # gRPC leaves its answers untyped
    assert list(asked.Remediate(POOL).remediations) == []
    level = PolicyConfig(enforcementLevel=cast("Any", "REMEDIATE"))
    asked.Configure(ConfigureAnalyzerRequest(policyConfig={"slice-limits-are-per-zone": level}))
    [remedy] = asked.Remediate(POOL).remediations
    assert remedy.policyName == "slice-limits-are-per-zone"


def test_what_breaks_a_rule_is_said(stub: AnalyzerStub) -> None:
    asked: Any = stub  # as above
    assert {each.policyName for each in asked.Analyze(POOL).diagnostics} == {"slice-limits-are-per-zone"}
