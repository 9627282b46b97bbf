"""Put a stand-in provider behind the engine's gRPC protocol.

The engine starts the plugin with its own address as the last argument, reads a port from the first line of standard
output and speaks the ResourceProvider service to it (sdk/proto/pulumi/provider.proto). Values come plain because the
handshake declines secrets, resources and outputs; the engine restores the secret marks by property name.
"""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import grpc
from google.protobuf import any_pb2, empty_pb2
from google.rpc import code_pb2
from pulumi.runtime.proto import (
    engine_pb2,
    engine_pb2_grpc,
    plugin_pb2,
    provider_pb2,
    provider_pb2_grpc,
    status_pb2,  # the SDK's own: a process cannot load that of google.rpc beside it
)

from simulator.providers.base import Change, Checked, Difference, PartlyCreatedError, ProviderError, Request, StandIn
from simulator.providers.parent_death import die_with
from simulator.providers.values import UnsupportedValueError, decode, encode
from simulator.stop_signals import Ending

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_MAX_MESSAGE: Final = 1024 * 1024 * 400
"""Bytes; the engine's own limit for one gRPC message (sdk/go/common/util/rpcutil)."""
_WORKERS: Final = 128
"""Calls at once: the engine may wait for this many creations in parallel (`pulumi up --parallel`)."""
_KINDS: Final = {
    Change.ADD: provider_pb2.PropertyDiff.ADD,
    Change.ADD_REPLACE: provider_pb2.PropertyDiff.ADD_REPLACE,
    Change.DELETE: provider_pb2.PropertyDiff.DELETE,
    Change.DELETE_REPLACE: provider_pb2.PropertyDiff.DELETE_REPLACE,
    Change.UPDATE: provider_pb2.PropertyDiff.UPDATE,
    Change.UPDATE_REPLACE: provider_pb2.PropertyDiff.UPDATE_REPLACE,
}


class EngineLog:
    """Messages to the user through the engine's own log."""

    def __init__(self, address: str) -> None:
        """`address` is the engine's, as given to the plugin."""
        self._stub = engine_pb2_grpc.EngineStub(grpc.insecure_channel(address))

    def warn(self, urn: str, text: str) -> None:
        """Show `text` as a warning under `urn`."""
        self._log(urn, text, engine_pb2.WARNING, ephemeral=False)

    def status(self, urn: str, text: str) -> None:
        """Show `text` beside `urn` until the next one."""
        self._log(urn, text, engine_pb2.INFO, ephemeral=True)

    def _log(self, urn: str, text: str, severity: engine_pb2.LogSeverity.ValueType, *, ephemeral: bool) -> None:
        self._stub.Log(  # pyright: ignore[reportUnknownMemberType]  the stub leaves its request untyped
            engine_pb2.LogRequest(severity=severity, message=text, urn=urn, ephemeral=ephemeral)
        )


def serve(make: Callable[[EngineLog], StandIn], arguments: list[str]) -> None:
    """Serve the provider that `make` builds until the engine ends; `arguments` are the plugin's command line.

    Prints the port on standard output, as the engine expects of a plugin.
    """
    if not arguments:
        print("this is a Pulumi plugin: the engine starts it and passes its own address", file=sys.stderr)
        raise SystemExit(2)
    die_with(os.getppid(), signal.SIGTERM)
    provider = make(EngineLog(arguments[-1]))
    options = [("grpc.max_receive_message_length", _MAX_MESSAGE), ("grpc.max_send_message_length", _MAX_MESSAGE)]
    server = grpc.server(ThreadPoolExecutor(max_workers=_WORKERS), options=options)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(_Servicer(provider), server)
    port = server.add_insecure_port("127.0.0.1:0")
    # The engine ends a plugin with SIGINT, at any moment once it knows the port, and waits five seconds for it. A
    # user's Ctrl-C does not come here: plugins have a process group of their own, and the engine calls Cancel.
    ending = Ending()
    ending.take_signals()
    server.start()
    print(port, flush=True)
    ending.wait()
    server.stop(grace=None).wait()


def _asked(message: Any, **places: str) -> Request:
    """The question in a message; `places` says which of its fields has which properties."""
    urn: str = message.urn
    type_, name = urn.partition("::")[2].split("::", 2)[1:]
    return Request(
        urn=urn,
        type=type_.rpartition("$")[2],
        name=name,
        id=getattr(message, "id", ""),
        ignored=tuple(getattr(message, "ignoreChanges", ())),
        preview=getattr(message, "preview", False),
        timeout=getattr(message, "timeout", 0.0),
        seed=getattr(message, "randomSeed", b""),
        **{part: decode(getattr(message, place)) for part, place in places.items()},
    )


