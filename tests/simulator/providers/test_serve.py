"""A stand-in behind the engine's protocol: real gRPC, a provider that notes its calls, and real plugin processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import engine_pb2, provider_pb2, provider_pb2_grpc, status_pb2

from simulator.providers.base import (
    Change,
    Checked,
    Created,
    Difference,
    Failure,
    Found,
    PartlyCreatedError,
    ProviderError,
    Request,
    StandIn,
)
from simulator.providers.serve import (
    EngineLog,
    _Servicer,  # pyright: ignore[reportPrivateUsage]  the one way behind the wire
)
from simulator.providers.values import UNKNOWN, Properties, decode, encode
from tests.simulator.conftest import RecordingEngine
from tests.simulator.providers.engine_log import engine_log

if TYPE_CHECKING:
    from collections.abc import Generator

_TYPE: Final = "shop:index/shelf:Shelf"
_URN: Final = f"urn:pulumi:dev::shop::shop:index:Room${_TYPE}::left::upper"
_SECONDS: Final = 20.0
"""Real time after which a wait in a test has failed."""


class Shelves(StandIn):
    """A provider that notes each call and answers with what the test gives it."""

    package = "shop"
    version = "1.2.3"

    def __init__(self) -> None:
        super().__init__(RecordingEngine())
        self.calls: list[tuple[Any, ...]] = []
        self.answer: Any = None
        """What the next call returns, or the exception that it raises."""

    def _noted(self, *call: Any) -> Any:  # noqa: ANN401  any answer
        self.calls.append(call)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def configure(self, config: Properties) -> None:
        self._noted("configure", config)

    def check(self, request: Request) -> Checked:
        return self._noted("check", request)

    def diff(self, request: Request) -> Difference:
        return self._noted("diff", request)

    def create(self, request: Request) -> Created:
        return self._noted("create", request)

    def read(self, request: Request) -> Found | None:
        return self._noted("read", request)

    def update(self, request: Request) -> Properties:
        return self._noted("update", request)

    def delete(self, request: Request) -> None:
        self._noted("delete", request)

    def cancel(self) -> None:
        self._noted("cancel")


@dataclass
class Wire:
    """A provider and the engine's client of it."""

    provider: Shelves = field(default_factory=Shelves)

    def __post_init__(self) -> None:
        self._server = grpc.server(ThreadPoolExecutor(max_workers=2))
        provider_pb2_grpc.add_ResourceProviderServicer_to_server(_Servicer(self.provider), self._server)
        port = self._server.add_insecure_port("127.0.0.1:0")
        self._server.start()
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        self.engine: Any = provider_pb2_grpc.ResourceProviderStub(self._channel)

    def close(self) -> None:
        self._channel.close()
        self._server.stop(grace=None).wait()

    def refusal(self, call: str, request: object) -> Any:  # noqa: ANN401  gRPC's own error, which has no type
        """The error of a call."""
        with pytest.raises(grpc.RpcError) as caught:
            getattr(self.engine, call)(request)
        return caught.value


@pytest.fixture
def wire() -> Generator[Wire]:
    """A provider behind the wire."""
    made = Wire()
    yield made
    made.close()


_ASKED: Final = Request(urn=_URN, type=_TYPE, name="left::upper")


def test_a_check_carries_old_inputs_new_ones_and_failures(wire: Wire) -> None:
    wire.provider.answer = Checked({"size": 3, "name": UNKNOWN}, [Failure("size", "too large")])
    request = provider_pb2.CheckRequest(urn=_URN, news=encode({"size": 3}), randomSeed=b"seed")
    response = wire.engine.Check(request)
    assert wire.provider.calls == [("check", replace(_ASKED, new={"size": 3}, seed=b"seed"))]
    assert decode(response.inputs) == {"size": 3, "name": UNKNOWN}
    assert [(failure.property, failure.reason) for failure in response.failures] == [("size", "too large")]
    wire.engine.Check(provider_pb2.CheckRequest(urn=_URN, olds=encode({"size": 2}), news=encode({"size": 3})))
    assert wire.provider.calls[1][1].old == {"size": 2}


