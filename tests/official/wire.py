"""A plugin process, called over the wire as the engine calls it, with the face of a stand-in."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any, Final

import grpc
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from simulator.providers.base import Change, Checked, Difference, Failure, ProviderError, Request
from simulator.providers.values import decode, encode

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SECONDS: Final = 60.0
"""For one call, and for the plugin's end."""
_INPUTS: Final = "__inputs"
"""In the state of a Kubernetes object: its inputs. The plugin reads the old ones there alone (`checkpointObject`)."""


class Plugin:
    """One process, until it is closed. It answers what the table of decisions asks of a provider."""

    def __init__(self, command: Path, environment: Mapping[str, str], engine: str) -> None:
        """Start it with the address of an engine."""
        self._process = subprocess.Popen([str(command), engine], env=environment, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        port = self._process.stdout.readline().strip()
        assert port.isdecimal(), f"{command} printed {port!r}, not its port"
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        self._stub: Any = provider_pb2_grpc.ResourceProviderStub(self._channel)

    def close(self) -> None:
        """End the process."""
        self._channel.close()
        self._process.terminate()
        self._process.communicate(timeout=_SECONDS)

    def configure(self, package: str, config: Mapping[str, str]) -> None:
        """Check a provider's configuration and take it."""
        args = encode(dict(config))
        urn = f"urn:pulumi:dev::proj::pulumi:providers:{package}::default"
        self._call("CheckConfig", provider_pb2.CheckRequest(urn=urn, news=args))
        variables = {f"{package}:config:{name}": value for name, value in config.items()}
        request = provider_pb2.ConfigureRequest(variables=variables, args=args, sends_old_inputs=True)
        self._call("Configure", request)

    def check(self, request: Request) -> Checked:
        """As `StandIn.check`."""
        message = provider_pb2.CheckRequest(
            urn=request.urn,
            name=request.name,
            type=request.type,
            olds=encode(request.old) if request.old else None,
            news=encode(request.new),
            randomSeed=request.seed,
        )
        answer = self._call("Check", message)
        return Checked(decode(answer.inputs), [Failure(each.property, each.reason) for each in answer.failures])

    def diff(self, request: Request) -> Difference:
        """As `StandIn.diff`, as far as the engine decides by it: what is replaced, and whether anything changes."""
        outputs = request.outputs
        if request.type.startswith("kubernetes:"):
            outputs = {**outputs, _INPUTS: request.old}
        message = provider_pb2.DiffRequest(
            id=request.id,
            urn=request.urn,
            name=request.name,
            type=request.type,
            old_inputs=encode(request.old),
            olds=encode(outputs),
            news=encode(request.new),
            ignoreChanges=request.ignored,
        )
        answer = self._call("Diff", message)
        if answer.changes == provider_pb2.DiffResponse.DIFF_NONE:
            return Difference()
        changes: dict[str, Change] = dict.fromkeys(("", *answer.diffs), Change.UPDATE)
        changes |= dict.fromkeys(answer.replaces, Change.UPDATE_REPLACE)
        return Difference(changes, delete_before_replace=answer.deleteBeforeReplace)

    def _call(self, method: str, request: object) -> Any:  # noqa: ANN401  gRPC's messages have no common type
        try:
            return getattr(self._stub, method)(request, timeout=_SECONDS)
        except grpc.RpcError as error:
            raise ProviderError(f"{getattr(request, 'urn', '')}: {method} failed: {error}") from error