class _Servicer(provider_pb2_grpc.ResourceProviderServicer):
    """Translate each call; an exception that is not a `ProviderError` is a bug and reaches the user as such."""

    def __init__(self, provider: StandIn) -> None:
        self._provider = provider

    def Handshake(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.ProviderHandshakeResponse:
        return provider_pb2.ProviderHandshakeResponse()

    def GetPluginInfo(self, request: Any, context: grpc.ServicerContext) -> plugin_pb2.PluginInfo:
        return plugin_pb2.PluginInfo(version=self._provider.version)

    def GetSchema(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.GetSchemaResponse:
        context.abort(grpc.StatusCode.UNIMPLEMENTED, f"the stand-in for {self._provider.package} has no package schema")

    def CheckConfig(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.CheckResponse:
        with _translated(context):
            old, new = decode(request.olds), decode(request.news)
            return _check_response(self._provider.check_config(request.urn, old, new))

    def DiffConfig(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.DiffResponse:
        with _translated(context):
            old = decode(request.old_inputs) if request.HasField("old_inputs") else decode(request.olds)
            return _diff_response(self._provider.diff_config(request.urn, old, decode(request.news)))

    def Configure(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.ConfigureResponse:
        with _translated(context):
            self._provider.configure(decode(request.args))
        return provider_pb2.ConfigureResponse(supportsPreview=True)

    def Check(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.CheckResponse:
        with _translated(context):
            return _check_response(self._provider.check(_asked(request, old="olds", new="news")))

    def Diff(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.DiffResponse:
        with _translated(context):
            asked = _asked(request, old="old_inputs", outputs="olds", new="news")
            return _diff_response(self._provider.diff(asked))

    def Create(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.CreateResponse:
        with _translated(context):
            created = self._provider.create(_asked(request, new="properties"))
        return provider_pb2.CreateResponse(id=created.id, properties=encode(created.outputs))

    def Read(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.ReadResponse:
        with _translated(context):
            found = self._provider.read(_asked(request, old="inputs", outputs="properties"))
        if found is None:
            return provider_pb2.ReadResponse()
        return provider_pb2.ReadResponse(id=found.id, inputs=encode(found.inputs), properties=encode(found.outputs))

    def Update(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.UpdateResponse:
        with _translated(context):
            outputs = self._provider.update(_asked(request, old="old_inputs", outputs="olds", new="news"))
        return provider_pb2.UpdateResponse(properties=encode(outputs))

    def Delete(self, request: Any, context: grpc.ServicerContext) -> empty_pb2.Empty:
        with _translated(context):
            self._provider.delete(_asked(request, old="old_inputs", outputs="properties"))
        return empty_pb2.Empty()

    def Invoke(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.InvokeResponse:
        with _translated(context):
            result = self._provider.invoke(request.tok, decode(request.args))
        response = provider_pb2.InvokeResponse()
        getattr(response, "return").CopyFrom(encode(result))
        return response

    def Cancel(self, request: Any, context: grpc.ServicerContext) -> empty_pb2.Empty:
        self._provider.cancel()
        return empty_pb2.Empty()


@contextmanager
def _translated(context: grpc.ServicerContext) -> Generator[None]:
    """Turn a provider's exceptions into the statuses that the engine knows."""
    try:
        yield
    except (ProviderError, UnsupportedValueError) as error:
        if isinstance(error, PartlyCreatedError):
            context.set_trailing_metadata((("grpc-status-details-bin", _details(error)),))
        context.abort(grpc.StatusCode.UNKNOWN, str(error))


def _details(error: PartlyCreatedError) -> bytes:
    failed = provider_pb2.ErrorResourceInitFailed(
        id=error.id, inputs=encode(error.inputs), properties=encode(error.outputs), reasons=error.reasons
    )
    detail = any_pb2.Any()
    detail.Pack(failed, type_url_prefix="type.googleapis.com/")
    return status_pb2.Status(code=code_pb2.UNKNOWN, message=str(error), details=[detail]).SerializeToString()


def _check_response(checked: Checked) -> provider_pb2.CheckResponse:
    failures = [provider_pb2.CheckFailure(property=f.property, reason=f.reason) for f in checked.failures]
    return provider_pb2.CheckResponse(inputs=encode(checked.inputs), failures=failures)


def _diff_response(difference: Difference) -> provider_pb2.DiffResponse:
    changes = difference.changes
    return provider_pb2.DiffResponse(
        changes=provider_pb2.DiffResponse.DIFF_SOME if changes else provider_pb2.DiffResponse.DIFF_NONE,
        diffs=sorted({_root(path) for path in changes}),
        replaces=sorted(path for path, change in changes.items() if change.replaces),
        deleteBeforeReplace=difference.delete_before_replace,
        hasDetailedDiff=True,
        detailedDiff={
            path: provider_pb2.PropertyDiff(kind=_KINDS[change], inputDiff=True) for path, change in changes.items()
        },
    )


def _root(path: str) -> str:
    return path.split(".", 1)[0].split("[", 1)[0]
