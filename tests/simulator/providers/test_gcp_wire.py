"""The gcp provider behind the engine's protocol: one resource through every call of it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc, status_pb2

from simulator.cloud.api import Kind
from simulator.providers.serve import _Servicer  # pyright: ignore[reportPrivateUsage]  the one way behind the wire
from simulator.providers.values import UNKNOWN, decode, encode

if TYPE_CHECKING:
    from collections.abc import Generator

    from simulator.providers.values import Properties
    from tests.simulator.conftest import GcpWorld

TOKEN = "gcp:container/nodePool:NodePool"  # noqa: S105  not a secret
URN = f"urn:pulumi:dev::proj::{TOKEN}::slice"
ID = "projects/acme/locations/us-west4/clusters/tpus/nodePools/slice"


@pytest.fixture
def engine(gcp: GcpWorld) -> Generator[Any]:
    """What the engine holds of a provider: the client of its service."""
    server = grpc.server(ThreadPoolExecutor(max_workers=4))
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(_Servicer(gcp.provider), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield provider_pb2_grpc.ResourceProviderStub(channel)
    server.stop(grace=None).wait()


def test_a_node_pool_through_the_protocol(engine: Any, gcp: GcpWorld, slice_inputs: Properties) -> None:  # noqa: ANN401
    gcp.cluster()
    news = encode(slice_inputs)

    checked = engine.Check(provider_pb2.CheckRequest(urn=URN, news=news, randomSeed=b"seed"))
    assert list(checked.failures) == []
    preview = engine.Create(provider_pb2.CreateRequest(urn=URN, properties=checked.inputs, preview=True))
    assert decode(preview.properties)["instanceGroupUrls"] is UNKNOWN
    created = engine.Create(provider_pb2.CreateRequest(urn=URN, properties=checked.inputs))
    assert created.id == ID

    state: dict[str, Any] = {"id": ID, "urn": URN, "olds": created.properties, "old_inputs": checked.inputs}
    same = engine.Diff(provider_pb2.DiffRequest(news=checked.inputs, **state))
    assert same.changes == provider_pb2.DiffResponse.DIFF_NONE
    labelled: Properties = {**slice_inputs, "nodeConfig": {"machineType": "ct5lp-hightpu-4t", "labels": {"a.b/c": "d"}}}
    other = engine.Check(provider_pb2.CheckRequest(urn=URN, olds=checked.inputs, news=encode(labelled))).inputs
    diff = engine.Diff(provider_pb2.DiffRequest(news=other, **state))
    assert dict(diff.detailedDiff) == {
        "nodeConfig.labels": provider_pb2.PropertyDiff(kind=provider_pb2.PropertyDiff.ADD, inputDiff=True)
    }
    updated = engine.Update(provider_pb2.UpdateRequest(news=other, **state))
    assert updated.properties["nodeConfig"]["labels"]["a.b/c"] == "d"

    spot: Properties = {**slice_inputs, "nodeConfig": {"machineType": "ct5lp-hightpu-4t", "spot": True}}
    replaced = engine.Check(provider_pb2.CheckRequest(urn=URN, olds=checked.inputs, news=encode(spot))).inputs
    diff = engine.Diff(provider_pb2.DiffRequest(news=replaced, **state))
    assert (list(diff.replaces), diff.deleteBeforeReplace) == (["nodeConfig.spot"], True)

    read = engine.Read(provider_pb2.ReadRequest(id=ID, urn=URN, inputs=other, properties=updated.properties))
    assert (read.id, decode(read.properties)) == (ID, decode(updated.properties))
    imported = engine.Read(provider_pb2.ReadRequest(id="us-west4/tpus/slice", urn=URN))
    assert (imported.id, decode(imported.inputs)["cluster"]) == (ID, "tpus")
    engine.Delete(provider_pb2.DeleteRequest(id=ID, urn=URN, properties=updated.properties, old_inputs=other))
    gone = engine.Read(provider_pb2.ReadRequest(id=ID, urn=URN, inputs=other, properties=updated.properties))
    assert gone.id == ""
    assert gcp.world.cloud.list(Kind.NODE_POOL) == []


def test_a_half_made_pool_is_handed_to_the_engine(engine: Any, gcp: GcpWorld, slice_inputs: Properties) -> None:  # noqa: ANN401
    gcp.cluster()
    gcp.world.machines.failures["add_nodes"] = "kube-apiserver is gone"
    inputs = engine.Check(provider_pb2.CheckRequest(urn=URN, news=encode(slice_inputs))).inputs

    with pytest.raises(grpc.RpcError) as caught:
        engine.Create(provider_pb2.CreateRequest(urn=URN, properties=inputs))

    metadata = {pair.key: pair.value for pair in caught.value.trailing_metadata()}  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]  grpc has no types
    status = status_pb2.Status.FromString(metadata["grpc-status-details-bin"])
    left = provider_pb2.ErrorResourceInitFailed()
    status.details[0].Unpack(left)
    assert (left.id, list(left.reasons)) == (ID, ["Error waiting for creating NodePool: kube-apiserver is gone"])
    assert decode(left.inputs) == decode(inputs)


def test_a_refusal_is_an_error_of_the_call(engine: Any, slice_inputs: Properties) -> None:  # noqa: ANN401
    inputs = engine.Check(provider_pb2.CheckRequest(urn=URN, news=encode(slice_inputs))).inputs

    with pytest.raises(grpc.RpcError) as caught:
        engine.Create(provider_pb2.CreateRequest(urn=URN, properties=inputs))

    assert caught.value.details() == (  # pyright: ignore[reportAttributeAccessIssue]  grpc has no types
        "Error creating NodePool: googleapi: Error 404: Not found: "
        "projects/acme/locations/us-west4/clusters/tpus., notFound"
    )
