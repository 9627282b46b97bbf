"""Answer the engine's questions to a pack.

The server of the policy SDK reads every resource anew for every policy: 264 policies and the 40 resources of multislice
cost 4.4 seconds of processor time, and 0.03 seconds here. Here a question is read and checked once, and put to the
policies with a finding. All else, from levels and remedies to the form of answers, is the SDK's own.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import grpc
from google.protobuf import json_format
from pulumi.runtime.proto import analyzer_pb2_grpc
from pulumi.runtime.proto.analyzer_pb2 import AnalyzeResponse
from pulumi_policy import (
    EnforcementLevel,
    PolicyProviderResource,
    PolicyResource,
    PolicyResourceOptions,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.deserialize import deserialize_properties
from pulumi_policy.policy import (  # the SDK has no other way in
    _NotApplicableError,  # pyright: ignore[reportPrivateUsage]
    _PolicyAnalyzerServicer,  # pyright: ignore[reportPrivateUsage]
)

from policies.names import DECIDED, SETTINGS, rule_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pulumi.runtime.proto.analyzer_pb2 import AnalyzeRequest, AnalyzerResource, AnalyzeStackRequest
    from pulumi_policy import Policy, ReportViolation

    from policies.objects.judging import Verdict
    from policies.pack import Pack

_Policy = TypeVar("_Policy", ResourceValidationPolicy, StackValidationPolicy)

_WORKERS: Final = 4
"""Calls at once, as the SDK has it."""
_LIMITS: Final = (("grpc.max_receive_message_length", 1024 * 1024 * 400),)
"""Bytes; the engine's own limit for one message."""


class _ByRule(Generic[_Policy]):
    """Policies of one kind in the order of the pack, each with its rule."""

    def __init__(self, policies: Iterable[_Policy]) -> None:
        self.every = tuple(policies)
        """All of them."""
        self._rules = tuple(rule_of(each.name) for each in self.every)

    def concerned(self, found: Verdict) -> Iterator[_Policy]:
        """The policies of the rules that found something or could not be decided, and the policies without a rule."""
        rules = {SETTINGS, DECIDED, *(each.rule for each in (*found.findings, *found.not_checked))}
        return (each for rule, each in zip(self._rules, self.every, strict=True) if rule in rules)


class Server(_PolicyAnalyzerServicer):
    """The SDK's answers, with one reading of each question for all policies.

    Every policy gets the configuration of the one that holds the settings: they are stated once for all rules.
    """

    def __init__(self, pack: Pack) -> None:
        """A server of the policies of `pack`."""
        super().__init__(
            name=pack.name,
            version="0.0.1",  # PulumiPolicy.yaml has the one that counts
            policies=pack.policies,
            enforcement_level=EnforcementLevel.MANDATORY,
            description=pack.description,
        )
        self._run = pack.run
        self._resource_policies = _ByRule(each for each in pack.policies if isinstance(each, ResourceValidationPolicy))
        self._stack_policies = _ByRule(each for each in pack.policies if isinstance(each, StackValidationPolicy))

    def Analyze(  # noqa: N802  gRPC's
        self, request: AnalyzeRequest, _context: grpc.ServicerContext
    ) -> AnalyzeResponse:
        """What the policies over one resource say of it, by its inputs."""
        args = ResourceValidationArgs(
            request.type,
            _properties(request),
            request.urn,
            request.name,
            _options(self, request),
            provider=None,
            config=self._get_policy_config(SETTINGS),
        )
        found = self._run.of_resource(args)  # it is kept, whichever policies are on
        return self._answer((each, _asking(each, args)) for each in self._resource_policies.concerned(found))

    def AnalyzeStack(  # noqa: N802  gRPC's
        self, request: AnalyzeStackRequest, _context: grpc.ServicerContext
    ) -> AnalyzeResponse:
        """What the policies over the stack say of it."""
        args = StackValidationArgs(self._resources(request), config=self._get_policy_config(SETTINGS))
        found = self._run.of_stack(args)
        return self._answer((each, _asking(each, args)) for each in self._stack_policies.concerned(found))

    def _resources(self, request: AnalyzeStackRequest) -> list[PolicyResource]:
        """The resources of the stack, each with those that it is registered under and depends on."""
        made = {each.urn: self._resource(each) for each in request.resources}
        for each in request.resources:
            one = made[each.urn]
            one.parent = made.get(each.parent)
            one.dependencies = _among(made, each.dependencies)
            one.property_dependencies = {
                key: _among(made, found.urns) for key, found in each.propertyDependencies.items()
            }
        return list(made.values())

    def _resource(self, each: AnalyzerResource) -> PolicyResource:
        """A resource of the stack, without its relations and without properties where the run has kept them.

        Of its provider no rule asks more than which it is.
        """
        of = each.provider
        properties = {} if self._run.has(each.urn) else _properties(each)
        provider = PolicyProviderResource(of.type, {}, of.urn, of.name) if of.urn else None
        return PolicyResource(each.type, properties, each.urn, each.name, _options(self, each), provider, None, [], {})

    def _answer(self, questions: Iterable[tuple[Policy, Callable[[ReportViolation], object]]]) -> AnalyzeResponse:
        """What policies say; each comes with its question."""
        response = AnalyzeResponse()
        for policy, ask in questions:
            level = self._get_enforcement_level(policy)
            if level is EnforcementLevel.DISABLED:
                continue
            if level is EnforcementLevel.REMEDIATE:
                level = EnforcementLevel.MANDATORY  # what a remedy could not put right is an error
            try:
                ask(self._create_report_violation(response, policy.name, policy.description, level, policy.severity))
            except _NotApplicableError as error:
                response.not_applicable.add(policy_name=policy.name, reason=error.message)
        return response


def _asking(
    policy: ResourceValidationPolicy | StackValidationPolicy,
    args: Any,  # noqa: ANN401  of the policy's kind
) -> Callable[[ReportViolation], object]:
    """What puts a question to a policy."""

    def ask(report: ReportViolation) -> None:
        policy.validate(args, report)  # pyright: ignore[reportUnknownMemberType]  the SDK's answer has no type

    return ask


def _options(server: Server, resource: AnalyzeRequest | AnalyzerResource) -> PolicyResourceOptions:
    """How the resource is registered."""
    return server._get_resource_options(resource)  # noqa: SLF001  # pyright: ignore[reportUnknownMemberType, reportPrivateUsage]  the SDK leaves its request untyped


def _among(made: Mapping[str, PolicyResource], urns: Iterable[str]) -> list[PolicyResource]:
    """Those of the stack that are named; a state may name what is gone."""
    return [made[urn] for urn in urns if urn in made]


def _properties(resource: AnalyzeRequest | AnalyzerResource) -> dict[str, Any]:
    """The properties of a resource, with secrets marked."""
    return deserialize_properties(json_format.MessageToDict(resource.properties), proxy_secrets=True)


def listening(pack: Pack) -> tuple[grpc.Server, int]:
    """A server that answers for a pack, and its port."""
    server = grpc.server(ThreadPoolExecutor(max_workers=_WORKERS), options=_LIMITS)
    analyzer_pb2_grpc.add_AnalyzerServicer_to_server(Server(pack), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, port


def serve(pack: Pack) -> None:
    """Serve a pack until the engine ends it; prints the port on standard output, as the engine expects."""
    server, port = listening(pack)
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    with suppress(KeyboardInterrupt):
        server.wait_for_termination()
    server.stop(grace=None)
