"""Passes the stack from the engine's call to a policy pack's environment variables, and proxies all calls.

The engine starts a pack through RunPlugin, connects to the port that it prints, and only then names the stack
(ConfigureStack). The Python SDK's packs read stack, project and configuration from their environment, so they can run
only after that call. The host therefore prints a port of its own, waits for the call, has the pack run with the
variables, and hands the next call on as it came: bytes, not messages, so that it need not know them. This is what the
official host does for Python and Node.js (sdk/policy_proxy.go of the Pulumi sources). With the pack's first answer the
relay asks the engine to connect anew (HTTP/2's GOAWAY), and the new connection leads to the pack itself: a hundred
calls, handed on one by one, cost a quarter of a second. The engine closes the old connection. Stopping the gRPC server
would close it from this side instead: bytes of the engine that are still unread would reset the connection, and the
engine could lose the answer.

The host answers one call in place of the pack, the one for its version. The engine loads one plugin at a time and has
that answer before it goes on to the next (defaultHost.PolicyAnalyzer in pkg/host/host.go), so without this several
packs would start one after the other.
"""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError, Future, InvalidStateError, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

import grpc
from pulumi.runtime.proto.analyzer_pb2 import AnalyzerStackConfigureRequest
from pulumi.runtime.proto.language_pb2 import RunPluginRequest, RunPluginResponse
from pulumi.runtime.proto.plugin_pb2 import PluginInfo

from toolchain.language_host import running
from toolchain.language_host.errors import HostError
from toolchain.language_host.forks import rest
from toolchain.language_host.packages import installed_in, policy_sdk_version
from toolchain.language_host.relay import Relay

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from toolchain.language_host.forks import Forks
    from toolchain.language_host.interpreter import Interpreter
    from toolchain.language_host.output import Stream

_WORKERS: Final = 16
"""Calls at once; a pack of the SDK answers four."""
_CONFIGURE: Final = "/pulumirpc.Analyzer/ConfigureStack"
_INFO: Final = "/pulumirpc.Analyzer/GetPluginInfo"
_OWN: Final = ("/pulumirpc.Analyzer/Handshake", "/pulumirpc.Analyzer/Cancel")
"""Calls that the proxy answers while there is no pack."""
_EMPTY: Final = b""
"""A message without fields."""


