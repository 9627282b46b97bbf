"""Runs the whole program, `__main__.py`, without an engine and tells what it registered.

Doubles the engine's monitor and log, and the providers: of what a cloud invents, the cluster's endpoint, certificate
and version, a share's address, a password and answers to lookups are made up; every other output is the input of its
name.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import json
import logging
import runpy
import shutil
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, cast

import grpc
import pulumi_gcp
from google.protobuf import empty_pb2, json_format, struct_pb2
from pulumi.runtime import config, get_root_resource, mocks, rpc, settings
from pulumi.runtime.proto import resource_pb2
from pulumi.runtime.stack import run_in_stack

from tests.golden import as_yaml, changes
from tests.stacks import GCP_PROJECT, PLATFORM_KEY, PROJECT, Stack, given_file, stack_file
from tests.tracked import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ENDPOINT: Final = "203.0.113.7"
CERTIFICATE: Final = "Q0VSVElGSUNBVEU="
VERSION: Final = "1.36.4-gke.1247000"
"""Of the control plane."""
PROGRAM: Final = ROOT / "__main__.py"
MISSING: Final = "multislice-clustr"
"""Name of a cluster that is not there."""
MISSING_SECRET: Final = "forgotten"  # noqa: S105  a name
"""Name of a secret of Secret Manager that nobody has made."""
_READ_OUTPUTS: Final = "pulumi:pulumi:readStackOutputs"
_READ_STATE: Final = "pulumi:pulumi:readStackResourceOutputs"
_RELEASE: Final = "kubernetes:helm.sh/v3:Release"
_ADOPTING: Final = "tpu-platform:adopting"
PASSWORD: Final = "drawn"  # noqa: S105  made up
ADDRESS: Final = "10.8.1.2"
"""Of every instance of storage."""
INVENTED: Final[dict[str, dict[str, Any]]] = {
    "random:index/randomPassword:RandomPassword": {"result": PASSWORD},
    "gcp:container/cluster:Cluster": {
        "endpoint": ENDPOINT,
        "masterAuth": {"clusterCaCertificate": CERTIFICATE},
        "masterVersion": VERSION,
    },
    "gcp:filestore/instance:Instance": {"networks": [{"ipAddresses": [ADDRESS]}]},
    "gcp:lustre/instance:Instance": {"mountPoint": f"{ADDRESS}@tcp:/scratch"},
    "gcp:compute/globalAddress:GlobalAddress": {"address": "10.200.0.0"},
    "gcp:iam/workloadIdentityPool:WorkloadIdentityPool": {
        "name": "projects/1/locations/global/workloadIdentityPools/github"
    },
    "gcp:iam/workloadIdentityPoolProvider:WorkloadIdentityPoolProvider": {
        "name": "projects/1/locations/global/workloadIdentityPools/github/providers/github"
    },
}
"""What the cloud adds to what it was asked for, by type."""
_ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "gcp:container/getCluster:getCluster": {
        "endpoint": ENDPOINT,
        "masterAuths": [{"clusterCaCertificate": CERTIFICATE}],
        "network": "projects/tpu-sandbox/global/networks/theirs",
        "subnetwork": "projects/tpu-sandbox/regions/us-west4/subnetworks/theirs",
    },
    "gcp:container/getEngineVersions:getEngineVersions": {
        "releaseChannelDefaultVersion": {"RAPID": "1.36.4-gke.1082000", "STABLE": "1.33.5-gke.1080000"},
        "releaseChannelLatestVersion": {"RAPID": VERSION, "STABLE": "1.33.5-gke.1201000"},
    },
    "gcp:secretmanager/getSecret:getSecret": {},
}
"""What the cloud says when it is asked."""
_NO_OPTIONS: Final = (
    *("type", "name", "parent", "object", "custom", "hooks"),
    *(
        "accept",
        "supports",
        "sourcePosition",
        "stackTrace",
        "propertyDependencies",
        "version",
        "deleteBeforeReplaceDef",
    ),
)
"""Beginnings of the request's fields that are no options: what the resource is, how the request travels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """A resource as the engine was asked for it; others are referred to by type and name."""

    type: str
    name: str
    parent: str
    inputs: dict[str, Any]
    options: dict[str, Any]
    """Those that are set, by their name in the engine's protocol."""

    @property
    def reference(self) -> str:
        """How others refer to it."""
        return f"{self.type}::{self.name}"


