"""What other programs get of a platform's outputs, and what they are told when they ask for what there is not.

The engine is doubled: `program/harness.py` answers with outputs, as the real one does without what is None, and with
floats for numbers.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

import pulumi
import pytest

import platform_outputs
from components.kubeapi import Api, WaitError
from platform_outputs import PlatformOutputs
from platform_outputs.awaiting import until_admitted, until_submitted
from platform_outputs.kubernetes import kubernetes_provider
from simulator.providers.kube.awaiting import AwaitError, await_ready
from tests.outputs.test_contract import KUBECONFIG, written
from tests.program.harness import Run, run_program
from tests.stacks import a_platform, committed_plan

if TYPE_CHECKING:
    from collections.abc import Callable

STACK: Final = "organization/tpu-platform/dev"
Outputs = dict[str, Any]


def dev() -> Outputs:
    """The outputs of the stack `dev` as an engine hands them over."""
    return json.loads(_dev())


@cache
def _dev() -> str:
    return json.dumps(as_handed_over(written(committed_plan("dev"))))


def as_handed_over(outputs: Outputs) -> Outputs:
    return json.loads(json.dumps(outputs), object_hook=_without_nulls, parse_int=float)


def _without_nulls(mapping: Outputs) -> Outputs:
    return {key: each for key, each in mapping.items() if each is not None}


def read(outputs: Outputs, *, then: Callable[[PlatformOutputs], object] | None = None) -> tuple[PlatformOutputs, Run]:
    """What a program reads, and what it registers."""
    found: list[PlatformOutputs] = []

    def program() -> None:
        found.append(PlatformOutputs.of(STACK))
        if then is not None:
            then(found[0])

    run = run_program("dev", {}, before=outputs, program=program)
    return found[0], run


@pytest.fixture(scope="module")
def platform() -> PlatformOutputs:
    return read(dev())[0]


# --- what an update waits for


class _Seen:
    """Doubles the API server: an object that is as it was last seen."""

    def __init__(self, document: Outputs) -> None:
        self.document = document

    def wait(self, _collection: str, _name: str, done: Callable[[Outputs], bool], **limits: object) -> Outputs:
        """As `Api.wait`, which has no more than a moment."""
        self.limits = limits
        if not done(self.document):
            raise WaitError(f"waited for {limits['what']}")
        return self.document


def _job(annotations: dict[str, str], *, suspended: str) -> Outputs:
    conditions = [{"type": "Suspended", "status": suspended}]
    metadata = {"name": "train", "annotations": annotations}
    return {"kind": "Job", "metadata": metadata, "status": {"conditions": conditions}}


def test_an_update_goes_on_when_work_is_submitted() -> None:
    job = _job(until_submitted(), suspended="True")
    assert await_ready(cast("Api", _Seen(job)), "", job, 0) == job


def test_an_update_goes_on_when_work_is_admitted_and_fails_when_it_is_not() -> None:
    admitted, held = (_job(until_admitted(1800), suspended=each) for each in ("False", "True"))
    seen = _Seen(admitted)
    assert await_ready(cast("Api", seen), "", admitted, 0) == admitted
    assert seen.limits["seconds"] == 1800
    with pytest.raises(AwaitError, match="waited for Job train"):
        await_ready(cast("Api", _Seen(held)), "", held, 0)


# --- what is there


def test_a_program_refers_to_the_stack_that_it_reads() -> None:
    platform, run = read(dev())
    assert (run.references, platform.stack) == ([STACK], STACK)


def test_the_reference_takes_options(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str, pulumi.ResourceOptions | None]] = []

    def reference(name: str, *, opts: pulumi.ResourceOptions | None) -> None:
        """Doubles the SDK's resource, as the engine's protocol has no options of what is only read."""
        made.append((name, opts))

    monkeypatch.setattr(pulumi, "StackReference", reference)
    options = pulumi.ResourceOptions(protect=True)
    run_program("dev", {}, before=dev(), program=lambda: PlatformOutputs.of(STACK, opts=options))
    assert made == [(STACK, options)]


def test_everything_is_read_as_it_was_written(platform: PlatformOutputs) -> None:
    assert platform.schema_version == 1
    assert (platform.cluster.name, platform.cluster.location, platform.cluster.mode) == ("dev", "us-south1", "standard")
    assert platform.kubeconfig == KUBECONFIG
    assert [type(pool.chips) for pool in platform.pools] == [int, int, int, int]
    assert platform.pools[0].reservation is None
    (share,) = platform.shared_storage
    assert (share.address, [claim.namespace for claim in share.claims]) == ("10.8.1.2", ["research", "applied"])
    assert {each.name for each in platform.controllers} == {"jobset", "kueue"}


def test_a_queue_says_what_a_team_has_and_where_it_submits(platform: PlatformOutputs) -> None:
    queue = platform.queue("research")
    assert queue.quota == {"v5e": 8, "v6e-flex": 8}
    assert queue.limits["v5e"].borrow == 8
    assert queue.limits["v5e"].lend is None
    assert [(each.namespace, each.name) for each in queue.local_queues] == [("research", "research")]
    assert platform.local_queue("research") == platform.local_queue("research", namespace="research")


def test_a_flavor_says_how_a_run_asks_for_its_slices(platform: PlatformOutputs) -> None:
    flavor = platform.flavor("v5e", queue="applied")
    assert (flavor.hosts, flavor.chips_per_host) == (2, 4)
    assert flavor.node_labels == {
        "cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice",
        "cloud.google.com/gke-tpu-topology": "2x4",
    }
    assert platform.annotations(flavor) == {
        "alpha.jobset.sigs.k8s.io/exclusive-topology": "cloud.google.com/gke-nodepool"
    }


def test_slices_of_one_host_need_not_be_kept_apart() -> None:
    small: dict[str, Any] = {"machine_type": "ct5lp-hightpu-4t", "topology": "2x2"}
    stack = (
        a_platform()
        .add("tpu_slices", name="small", slices=3, zone="us-west4-a", **small)
        .add("flavors", name="small", **small)
    )
    platform, _ = read(as_handed_over(written(stack.plan())))
    assert platform.annotations(platform.flavor("small")) == {}


def test_labels_submit_a_run(platform: PlatformOutputs) -> None:
    target = platform.local_queue("research")
    assert platform.labels(target) == {"kueue.x-k8s.io/queue-name": "research"}
    assert platform.labels(target, priority="urgent") == {
        "kueue.x-k8s.io/queue-name": "research",
        "kueue.x-k8s.io/priority-class": "urgent",
    }


def test_the_provider_knows_its_cluster_whatever_leads_to_it() -> None:
    _, run = read(dev(), then=kubernetes_provider)
    provider = run.one("kubernetes", "dev")
    assert provider.inputs["clusterIdentifier"] == "dev"
    assert provider.inputs["kubeconfig"] == KUBECONFIG
    _, run = read(dev(), then=lambda platform: kubernetes_provider(platform, "theirs"))
    assert run.one("kubernetes", "theirs").inputs["clusterIdentifier"] == "dev"


def test_the_provider_applies_from_the_server_and_takes_options() -> None:
    options = pulumi.ResourceOptions(protect=True)
    _, run = read(dev(), then=lambda platform: kubernetes_provider(platform, opts=options))
    provider = run.one("kubernetes", "dev")
    assert provider.inputs["enableServerSideApply"] == "true"
    assert provider.options["protect"] is True


def test_what_a_newer_program_of_the_same_version_adds_is_passed_over() -> None:
    queues = [{**each, "weight": 2.0} for each in dev()["queues"]]
    platform, _ = read({**dev(), "queues": queues, "news": {"more": 1}})
    assert platform.queue("applied").quota["v5e"] == 8


# --- names that there are not


ASKED: Final[dict[str, Callable[[PlatformOutputs], object]]] = {
    "there is no queue team-a. There are: research, applied.": lambda it: it.queue("team-a"),
    "there is no queue team-b. There are: research, applied.": lambda it: it.local_queue("team-b"),
    "there is no queue team-c. There are: research, applied.": lambda it: it.flavor("v5e", queue="team-c"),
    "queue research takes no work from namespace default. Namespaces that it takes work from:"
    " research (LocalQueue research).": lambda it: it.local_queue("research", namespace="default"),
    "there is no flavor v4. There are: v5e, v6e-flex.": lambda it: it.flavor("v4"),
    "there is no priority high. There are: idle, normal, urgent.": lambda it: it.labels(
        it.local_queue("research"), priority="high"
    ),
}
"""What is told to whom."""


@pytest.mark.parametrize("says", ASKED)
def test_an_unknown_name_is_told_with_the_known_ones(platform: PlatformOutputs, says: str) -> None:
    with pytest.raises(platform_outputs.UnknownNameError, match=f"^{re.escape(f'{STACK}: {says}')}$"):
        ASKED[says](platform)


def test_a_flavor_that_the_queue_has_no_quota_of_is_refused() -> None:
    outputs = dev()
    outputs["queues"][1]["quota"] = {"v6e-flex": 8}
    platform, _ = read(outputs)
    with pytest.raises(
        platform_outputs.UnknownNameError, match=r"queue applied has no quota of flavor v5e.*It has: v6e-flex\.$"
    ):
        platform.flavor("v5e", queue="applied")


def test_of_several_namespaces_one_must_be_chosen() -> None:
    outputs = dev()
    outputs["queues"][0]["local_queues"].append({"namespace": "interns", "name": "small"})
    outputs["queues"][1]["local_queues"] = []
    platform, _ = read(outputs)
    assert platform.local_queue("research", namespace="interns").name == "small"
    with pytest.raises(
        platform_outputs.UnknownNameError, match=r"several LocalQueues.*research \(LocalQueue research\), interns"
    ):
        platform.local_queue("research")
    with pytest.raises(platform_outputs.UnknownNameError, match=r"queue applied takes no work\. .*: none\.$"):
        platform.local_queue("applied")


# --- outputs that cannot be used


def broken(**changed: object) -> Outputs:
    return {**dev(), **changed}


def without(*path: str | int) -> Outputs:
    outputs: Any = dev()
    part = outputs
    for key in path[:-1]:
        part = part[key]
    del part[path[-1]]
    return outputs


@pytest.mark.parametrize(
    ("outputs", "error", "says"),
    [
        ({}, "NoOutputsError", "it was never up, or is destroyed. Bring it up first."),
        ({"url": "x", "name": "y"}, "NotAPlatformError", "none is called schema_version. There are: name, url."),
        (broken(schema_version="new"), "NotAPlatformError", "none is called schema_version."),
        (
            broken(schema_version=2.0),
            "SchemaVersionError",
            "version 2 of the contract; this package, tpu-platform-outputs, reads version 1. Install one whose first",
        ),
        (broken(schema_version=0), "SchemaVersionError", "Bring the platform up with a newer program"),
        (
            without("queues", 1, "local_queues"),
            "BrokenContractError",
            "queues[1].local_queues is missing: the platform was last brought up by a program that is older than this",
        ),
        (without("keys", "queue_label"), "BrokenContractError", "keys.queue_label is missing"),
        (broken(project=3.0), "BrokenContractError", "project is 3.0, where the contract has a string"),
        (
            broken(priorities={"normal": 0.5}),
            "BrokenContractError",
            "priorities.normal is 0.5, where the contract has a whole",
        ),
        (broken(priorities={"normal": True}), "BrokenContractError", "priorities.normal is True"),
        (broken(pools={}), "BrokenContractError", "pools is {}, where the contract has a list"),
        (broken(keys=[]), "BrokenContractError", "keys is [], where the contract has a mapping"),
        (broken(priorities=[]), "BrokenContractError", "priorities is [], where the contract has a mapping"),
        (
            broken(cluster={**dev()["cluster"], "mode": "serverless"}),
            "BrokenContractError",
            "cluster.mode is 'serverless', where the contract has one of standard, autopilot",
        ),
    ],
)
def test_outputs_that_are_no_platforms_are_refused(outputs: Outputs, error: str, says: str) -> None:
    with pytest.raises(getattr(platform_outputs, error), match=f"^{re.escape(STACK)}: .*{re.escape(says)}"):
        read(outputs)


@pytest.mark.parametrize(
    ("engine", "error", "says"),
    [
        (f'unknown stack "{STACK}"', "StackNotFoundError", "there is no stack of that name in this backend."),
        (
            "organization name must be 'organization'",
            "StackNotReadError",
            "The engine says: invoke .*must be 'organization'",
        ),
    ],
)
def test_a_stack_that_the_engine_does_not_read_is_told(
    monkeypatch: pytest.MonkeyPatch, engine: str, error: str, says: str
) -> None:
    def invoke(token: str, arguments: dict[str, str]) -> None:
        assert arguments == {"name": STACK}
        raise Exception(f"invoke of {token} failed: {engine}")  # noqa: TRY002  the SDK's own raises it so

    monkeypatch.setattr(pulumi.runtime, "invoke", invoke)
    with pytest.raises(getattr(platform_outputs, error), match=f"^{STACK}: .*{says}"):
        PlatformOutputs.of(STACK)


def test_an_error_that_is_not_the_engines_answer_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def invoke(token: str, arguments: dict[str, str]) -> None:
        raise TypeError(f"{token} takes no {len(arguments)}")

    monkeypatch.setattr(pulumi.runtime, "invoke", invoke)
    with pytest.raises(TypeError, match=r"readStackOutputs takes no 1$"):
        PlatformOutputs.of(STACK)


def test_errors_end_a_program_without_a_trace() -> None:
    assert issubclass(platform_outputs.PlatformOutputsError, pulumi.RunError)