class PolicyPackProxy(grpc.GenericRpcHandler):
    """The Analyzer service of one pack, before and after the pack has been started."""

    def __init__(self, version: str) -> None:
        """A proxy that gives `version` as the pack's own while there is no pack; empty when unknown."""
        self._info = PluginInfo(version=version).SerializeToString()
        self._configuration: Future[AnalyzerStackConfigureRequest | None] = Future()
        self._pack: Future[grpc.Channel] = Future()
        self._server = grpc.server(ThreadPoolExecutor(_WORKERS), handlers=[self], options=running.MESSAGE_LIMITS)
        self._relay = Relay(self._server.add_insecure_port("127.0.0.1:0"))

    @contextmanager
    def serving(self) -> Generator[int]:
        """Serve on a port, which is the value."""
        self._server.start()
        try:
            with self._relay.serving() as port:
                yield port
        finally:
            self._server.stop(grace=None)
            if self.attached:
                self._pack.result().close()

    def configuration(self) -> AnalyzerStackConfigureRequest | None:
        """The engine's message about the stack, once it comes; None when another call comes first.

        Raises:
            CancelledError: the pack was given up meanwhile.
        """
        return self._configuration.result()

    def attach(self, port: int, configuration: AnalyzerStackConfigureRequest | None, drain: Callable[[], None]) -> None:
        """Hand the calls on to the pack, which listens on `port` and gets `configuration` first.

        The engine ends a pack without waiting for its output, and may do so when it has the last answer: `drain` waits
        until the engine has the output that the pack has written before.
        """
        channel = grpc.insecure_channel(f"127.0.0.1:{port}", options=running.MESSAGE_LIMITS)
        if configuration is not None:
            try:
                channel.unary_unary(_CONFIGURE)(configuration.SerializeToString())
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.UNIMPLEMENTED:  # early releases of the SDK do not know it
                    self.give_up(f"the policy pack refused its configuration: {error.details()}")
        self._relay.lead_to(port, drain)
        with suppress(InvalidStateError):  # given up meanwhile
            self._pack.set_result(channel)

    @property
    def attached(self) -> bool:
        """Whether the pack was there to be asked."""
        return self._pack.done() and self._pack.exception() is None

    def give_up(self, why: str) -> None:
        """Answer the calls that wait for the pack, and all later ones, with `why`, unless it is attached."""
        self._configuration.cancel()
        with suppress(InvalidStateError):
            self._pack.set_exception(HostError(why))

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes]:
        """The handler of any method: gRPC asks for it with each call."""
        method: str = handler_call_details.method

        def answer(request: bytes, call: grpc.ServicerContext) -> bytes:
            return self._answer(method, request, call)

        return grpc.unary_unary_rpc_method_handler(answer)

    def _answer(self, method: str, request: bytes, call: grpc.ServicerContext) -> bytes:
        if method in _OWN and not self._pack.done():
            return _EMPTY
        if method == _CONFIGURE:
            self._configure(AnalyzerStackConfigureRequest.FromString(request))
            return _EMPTY
        if method == _INFO and self._configuration.done() and not self._pack.done():
            return self._info
        self._configure(None)  # `pulumi policy publish` has no stack
        try:
            hand_on: grpc.UnaryUnaryMultiCallable[bytes, bytes] = self._pack.result().unary_unary(method)
            return hand_on(request)
        except HostError as error:
            call.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error))
        except grpc.RpcError as error:
            call.abort(error.code(), error.details() or "")

    def _configure(self, configuration: AnalyzerStackConfigureRequest | None) -> None:
        with suppress(InvalidStateError):  # the first one counts
            self._configuration.set_result(configuration)


def run_pack(
    interpreter: Interpreter, request: RunPluginRequest, forks: Forks, call: grpc.ServicerContext
) -> Iterator[RunPluginResponse]:
    """Run the pack of `request` behind a proxy; the stream is that of any plugin: port, output, exit code."""
    ended = threading.Event()
    proxy = PolicyPackProxy(policy_sdk_version(installed_in(interpreter.package_folders)))
    with proxy.serving() as port:
        yield RunPluginResponse(stdout=f"{port}\n".encode())
        if not call.add_callback(ended.set) or not call.add_callback(lambda: proxy.give_up("the engine has ended")):
            return
        try:
            program = forks.start(
                interpreter,
                "-m",
                running.PACK_MODULE,
                folder=request.info.program_directory,
                environment=running.plugin_environment(interpreter, request),
                piped=True,
                unbuffered=True,
                call=call,
            )
            configuration = proxy.configuration()
            program.tell(rest(running.pack_arguments(request), running.pack_variables(configuration)))
        except CancelledError:
            return
        except HostError as error:
            proxy.give_up(str(error))
            ended.wait()  # for the engine, which asks for the reason
            return
        yield from after_port(program.output(), lambda port: proxy.attach(port, configuration, program.drain))
        code = program.wait()
        if not proxy.attached:
            proxy.give_up(f"the policy pack ended before it served: {running.ending(code)}")
            ended.wait()
        yield RunPluginResponse(exitcode=running.exit_status(code))


def after_port(output: Iterator[tuple[Stream, bytes]], found: Callable[[int], None]) -> Iterator[RunPluginResponse]:
    """A pack's output without the line with its port, which goes to `found`; text may precede the port."""
    waiting = True
    head = b""
    for stream, chunk in output:
        if stream == "stderr":
            yield RunPluginResponse(stderr=chunk)
        elif waiting:
            *lines, head = (head + chunk).split(b"\n")
            while lines and waiting:
                line = lines.pop(0)
                if line.strip().isdigit():
                    waiting = False
                    found(int(line))
                else:
                    yield RunPluginResponse(stdout=line + b"\n")
            if not waiting:
                yield RunPluginResponse(stdout=b"\n".join([*lines, head]))
        else:
            yield RunPluginResponse(stdout=chunk)
