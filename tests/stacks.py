"""Builders of stack files: a small sound platform, and edits of it that show only what a test is about."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, cast

import yaml

from components.model.config import Platform
from components.model.plan.workloads import JobSetPlan
from components.model.planning import make_plan
from components.model.rules import check
from components.model.stack_file.manifest import read_objects
from components.model.stack_file.reading import Given, Reading, read
from tests.tracked import STACK_FILES, staged, tracked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.findings import Finding
    from components.model.plan import Plan

PROJECT: Final = "tpu-platform"
PLATFORM_KEY: Final = f"{PROJECT}:platform"
GCP_PROJECT: Final = "tpu-sandbox"

Key = str | int
_SMALL: Final = """
network: {name: ml, nodes_cidr: 10.0.0.0/20, pods_cidr: 10.4.0.0/16, services_cidr: 10.8.0.0/20}
cluster: {name: ml, mode: standard, location: us-west4, release_channel: RAPID,
          authorized_networks: [{name: office, cidr: 192.0.2.0/24}]}
node_pools: [{name: system, machine_type: e2-standard-4, nodes: 1, zones: [us-west4-a]}]
tpu_slices: [{name: v5e, slices: 2, machine_type: ct5lp-hightpu-4t, topology: 2x4, zone: us-west4-a}]
flavors: [{name: v5e-2x4, machine_type: ct5lp-hightpu-4t, topology: 2x4}]
queues:
  - name: research
    flavors: [{name: v5e-2x4}]
    preemption: {within_cluster_queue: LowerPriority}
    local_queues: [{name: research}]
priorities: [{name: normal, value: 1000}, {name: low, value: 100}]
workloads:
  - {name: train, kind: jobset, queue: research, priority: normal, flavor: v5e-2x4, slices: 2,
     image: "registry.example/train:1.0", script: sleep 60, failure_policy: {max_restarts: 0}}
