"""What stands between the engine and a policy pack, without either."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import TYPE_CHECKING

import grpc
import pytest
from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto.analyzer_pb2 import AnalyzerHandshakeRequest, AnalyzerInfo, AnalyzerStackConfigureRequest
from pulumi.runtime.proto.analyzer_pb2_grpc import AnalyzerServicer, add_AnalyzerServicer_to_server
from pulumi.runtime.proto.plugin_pb2 import PluginInfo

from toolchain.language_host.policy_pack import PolicyPackProxy, after_port
from toolchain.language_host.relay import nothing

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from google.protobuf.message import Message

    from toolchain.language_host.output import Stream

    Ask = Callable[[str, Message], bytes]


class Pack(AnalyzerServicer):
    """Doubles a pack of the SDK: it keeps what it is told and has a name."""

    def __init__(self) -> None:
        self.configured: list[str] = []
        self.heard: list[str] = []

    def ConfigureStack(self, request: AnalyzerStackConfigureRequest, context: grpc.ServicerContext) -> Empty:  # noqa: N802, ARG002  gRPC's
        self.configured.append(request.stack)
        return Empty()  # on the wire the same as the answer without fields

    def GetAnalyzerInfo(self, request: Empty, context: grpc.ServicerContext) -> AnalyzerInfo:  # noqa: N802, ARG002  gRPC's
        self.heard.extend(str(value) for key, value in context.invocation_metadata() if key == "said")
        return AnalyzerInfo(name="doubled")

    def GetPluginInfo(self, request: Empty, context: grpc.ServicerContext) -> PluginInfo:  # noqa: N802, ARG002  gRPC's
        return PluginInfo(version="of the pack itself")

    def Configure(self, request: object, context: grpc.ServicerContext) -> Empty:  # noqa: N802, ARG002  gRPC's
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, "a level that means nothing")


@pytest.fixture
def pack() -> Generator[tuple[Pack, int]]:
    made = Pack()
    server = grpc.server(ThreadPoolExecutor(1))
    add_AnalyzerServicer_to_server(made, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield made, port
    server.stop(grace=None).wait()


@pytest.fixture
def proxy() -> PolicyPackProxy:
    return PolicyPackProxy("1.2.3")


@pytest.fixture
def ask(proxy: PolicyPackProxy) -> Generator[Ask]:
    """The engine's side of the proxy: call a method of the Analyzer service and get the answer's bytes."""
    with proxy.serving() as port, grpc.insecure_channel(f"127.0.0.1:{port}") as channel:

        def call(method: str, request: Message) -> bytes:
            stub: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/pulumirpc.Analyzer/{method}")
            return stub(request.SerializeToString())

        yield call


def test_calls_reach_the_pack_after_it_has_been_told_its_stack(
    proxy: PolicyPackProxy, ask: Ask, pack: tuple[Pack, int]
) -> None:
    served, port = pack
    ask("Handshake", AnalyzerHandshakeRequest(engine_address="e:1"))  # answered while there is no pack
    ask("ConfigureStack", AnalyzerStackConfigureRequest(stack="dev"))
    configuration = proxy.configuration()
    assert configuration is not None
    assert configuration.stack == "dev"
    assert not proxy.attached
    proxy.attach(port, configuration, nothing)
    assert proxy.attached
    assert AnalyzerInfo.FromString(ask("GetAnalyzerInfo", Empty())).name == "doubled"
    assert served.configured == ["dev"]


def test_after_the_first_answer_the_engine_is_connected_to_the_pack_itself(
    proxy: PolicyPackProxy, pack: tuple[Pack, int]
) -> None:
    with proxy.serving() as port, grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        grpc.channel_ready_future(channel).result()
        heard_before: list[int] = []
        proxy.attach(pack[1], None, lambda: heard_before.append(len(pack[0].heard)))
        info: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/pulumirpc.Analyzer/GetAnalyzerInfo")
        for what in ("first", "second", "third"):  # what is handed on is the message, without what travels beside it
            assert AnalyzerInfo.FromString(info(b"", metadata=(("said", what),))).name == "doubled"
    heard = pack[0].heard
    assert heard[-2:] == ["second", "third"]  # the port may ask for another connection before the first call
    assert heard_before[-1] == len(heard)  # between what the pack did last and its answer


def test_the_engine_has_the_version_before_the_pack_is_there(
    proxy: PolicyPackProxy, ask: Ask, pack: tuple[Pack, int]
) -> None:
    ask("ConfigureStack", AnalyzerStackConfigureRequest(stack="dev"))
    assert PluginInfo.FromString(ask("GetPluginInfo", Empty())).version == "1.2.3"
    assert not proxy.attached
    proxy.attach(pack[1], None, nothing)
    assert PluginInfo.FromString(ask("GetPluginInfo", Empty())).version == "of the pack itself"


def test_the_packs_refusals_reach_the_engine(proxy: PolicyPackProxy, ask: Ask, pack: tuple[Pack, int]) -> None:
    proxy.attach(pack[1], None, nothing)
    with pytest.raises(grpc.RpcError) as refused:
        ask("Configure", Empty())
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert refused.value.details() == "a level that means nothing"


def test_a_call_that_comes_before_the_stack_means_that_there_is_none(
    proxy: PolicyPackProxy, ask: Ask, pack: tuple[Pack, int]
) -> None:
    answers: list[bytes] = []
    asking = threading.Thread(target=lambda: answers.append(ask("GetAnalyzerInfo", Empty())))
    asking.start()
    assert proxy.configuration() is None
    proxy.attach(pack[1], None, nothing)
    asking.join()
    assert [AnalyzerInfo.FromString(answer).name for answer in answers] == ["doubled"]
    assert pack[0].configured == []


def test_a_pack_that_was_given_up_answers_with_the_reason(proxy: PolicyPackProxy, ask: Ask) -> None:
    proxy.give_up("the policy pack ended before it served")
    with pytest.raises(CancelledError):
        proxy.configuration()
    with pytest.raises(grpc.RpcError) as refused:
        ask("GetAnalyzerInfo", Empty())
    assert refused.value.details() == "the policy pack ended before it served"


@pytest.mark.parametrize(
    ("chunks", "ports", "out"),
    [
        pytest.param([b"4711\n"], [4711], b"", id="the port alone"),
        pytest.param([b"47", b"11", b"\nafter\n", b"more"], [4711], b"after\nmore", id="the port in pieces"),
        pytest.param([b"before\n\n12 monkeys\n4711\n8\n"], [4711], b"before\n\n12 monkeys\n8\n", id="text around it"),
        pytest.param([b"before\n", b"47"], [], b"before\n", id="no port"),
    ],
)
def test_the_port_is_taken_out_of_a_packs_output(chunks: list[bytes], ports: list[int], out: bytes) -> None:
    output: list[tuple[Stream, bytes]] = [("stderr", b"aside"), *(("stdout", chunk) for chunk in chunks)]
    found: list[int] = []
    responses = list(after_port(iter(output), found.append))
    assert found == ports
    assert b"".join(response.stdout for response in responses) == out
    assert b"".join(response.stderr for response in responses) == b"aside"
