"""Asks a pack what the engine asks, in its order: doubles the engine, never the pack or the policy SDK."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypedDict, cast
from unittest.mock import Mock

import grpc
from google.protobuf import json_format, struct_pb2
from msgspec import structs
from pulumi.runtime.proto.analyzer_pb2 import (
    AnalyzeDiagnostic,
    AnalyzeRequest,
    AnalyzeResponse,
    AnalyzerProviderResource,
    AnalyzerResource,
    AnalyzerResourceOptions,
    AnalyzeStackRequest,
    ConfigureAnalyzerRequest,
    PolicyConfig,
    RemediateResponse,
)

from policies.names import SETTINGS
from policies.pack import pack_of
from policies.serving import Server
from tests.policies.cases import name_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from policies.pack import Pack
    from tests.policies.cases import Case

NOBODY: Final = Mock(spec_set=grpc.ServicerContext)
"""Doubles the caller: no policy asks who it is."""
UNKNOWN_TEXT: Final = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""What the engine writes for a text that it does not know yet."""


@dataclass(frozen=True, slots=True)
class Registered:
    """A resource as a program registers it."""

    type: str
    name: str
    inputs: Mapping[str, Any]
    protect: bool = False
    after: tuple[str, ...] = ()
    """Names of the resources that it depends on."""
    parent: str = ""
    """The name of the one that it is registered under."""
    provider: str = ""
    """The name of its provider."""

    @property
    def urn(self) -> str:
        """As the engine makes it."""
        return f"urn:pulumi:dev::lab::{self.type}::{self.name}"


def registered(resource: dict[str, Any]) -> Registered:
    """A resource of a catalogue case, as a program would register it."""
    body = resource.get("manifest")
    related = _Related(
        protect=resource.get("protect", False),
        after=tuple(resource.get("after", ())),
        parent=resource.get("parent", ""),
        provider=resource.get("provider", ""),
    )
    if body is None:
        return Registered(resource["type"], resource["name"], resource["properties"], **related)
    version: str = body["apiVersion"] if "/" in body["apiVersion"] else f"core/{body['apiVersion']}"
    return Registered(f"kubernetes:{version}:{body['kind']}", name_of(resource), body, **related)


class _Related(TypedDict):
    """How a resource is registered."""

    protect: bool
    after: tuple[str, ...]
    parent: str
    provider: str


def settings_of(case: Case) -> dict[str, Any]:
    """The settings of a catalogue case, as a configuration file states them."""
    stated = json.loads(json.dumps(structs.asdict(case.settings)))
    return {key: value for key, value in stated.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Violation:
    """What a policy says."""

    policy: str
    urn: str
    level: str
    text: str
    """After the policy's own description."""


@dataclass(slots=True)
class Asked:
    """A pack that is asked about one stack."""

    pack: Pack = field(default_factory=lambda: pack_of("all"))
    server: Any = field(init=False)
    """A servicer of engine questions, ours or the SDK's; the SDK has no types for it."""
    not_applicable: dict[str, str] = field(init=False, default_factory=dict[str, str])
    """By policy: the last reason that it gave for not being applicable."""

    def __post_init__(self) -> None:
        """Serve the pack."""
        self.server = Server(self.pack)

    def configure(self, settings: Mapping[str, Any] | None = None, **levels: str) -> None:
        """Hand over what a configuration file states: settings, and levels by policy (with _ for -)."""
        stated = {
            policy.replace("_", "-"): PolicyConfig(enforcementLevel=cast("Any", level.upper()))
            for policy, level in levels.items()
        }
        properties = None if settings is None else struct(settings)
        stated[SETTINGS] = PolicyConfig(enforcementLevel=cast("Any", "MANDATORY"), properties=properties)
        self.server.Configure(ConfigureAnalyzerRequest(policyConfig=stated), NOBODY)

    def resource(self, each: Registered) -> list[Violation]:
        """What it says of a resource before it is made."""
        answer = self._noted(self.server.Analyze(request_of(each), NOBODY))
        return [_violation(said, each.urn) for said in answer.diagnostics]

    def stack(self, resources: Iterable[Registered], outputs: Mapping[str, Mapping[str, Any]]) -> list[Violation]:
        """What it says of the stack, where the engine shows `outputs` by URN, and empty bags for the rest."""
        there = list(resources)
        urns = {each.name: each.urn for each in there}
        shown = [
            AnalyzerResource(
                type=each.type,
                properties=struct(outputs.get(each.urn, {})),
                urn=each.urn,
                name=each.name,
                options=AnalyzerResourceOptions(protect=each.protect),
                provider=AnalyzerProviderResource(urn=urns.get(each.provider, each.provider)),
                parent=urns.get(each.parent, ""),
                dependencies=[urns[name] for name in each.after if name in urns],
            )
            for each in there
        ]
        answer = self._noted(self.server.AnalyzeStack(AnalyzeStackRequest(resources=shown), NOBODY))
        return [_violation(said, said.urn) for said in answer.diagnostics]

    def _noted(self, answer: AnalyzeResponse) -> AnalyzeResponse:
        """The answer, whose reasons are kept in `not_applicable`."""
        self.not_applicable |= {said.policy_name: said.reason for said in answer.not_applicable}
        return answer

    def first_preview(self, resources: Iterable[Registered]) -> list[Violation]:
        """What it says at a preview before there is a cluster: the stack is shown with empty bags."""
        each = list(resources)
        return [*(said for one in each for said in self.resource(one)), *self.stack(each, {})]

    def remedied(self, each: Registered) -> list[dict[str, Any]]:
        """What it makes of a resource, one after the other."""
        answer: RemediateResponse = self.server.Remediate(request_of(each), NOBODY)
        return [json_format.MessageToDict(remedy.properties) for remedy in answer.remediations]


def struct(values: Mapping[str, Any]) -> struct_pb2.Struct:
    """Values as they travel: every number is a float."""
    made = struct_pb2.Struct()
    made.update(dict(values))
    return made


def request_of(each: Registered) -> AnalyzeRequest:
    """The engine's question about a resource."""
    return AnalyzeRequest(
        type=each.type,
        properties=struct(each.inputs),
        urn=each.urn,
        name=each.name,
        options=AnalyzerResourceOptions(protect=each.protect),
    )


def _violation(said: AnalyzeDiagnostic, urn: str) -> Violation:
    level = {0: "advisory", 1: "mandatory"}[said.enforcementLevel]
    return Violation(said.policyName, urn, level, said.message.removeprefix(f"{said.description}\n"))