def test_a_difference_is_told_by_root_by_replacement_and_in_detail(wire: Wire) -> None:
    wire.provider.answer = Difference(
        {"labels.a": Change.ADD, "labels.b": Change.UPDATE, "size[0]": Change.DELETE_REPLACE},
        delete_before_replace=True,
    )
    request = provider_pb2.DiffRequest(
        urn=_URN,
        id="i",
        old_inputs=encode({"size": [1]}),
        olds=encode({"size": [1], "made": "today"}),
        news=encode({"size": []}),
        ignoreChanges=["labels.c"],
    )
    response = wire.engine.Diff(request)
    recorded = replace(_ASKED, id="i", old={"size": [1]}, outputs={"size": [1], "made": "today"})
    assert wire.provider.calls == [("diff", replace(recorded, new={"size": []}, ignored=("labels.c",)))]
    assert response.changes == provider_pb2.DiffResponse.DIFF_SOME
    assert (list(response.diffs), list(response.replaces)) == (["labels", "size"], ["size[0]"])
    assert response.deleteBeforeReplace
    assert response.hasDetailedDiff
    kind = provider_pb2.PropertyDiff
    assert {path: (each.kind, each.inputDiff) for path, each in response.detailedDiff.items()} == {
        "labels.a": (kind.ADD, True),
        "labels.b": (kind.UPDATE, True),
        "size[0]": (kind.DELETE_REPLACE, True),
    }


def test_no_difference_is_said_to_be_none(wire: Wire) -> None:
    wire.provider.answer = Difference()
    response = wire.engine.Diff(provider_pb2.DiffRequest(urn=_URN, id="i"))
    assert response.changes == provider_pb2.DiffResponse.DIFF_NONE
    assert (list(response.diffs), list(response.replaces), dict(response.detailedDiff)) == ([], [], {})


def test_a_creation_carries_preview_and_limit(wire: Wire) -> None:
    wire.provider.answer = Created("i", {"size": 3, "made": UNKNOWN})
    request = provider_pb2.CreateRequest(urn=_URN, properties=encode({"size": 3}), preview=True, timeout=1.5)
    response = wire.engine.Create(request)
    assert wire.provider.calls == [("create", replace(_ASKED, new={"size": 3}, preview=True, timeout=1.5))]
    assert (response.id, decode(response.properties)) == ("i", {"size": 3, "made": UNKNOWN})


@pytest.mark.parametrize(
    ("call", "request_"),
    [
        ("Create", provider_pb2.CreateRequest(urn=_URN)),
        ("Update", provider_pb2.UpdateRequest(urn=_URN, id="i")),
    ],
)
def test_what_was_made_only_partly_is_kept_by_the_engine(wire: Wire, call: str, request_: object) -> None:
    wire.provider.answer = PartlyCreatedError("i", {"size": 3}, {"size": 3, "made": 1}, ["it leans", "to the left"])
    error = wire.refusal(call, request_)
    assert (error.code(), error.details()) == (grpc.StatusCode.UNKNOWN, "it leans\nto the left")
    metadata = {key: value for key, value in error.trailing_metadata() if key == "grpc-status-details-bin"}
    status = status_pb2.Status.FromString(metadata["grpc-status-details-bin"])
    assert status.message == "it leans\nto the left"
    (any_,) = status.details
    assert any_.type_url == "type.googleapis.com/pulumirpc.ErrorResourceInitFailed"
    detail = provider_pb2.ErrorResourceInitFailed()
    assert any_.Unpack(detail)
    assert (detail.id, list(detail.reasons)) == ("i", ["it leans", "to the left"])
    assert (decode(detail.inputs), decode(detail.properties)) == ({"size": 3}, {"size": 3, "made": 1})


@pytest.mark.parametrize(
    ("call", "request_"),
    [
        (
            "CheckConfig",
            provider_pb2.CheckRequest(urn=_URN, news=encode({"a": {"4dabf18193072939515e22adb298388d": "x"}})),
        ),
        ("Check", provider_pb2.CheckRequest(urn=_URN, news=encode({"a": {"4dabf18193072939515e22adb298388d": "x"}}))),
    ],
)
def test_a_value_that_no_stand_in_takes_is_refused(wire: Wire, call: str, request_: object) -> None:
    error = wire.refusal(call, request_)
    assert error.details() == "a value of an unknown kind is not supported here"
    assert wire.provider.calls == []


@pytest.mark.parametrize(
    ("call", "request_"),
    [
        ("Configure", provider_pb2.ConfigureRequest(args=encode({}))),
        ("Create", provider_pb2.CreateRequest(urn=_URN)),
        ("Read", provider_pb2.ReadRequest(urn=_URN, id="i")),
        ("Delete", provider_pb2.DeleteRequest(urn=_URN, id="i")),
    ],
)
def test_a_refusal_is_the_users_message(wire: Wire, call: str, request_: object) -> None:
    wire.provider.answer = ProviderError("there is no room")
    error = wire.refusal(call, request_)
    assert (error.code(), error.details()) == (grpc.StatusCode.UNKNOWN, "there is no room")