@dataclass(slots=True)
class Run:
    """What one run of the program did."""

    resources: list[Registered] = field(default_factory=list[Registered])
    """Sorted by type and name, without the stack itself."""
    outputs: dict[str, Any] = field(default_factory=dict[str, Any])
    references: list[str] = field(default_factory=list[str])
    """Names of the stacks that it refers to."""
    lookups: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])
    """Function and arguments of each."""
    finished: set[str] = field(default_factory=set[str])
    """Components that have registered their outputs."""
    log: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Level and text of each message."""
    exit_code: int | str | None = None
    """None for a program that ran to its end."""

    def of(self, kind: str) -> list[Registered]:
        """Resources whose type ends in `kind`."""
        return [each for each in self.resources if each.type.endswith(f":{kind}")]

    def one(self, kind: str, name: str) -> Registered:
        """The resource of that type and name."""
        (found,) = [each for each in self.of(kind) if each.name == name]
        return found


class _NotFoundError(grpc.RpcError):
    """How the engine answers for a function of a provider that fails."""

    def code(self) -> grpc.StatusCode:
        """As for every error of a provider."""
        return grpc.StatusCode.UNKNOWN

    def details(self) -> str:
        """What the provider says."""
        return str(self.args[0])


class _Cloud(mocks.Mocks):
    """Stands where the SDK wants a double; the monitor answers instead."""

    def call(self, args: mocks.MockCallArgs) -> tuple[dict[str, Any], list[tuple[str, str]] | None]:
        """Refuses."""
        raise AssertionError(f"unexpected call of {args.token}")

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        """Refuses."""
        raise AssertionError(f"unexpected reading of {args.name}")


_INSTALLED: Final = {
    f"urn:pulumi:test::tpu-platform::tpu-platform:controllers:Controllers${_RELEASE}::{name}": {
        "type": _RELEASE,
        "outputs": {"name": name},
    }
    for name in ("jobset", "kueue")
}


class _Monitor(mocks.MockMonitor):
    """Keeps what the engine was asked for, and doubles the providers."""

    def __init__(self, run: Run, before: Mapping[str, object], state: Mapping[str, object]) -> None:
        super().__init__(_Cloud())
        self._run = run
        self._before = before
        self._state = state

    def Invoke(  # noqa: N802  the protocol's name
        self, request: resource_pb2.ResourceInvokeRequest
    ) -> resource_pb2.ResourceInvokeResponse:
        """Answers for the engine's state with the stack's outputs, and for the cloud, noting what it was asked for.

        The SDK's own leaves an event loop open in a thread.
        """
        asked = _plain(request.args)
        answer = struct_pb2.Struct()
        if request.tok == _READ_OUTPUTS:
            json_format.ParseDict({"outputs": dict(self._before)}, answer)
        elif request.tok == _READ_STATE:
            json_format.ParseDict({"outputs": dict(self._state)}, answer)
        else:
            self._run.lookups.append((request.tok, asked))
            if asked.get("name") == MISSING:
                raise _NotFoundError(f"invoking {request.tok}: 1 error occurred:\n\t* clusters/{MISSING} not found\n\n")
            if asked.get("secretId") == MISSING_SECRET:
                raise _NotFoundError(
                    f"invoking {request.tok}: 1 error occurred:\n\t* secrets/{MISSING_SECRET} not found\n"
                )
            answer.update({**asked, **_ANSWERS[request.tok]})
        response = resource_pb2.ResourceInvokeResponse()
        getattr(response, "return").CopyFrom(answer)
        return response

    def ReadResource(  # noqa: N802  the protocol's name
        self, request: resource_pb2.ReadResourceRequest
    ) -> resource_pb2.ReadResourceResponse:
        """Notes a reference to another stack; a program reads nothing else."""
        assert request.type == "pulumi:pulumi:StackReference", request.type
        self._run.references.append(request.id)
        urn = self.make_urn(request.parent, request.type, request.name)
        return resource_pb2.ReadResourceResponse(urn=urn, properties=request.properties)

    def RegisterResource(  # noqa: N802  the protocol's name
        self, request: resource_pb2.RegisterResourceRequest
    ) -> resource_pb2.RegisterResourceResponse:
        """Notes the request; answers with its inputs and what the cloud invents."""
        if request.type != "pulumi:pulumi:Stack":
            self._run.resources.append(_registered(request))
        outputs = struct_pb2.Struct()
        outputs.CopyFrom(request.object)
        outputs.update(INVENTED.get(request.type, {}))
        urn = self.make_urn(request.parent, request.type, request.name)
        identifier = f"{request.name}-id" if request.custom else ""
        return resource_pb2.RegisterResourceResponse(urn=urn, id=identifier, object=outputs)

    def RegisterResourceOutputs(  # noqa: N802  the protocol's name
        self, request: resource_pb2.RegisterResourceOutputsRequest
    ) -> empty_pb2.Empty:
        """Notes whose outputs they are."""
        self._run.finished.add(_reference(request.urn))
        return empty_pb2.Empty()


class _Log(logging.Handler):
    """Keeps what the user would read."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self._run = run

    def emit(self, record: logging.LogRecord) -> None:
        """Notes the message, if it is not for developers."""
        if record.levelno > logging.DEBUG:
            self._run.log.append((record.levelname.lower(), record.getMessage()))


