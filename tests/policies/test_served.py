"""The program of a pack, as the engine starts and asks it; the other tests ask the SDK's server without a process."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final, cast

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto.analyzer_pb2 import ConfigureAnalyzerRequest, PolicyConfig
from pulumi.runtime.proto.analyzer_pb2_grpc import AnalyzerStub

from policies.names import RESOURCE_ERRORS, SETTINGS
from tests.policies.asking import Registered, request_of, struct
from tests.tracked import ROOT

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


@pytest.fixture(scope="module")
def asked() -> Iterator[Any]:
    """What calls a pack; gRPC leaves its answers untyped."""
    command = [sys.executable, "-u", "-m", "policies.topology"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as pack:
        assert pack.stdout is not None
        with grpc.insecure_channel(f"127.0.0.1:{int(pack.stdout.readline())}") as channel:
            yield AnalyzerStub(channel)
        pack.terminate()


def test_the_pack_names_itself(asked: Any) -> None:  # noqa: ANN401  as above
    assert asked.GetAnalyzerInfo(empty_pb2.Empty()).name == "tpu-platform-topology"


def test_what_breaks_a_rule_is_said_and_put_right_where_its_level_asks_for_it(asked: Any) -> None:  # noqa: ANN401
    assert list(asked.Remediate(POOL).remediations) == []
    [said] = asked.Analyze(POOL).diagnostics
    assert said.policyName == RESOURCE_ERRORS
    assert said.message.splitlines()[1].startswith("slice-limits-are-per-zone: ")
    stated = {"levels": {"slice-limits-are-per-zone": "remediate"}}
    level = PolicyConfig(enforcementLevel=cast("Any", "REMEDIATE"), properties=struct(stated))
    asked.Configure(ConfigureAnalyzerRequest(policyConfig={SETTINGS: level}))
    [remedy] = asked.Remediate(POOL).remediations
    assert remedy.policyName == "slice-limits-are-per-zone"