def test_a_read_finds_the_resource_or_says_that_it_is_gone(wire: Wire) -> None:
    wire.provider.answer = Found("j", {"size": 3}, {"size": 3, "made": 1})
    request = provider_pb2.ReadRequest(urn=_URN, id="i", inputs=encode({"size": 2}), properties=encode({"made": 1}))
    response = wire.engine.Read(request)
    assert wire.provider.calls == [("read", replace(_ASKED, id="i", old={"size": 2}, outputs={"made": 1}))]
    assert (response.id, decode(response.inputs), decode(response.properties)) == (
        "j",
        {"size": 3},
        {"size": 3, "made": 1},
    )
    wire.provider.answer = None
    gone = wire.engine.Read(request)
    assert (gone.id, gone.HasField("properties")) == ("", False)


def test_an_update_and_a_deletion_carry_what_is_recorded(wire: Wire) -> None:
    wire.provider.answer = {"size": 4}
    state: dict[str, Any] = {"urn": _URN, "id": "i", "old_inputs": encode({"size": 3})}
    response = wire.engine.Update(
        provider_pb2.UpdateRequest(**state, olds=encode({"made": 1}), news=encode({"size": 4}), timeout=2.0)
    )
    assert decode(response.properties) == {"size": 4}
    wire.engine.Delete(provider_pb2.DeleteRequest(**state, properties=encode({"made": 1}), timeout=3.0))
    recorded = replace(_ASKED, id="i", old={"size": 3}, outputs={"made": 1})
    assert wire.provider.calls == [
        ("update", replace(recorded, new={"size": 4}, timeout=2.0)),
        ("delete", replace(recorded, timeout=3.0)),
    ]


def test_configuration_goes_as_it_is_and_replaces_nothing(wire: Wire) -> None:
    checked = wire.engine.CheckConfig(provider_pb2.CheckRequest(urn=_URN, news=encode({"project": "acme"})))
    assert decode(checked.inputs) == {"project": "acme"}
    diff = wire.engine.DiffConfig(provider_pb2.DiffRequest(urn=_URN, news=encode({"project": "other"})))
    assert diff.changes == provider_pb2.DiffResponse.DIFF_NONE
    configured = wire.engine.Configure(provider_pb2.ConfigureRequest(args=encode({"project": "acme"})))
    assert (configured.supportsPreview, configured.acceptSecrets, configured.acceptResources) == (True, False, False)
    assert wire.provider.calls == [("configure", {"project": "acme"})]


def test_what_a_package_does_not_model_is_refused(wire: Wire) -> None:
    error = wire.refusal("Invoke", provider_pb2.InvokeRequest(tok="shop:index:find"))
    assert error.details() == "stand-in provider shop: function shop:index:find is not modelled by the simulator"
    error = wire.refusal("GetSchema", provider_pb2.GetSchemaRequest())
    assert (error.code(), error.details()) == (
        grpc.StatusCode.UNIMPLEMENTED,
        "the stand-in for shop has no package schema",
    )


def test_it_bears_its_version_and_can_be_interrupted(wire: Wire) -> None:
    assert wire.engine.GetPluginInfo(empty_pb2.Empty()).version == "1.2.3"
    wire.engine.Cancel(empty_pb2.Empty())
    assert wire.provider.calls == [("cancel",)]


def test_warnings_and_passing_states_go_to_the_engines_log() -> None:
    with engine_log() as (address, logged):
        engine = EngineLog(address)
        engine.warn(_URN, "it was away")
        engine.status(_URN, "waiting")
    assert logged.lines == [
        (_URN, "it was away", engine_pb2.WARNING, False),
        (_URN, "waiting", engine_pb2.INFO, True),
    ]


def test_a_plugin_without_an_engine_says_what_it_is() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "simulator.providers", "random"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "this is a Pulumi plugin: the engine starts it and passes its own address\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_plugin_serves_until_it_is_told_to_end(number: signal.Signals) -> None:
    plugin = subprocess.Popen(
        [sys.executable, "-m", "simulator.providers", "random", "127.0.0.1:1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert plugin.stdout is not None
    port = int(plugin.stdout.readline())
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub: Any = provider_pb2_grpc.ResourceProviderStub(channel)
        assert stub.GetPluginInfo(empty_pb2.Empty()).version
        os.kill(plugin.pid, number)
        out, err = plugin.communicate(timeout=_SECONDS)
    assert (plugin.returncode, out, err) == (0, "", "")