@functools.cache
def _load_sdk() -> tuple[type, type]:
    """Loads the parts of the SDK that warn, when they are loaded, of their own deprecated names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return pulumi_gcp.compute.Network, pulumi_gcp.storage.Bucket


def as_golden(resources: Sequence[Registered], others: Sequence[Registered] = ()) -> list[dict[str, Any]]:
    """Resources as golden files have them: whole, or by what differs from the one of their type that is most alike.

    That one is before it in the file, or one of `others`, which another file has.
    """
    known = list(others)
    written: list[dict[str, Any]] = []
    for each in resources:
        whole = asdict(each)
        alike = [base for base in known if base.type == each.type]
        patches = [{"like": base.reference, "patch": changes(asdict(base), whole)} for base in alike]
        written.append(min(patches, key=lambda patch: len(as_yaml(patch)), default=whole))
        known.append(each)
    return written


def run_program(
    stack: str,
    configuration: Mapping[str, str],
    run: Run | None = None,
    before: Mapping[str, object] | None = None,
    program: Path | Callable[[], object] = PROGRAM,
    *,
    decrypted: Sequence[str] = (),
    state: Mapping[str, object] | None = None,
) -> Run:
    """One run of the program for the stack, with the configuration as the engine passes it.

    `run` is filled in, for a look at what a program did that ends in an exception; `before` are the stack's outputs of
    the update before this one, if there was one, and of every stack that is referred to; `program` is a file, or a
    function that is one; `decrypted` are the keys of the configuration with values that the engine decrypted; `state`
    has the type and the outputs of each resource of the stack, by URN, as the update before this one left it; the
    releases of the controllers are in it wherever there was an update.
    """
    _load_sdk()
    run = Run() if run is None else run
    # In a thread of its own, whose stack is short: the SDK looks at every frame of it for every resource.
    with ThreadPoolExecutor(max_workers=1) as thread:
        context = contextvars.copy_context()
        monitor = _Monitor(run, before or {}, {**(_INSTALLED if before else {}), **(state or {})})
        work = functools.partial(_run, run, stack, configuration, monitor, program, list(decrypted))
        thread.submit(context.run, work).result()
    run.resources.sort(key=lambda each: (each.type, each.name))
    return run


def run_committed(stack: str) -> Run:
    """One run of the program for a committed stack."""
    given = given_file(stack_file(stack))
    assert given.platform is not None
    run = run_program(stack, {"gcp:project": str(given.gcp_project), PLATFORM_KEY: given.platform})
    assert run.exit_code is None, run.log
    return run


def run_stack(stack: Stack) -> Run:
    """One run of the program for a stack that it does not refuse.

    The double has no cluster that could be asked for controllers, so the stack says that it takes them over.
    """
    run = run_edited(stack)
    assert run.exit_code is None, run.log
    return run


def run_edited(stack: Stack) -> Run:
    """One run of the program for a stack that it may refuse, in a folder with the files of the stack."""
    configuration = {"gcp:project": GCP_PROJECT, PLATFORM_KEY: json.dumps(stack.platform), _ADOPTING: "true"}
    with TemporaryDirectory() as folder:
        program = Path(folder) / PROGRAM.name
        shutil.copy(PROGRAM, program)
        for name, text in stack.files.items():
            file = Path(folder) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return run_program("test", configuration, before=stack.before, program=program)


def _run(
    run: Run,
    stack: str,
    configuration: Mapping[str, str],
    monitor: _Monitor,
    program: Path | Callable[[], object],
    decrypted: list[str],
) -> None:
    # The SDK leaves futures of what a failed program never got to, and so silences this logger too.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    logger, handler = logging.getLogger("program"), _Log(run)
    logger.addHandler(handler)
    try:
        mocks.set_mocks(_Cloud(), PROJECT, stack, preview=False, logger=logger, monitor=monitor)
        config.set_all_config(dict(configuration), decrypted)
        settings.set_root_resource(cast("Any", None))  # the double's, which takes no asynchronous program
        run.outputs = loop.run_until_complete(_outputs_of(program))
    except SystemExit as end:
        run.exit_code = end.code
    finally:
        logger.removeHandler(handler)
        config.set_all_config({}, [])
        _end(loop)


def _end(loop: asyncio.AbstractEventLoop) -> None:
    """Ends what a program that failed in the middle left under way."""
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    left_over = cast("Any", settings.SETTINGS)  # the SDK forgets what is left by itself after a success alone
    left_over.outputs.clear()
    left_over.rpc_manager.clear()
    asyncio.set_event_loop(None)
    loop.close()


def _execute(program: Path | Callable[[], object]) -> None:
    if callable(program):
        program()
    else:
        runpy.run_path(str(program), run_name="__main__")


async def _outputs_of(program: Path | Callable[[], object]) -> dict[str, Any]:
    """Runs the program as the engine does; its outputs."""
    await run_in_stack(lambda: _execute(program))
    stack = cast("Any", get_root_resource())
    return _plain(await rpc.serialize_properties(stack.outputs, {}))


def _registered(request: resource_pb2.RegisterResourceRequest) -> Registered:
    fields = json_format.MessageToDict(request, preserving_proto_field_name=True)
    return Registered(
        type=request.type,
        name=request.name,
        parent=_reference(request.parent),
        inputs=_plain(request.object),
        options={name: _option(value) for name, value in fields.items() if not name.startswith(_NO_OPTIONS)},
    )


def _option(value: object) -> object:
    """An option with URNs shortened to type and name; lists sorted, because dependencies are a set."""
    match value:
        case str():
            return _reference(value)
        case list():
            return sorted((_option(each) for each in cast("list[object]", value)), key=str)
        case dict():
            return {key: _option(each) for key, each in cast("dict[str, object]", value).items()}
        case _:
            return value


def _reference(urn: str) -> str:
    """Type and name out of a URN, which may carry an id behind them; what is no URN is itself."""
    parts = urn.split("::")
    return f"{parts[2].rpartition('$')[2]}::{parts[3]}" if urn.startswith("urn:pulumi:") else urn


def _plain(struct: struct_pb2.Struct) -> dict[str, Any]:
    """Properties as Python values, numbers as the whole numbers that they were."""
    return cast("dict[str, Any]", _whole(json_format.MessageToDict(struct)))


def _whole(value: object) -> object:
    match value:
        case dict():
            return {key: _whole(each) for key, each in cast("dict[str, object]", value).items()}
        case list():
            return [_whole(each) for each in cast("list[object]", value)]
        case float() if value.is_integer():
            return int(value)
        case _:
            return value