"""


@dataclass(frozen=True)
class Stack:
    """A platform as a stack file states it; every edit makes another one."""

    platform: dict[str, Any]
    before: dict[str, Any] | None = None
    """Outputs of the update before this one."""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    """The files beside the stack file, by their paths."""

    def set(self, *path: Key, **values: object) -> Stack:
        """With keys of the mapping at `path` changed or added."""
        stack, mapping = self._opened(path)
        mapping.update(values)
        return stack

    def drop(self, *path: Key) -> Stack:
        """Without the key at the end of `path`."""
        stack, mapping = self._opened(path[:-1])
        del mapping[path[-1]]
        return stack

    def add(self, *path: Key, **item: object) -> Stack:
        """With an item more in the list at `path`."""
        stack, items = self._opened(path)
        items.append(item)
        return stack

    def after(self, **outputs: object) -> Stack:
        """As the update after one that left these outputs."""
        return replace(self, before=dict(outputs))

    def _opened(self, path: tuple[Key, ...]) -> tuple[Stack, Any]:
        """A copy, and the part of it at `path`."""
        platform = copy.deepcopy(self.platform)
        part: Any = platform
        for key in path:
            part = part[key]
        return replace(self, platform=platform), part

    def read_file(self, path: str) -> bytes:
        """The content of a file beside the stack file.

        Raises:
            FileNotFoundError: there is none of that path.
        """
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path].encode()

    def plan(self) -> Plan:
        """The plan, which may break rules."""
        platform = Platform.model_validate_json(json.dumps(self.platform))
        return make_plan(platform, GCP_PROJECT, self.before, read_objects=partial(read_objects, self.read_file))

    def findings(self) -> list[Finding]:
        """What the rules find."""
        return check(self.plan())

    def reading(self) -> Reading:
        """What the program makes of it when the engine got the values from elsewhere than a file beside it."""
        return read(given(platform=self.platform))


def a_platform() -> Stack:
    """A sound platform: two v5e slices, one queue that owns them, one workload that takes both."""
    return Stack(copy.deepcopy(_small()))


@cache
def _small() -> dict[str, Any]:
    return cast("dict[str, Any]", yaml.safe_load(_SMALL))


def on_autopilot() -> Stack:
    """The small platform on Autopilot: no nodes are declared, and the quota is stated."""
    stack = a_platform().drop("node_pools").drop("tpu_slices").set("cluster", mode="autopilot")
    return stack.set("queues", 0, "flavors", 0, chips=16)


def in_existing_cluster() -> Stack:
    """The small platform in a cluster that is there already."""
    existing = {"name": "ml", "location": "us-west4"}
    account = "nodes@tpu-sandbox.iam.gserviceaccount.com"
    return (
        a_platform()
        .drop("network")
        .set(cluster={"existing": existing, "mode": "standard", "node_service_account": account})
    )


def with_capacity(capacity: str, **settings: object) -> Stack:
    """The small platform with slices, and the flavor that counts them, of another capacity."""
    return a_platform().set("tpu_slices", 0, capacity=capacity, **settings).set("flavors", 0, capacity=capacity)


def reserved(**reservation: str) -> Stack:
    """The small platform on reserved slices."""
    name = {"name": "mine", **reservation}
    return with_capacity("reservation", reservation=name).set("flavors", 0, reservation="mine")


def asking(stack: Stack) -> Stack:
    """With a queue that asks for its nodes, and a workload that one request can ask for."""
    checked = stack.set(admission_checks=[{"name": "nodes"}]).set("workloads", 0, slices=1)
    return checked.set("queues", 0, "flavors", 0, admission_checks=["nodes"])


def given(*, platform: object = None, file_text: str | None = None, gcp_project: str | None = GCP_PROJECT) -> Given:
    """What the program has to read for the stack `test`."""
    return Given(
        project=PROJECT,
        file_name="Pulumi.test.yaml",
        file_text=file_text,
        platform=None if platform is None else json.dumps(platform),
        gcp_project=gcp_project,
    )


def given_file(text: str) -> Given:
    """What the program has to read when `text` is the stack file; the engine is doubled by PyYAML."""
    whole = cast("dict[str, dict[str, Any]] | None", yaml.safe_load(text))
    config = {} if whole is None else whole.get("config", {})
    return given(platform=_decrypted(config.get(PLATFORM_KEY)), file_text=text, gcp_project=config.get("gcp:project"))


def _decrypted(value: object) -> object:
    """A value with made-up JSON in the place of encrypted texts, as the engine decrypts them."""
    match value:
        case dict():
            entries = cast("dict[str, object]", value)
            is_encrypted = entries.keys() == {"secure"}
            return '{"made": "up"}' if is_encrypted else {key: _decrypted(each) for key, each in entries.items()}
        case list():
            return [_decrypted(each) for each in cast("list[object]", value)]
        case _:
            return value


def stack_file(name: str) -> str:
    """The text of a committed stack file."""
    return staged(f"Pulumi.{name}.yaml")


def closed(name: str) -> str:
    """The text of a committed stack file of which the program warns of nothing: an office alone reaches the cluster."""
    text = stack_file(name)
    assert "deletion_protection: false" in text
    return text.replace("deletion_protection: false", "authorized_networks: [{name: office, cidr: 192.0.2.0/24}]")


def committed() -> list[str]:
    """The names of the committed stacks."""
    return sorted(path.name.split(".")[1] for path in tracked(STACK_FILES))


def platform_of(name: str) -> dict[str, Any]:
    """The platform that a committed stack file declares."""
    declared = given_file(stack_file(name)).platform
    assert declared is not None
    return json.loads(declared)


def committed_plan(name: str) -> Plan:
    """The plan of a committed stack."""
    reading = read(given_file(stack_file(name)))
    assert reading.plan is not None, reading.report
    return reading.plan


def multislice() -> Plan:
    """The plan of the committed stack `multislice`."""
    return committed_plan("multislice")


def jobset_of(plan: Plan) -> JobSetPlan:
    """The plan's first workload, which is a JobSet."""
    work = plan.workloads[0]
    assert isinstance(work, JobSetPlan)
    return work


@dataclass(frozen=True, kw_only=True)
class Told:
    """The texts of one finding, as a user reads them."""

    rule: str
    place: str
    says: str
    remedy: str
    severity: str = "error"


def told(findings: list[Finding]) -> list[Told]:
    """Findings as a user is told them, in the order of their places."""
    return sorted(
        (
            Told(
                rule=finding.rule,
                place=str(finding.place),
                says=finding.says,
                remedy=finding.remedy,
                severity=finding.severity.value,
            )
            for finding in findings
        ),
        key=lambda each: (each.place, each.rule, each.says),
    )
