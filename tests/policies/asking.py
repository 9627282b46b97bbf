"""Asks a pack what the engine asks, in its order: doubles the engine, never the pack or the policy SDK."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypedDict, cast
from unittest.mock import Mock

import grpc
from google.protobuf import json_format, struct_pb2
from jsonschema import Draft202012Validator
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
from pulumi_policy import EnforcementLevel
from pulumi_policy.policy import (
    _PolicyAnalyzerServicer,  # pyright: ignore[reportPrivateUsage]  what PolicyPack serves until its process ends
)

from policies.names import SETTINGS, rule_and_text
from policies.pack import Pack, pack_of
from policies.settings import schema
from tests.policies.cases import Case, name_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NOBODY: Final = Mock(spec_set=grpc.ServicerContext)
"""Doubles the caller: no policy asks who it is."""
_CONFIGURATION: Final[Any] = Draft202012Validator({"properties": schema()})
"""Checks the properties that a configuration file states; its types are looser than ours."""
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
    """Its name; the id of the rule where it reports findings of rules."""
    urn: str
    level: str
    text: str
    """After the sentences of the policy and the rule."""


@dataclass(slots=True)
class Asked:
    """A pack that is asked about one stack."""

    pack: Pack = field(default_factory=lambda: pack_of("all"))
    server: Any = field(init=False)
    """The SDK's servicer of engine questions, which has no types."""
    not_applicable: dict[str, str] = field(init=False, default_factory=dict[str, str])
    """By policy: the last reason that it gave for not being applicable."""

    def __post_init__(self) -> None:
        """Serve the pack."""
        self.server = _PolicyAnalyzerServicer(
            self.pack.name,
            "0.0.1",
            self.pack.policies,
            EnforcementLevel.MANDATORY,
            description=self.pack.description,
        )
        self.configure()

    def configure(self, settings: Mapping[str, Any] | None = None, **levels: str) -> None:
        """Hand over what a configuration file states: settings, and levels by rule (with _ for -)."""
        stated = {rule.replace("_", "-"): level for rule, level in levels.items()}
        self.state({SETTINGS: {**(settings or {}), "levels": stated}})

    def state(self, config: Mapping[str, str | Mapping[str, Any]]) -> None:
        """Hand over a configuration file: by policy its level, or its properties; the engine adds delivered levels.

        Raises:
            jsonschema.ValidationError: the properties do not fit the schema of the settings, by which the engine checks
                them before it hands them over.
        """
        delivered = {each.name: each.enforcement_level for each in self.pack.policies}
        request = {
            name: PolicyConfig(enforcementLevel=cast("Any", level.value.upper()))
            for name, level in delivered.items()
            if level is not None
        }
        for name, stated in config.items():
            if isinstance(stated, str):
                request[name] = PolicyConfig(enforcementLevel=cast("Any", stated.upper()))
            else:
                _CONFIGURATION.validate(stated)
                request[name].properties.update(dict(stated))
        self.server.Configure(ConfigureAnalyzerRequest(policyConfig=request), NOBODY)

    def resource(self, each: Registered) -> list[Violation]:
        """What it says of a resource before it is made, after its remedies."""
        inputs = [each.inputs, *self.remedied(each)][-1]
        request = request_of(replace(each, inputs=inputs))
        answer = self._noted(self.server.Analyze(request, NOBODY))
        return [self._violation(said, each.urn) for said in answer.diagnostics]

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
        return [self._violation(said, said.urn) for said in answer.diagnostics]

    def _violation(self, said: AnalyzeDiagnostic, urn: str) -> Violation:
        level = {0: "advisory", 1: "mandatory"}[said.enforcementLevel]
        policy, text = rule_and_text(self.pack.name, said.policyName, said.message)
        return Violation(policy, urn, level, text.partition("\n")[2])

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
