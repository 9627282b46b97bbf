"""The platform of a job with its open Workloads: of a stack file, of a listing, or of a running cluster."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import yaml

from components.kubeapi import Api, ApiError
from components.kubeapi.documents import Document, entries, is_true, section
from components.kubeapi.jobs import (
    CLUSTER_QUEUES,
    LOCAL_QUEUES,
    POD_PRIORITIES,
    WORKLOAD_PRIORITIES,
    WORKLOADS,
)
from components.model.facts import gke, versions
from components.model.findings import counted, listing
from policies.lint.files import STANDARD_INPUT, read, text_in
from policies.lint.stacks import reading_of
from tpu.rehearsal.platform import configuration_of, objects_of
from tpu.trace.capacity import FLAVORS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tpu.rehearsal.document import Object

_KUEUE: Final = "/apis/kueue.x-k8s.io/v1beta2"
_PATHS: Final = (
    *(FLAVORS, CLUSTER_QUEUES, LOCAL_QUEUES, f"{_KUEUE}/cohorts"),
    *(WORKLOAD_PRIORITIES, f"{_KUEUE}/admissionchecks"),
)
_NAMESPACES: Final = "/api/v1/namespaces"
_CONFIG_MAPS: Final = f"{_NAMESPACES}/{versions.KUEUE.namespace}/configmaps"
CONFIGURATION_KEY: Final = "controller_manager_config.yaml"
"""In the ConfigMap of Kueue's configuration."""
_OF_PRIORITY_CLASS: Final = ("value", "description")
_SYSTEM: Final = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


class PlatformStateError(Exception):
    """A platform or a listing cannot be read; the text says where, why, and what is valid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformState:
    """The queues and open Workloads beside the job."""

    objects: tuple[Object, ...]
    """The queues, with what they need."""
    configuration: Object | None
    """Kueue's; None for its defaults."""
    pod_priorities: Mapping[str, int]
    """The values of PriorityClasses."""
    default_priority: int = 0
    """That of pods that name no PriorityClass."""
    workloads: tuple[Document, ...] = ()
    """Open ones of known queues."""
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    """When the Workloads were listed."""
    basis: tuple[str, ...]
    """Where all of it is from, in sentences."""

    def of(self, kind: str) -> list[Object]:
        """The objects of a kind."""
        return [each for each in self.objects if each["kind"] == kind]

    def check_times(self, stated: Mapping[str, int]) -> None:
        """Refuse times of checks that do not exist, and checks without a time.

        Args:
            stated: seconds until a check is ready, by its name.

        Raises:
            PlatformStateError: as above.
        """
        timed = {
            each["metadata"]["name"]: section(each, "spec").get("controllerName")
            for each in self.of("AdmissionCheck")
            if section(each, "spec").get("controllerName") != gke.PROVISIONING_CONTROLLER
        }
        for name in stated:
            if name not in timed:
                valid = listing(sorted(timed))
                raise PlatformStateError(f"--check {name}: the platform has no such AdmissionCheck. Valid: {valid}.")
        for name, controller in timed.items():
            if name not in stated:
                says = f"AdmissionCheck {name} of {controller}: nobody knows how long it takes."
                raise PlatformStateError(f"{says} State it: --check {name}=1h")

    def empty(self) -> PlatformState:
        """The same, without Workloads."""
        return replace(self, basis=(*self.basis, "Workloads: none; the platform counts as empty."))

    def with_workloads(self, listed: Iterable[Document], now: datetime, source: str) -> PlatformState:
        """The same with the open Workloads among those listed; those of other queues are left out."""
        queues = {(each["metadata"]["namespace"], each["metadata"]["name"]) for each in self.of("LocalQueue")}
        names = {each["metadata"]["name"] for each in self.of("ClusterQueue")}
        found = [each for each in listed if not is_true(each, "Finished")]
        known = [each for each in found if _local_queue(each) in queues and _cluster_queue(each) in (None, *names)]
        said = (
            f"Workloads: {counted(len(known), 'open one')} of {source}, as of {now.astimezone(UTC):%Y-%m-%d %H:%M} UTC."
        )
        others = len(found) - len(known)
        left = f" Left out: {counted(others, 'Workload')} of queues that are not on the platform." if others else ""
        return replace(self, workloads=tuple(known), now=now, basis=(*self.basis, f"{said}{left}"))


def of_stack(stack: str) -> PlatformState:
    """The platform of a stack's file in this folder, without Workloads.

    Raises:
        PlatformStateError: the program would reject the file, or the stack has no queues.
        policies.lint.files.UnreadableError: there is no such file.
    """
    file = read(f"Pulumi.{stack.rpartition('/')[2]}.yaml")
    reading = reading_of(file)
    if reading.plan is None:
        raise PlatformStateError(reading.report)
    plan = reading.plan
    if not plan.queues:
        raise PlatformStateError(f"{file.name}: it declares no queues, so every job starts at once.")
    return PlatformState(
        objects=objects_of(plan),
        configuration=configuration_of(plan),
        pod_priorities={**_SYSTEM, **{each.name: each.value for each in plan.priorities}},
        basis=(f"Platform: {file.name}.",),
    )


def of_cluster(api: Api) -> PlatformState:
    """The platform of a cluster, with its open Workloads.

    Raises:
        PlatformStateError: the credentials do not allow to read it, or Kueue does not serve v1beta2.
        kubeapi.ApiError, kubeapi.UnreachableError: it cannot be read.
    """
    reader = _Reader(api)
    now = datetime.now(UTC)
    objects = [_bare(each) for path in _PATHS for each in reader.items(path)]
    configuration = _configuration(reader.items(_CONFIG_MAPS))
    classes, workloads = reader.items(POD_PRIORITIES), reader.items(WORKLOADS)
    if any(_selects_by_label(each) for each in objects):
        objects += [_bare(each) for each in reader.items(_NAMESPACES)]
    reader.conclude()
    stated = (
        "" if configuration else f" No ConfigMap of {versions.KUEUE.namespace} has Kueue's configuration: its defaults."
    )
    platform = PlatformState(
        objects=tuple(objects),
        configuration=configuration,
        pod_priorities={each["metadata"]["name"]: int(each["value"]) for each in classes},
        default_priority=min((int(each["value"]) for each in classes if each.get("globalDefault")), default=0),
        basis=(f"Platform: the cluster.{stated}",),
    )
    return platform.with_workloads(workloads, now, "the cluster")


def listed_in(name: str) -> tuple[list[Document], datetime]:
    """The Workloads of a file of `kubectl get`, and when it was written; standard input is written now.

    Raises:
        PlatformStateError: the file is not such a listing.
        policies.lint.files.UnreadableError: there is no such file.
    """
    try:
        read_: object = json.loads(text_in(name))
    except json.JSONDecodeError as error:
        raise PlatformStateError(f"{name}:{error.lineno}: it is not JSON: {error.msg}. {_LISTING}") from error
    found = entries(cast("Document", read_), "items") if isinstance(read_, dict) else None
    if found is None or "items" not in cast("Document", read_):
        raise PlatformStateError(f"{name}: it has no items. {_LISTING}")
    for i, each in enumerate(found):
        if each.get("kind") != "Workload" or each.get("apiVersion") != _KUEUE.removeprefix("/apis/"):
            what = f"{each.get('apiVersion')} {each.get('kind')}"
            raise PlatformStateError(f"{name}: items[{i}] is {what}, not a Workload of {_KUEUE[6:]}. {_LISTING}")
    is_now = name == STANDARD_INPUT
    return found, datetime.now(UTC) if is_now else datetime.fromtimestamp(Path(name).stat().st_mtime, UTC)


_LISTING: Final = "Write the file with kubectl get workloads.kueue.x-k8s.io -A -o json."


class _Reader:
    """Lists objects, and remembers what it may not list."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._denied: list[str] = []

    def items(self, path: str) -> list[Document]:
        """The objects of a path; none where they may not be listed."""
        try:
            return self._api.items(path)
        except ApiError as error:
            if error.is_not_found and path.startswith(_KUEUE):
                raise PlatformStateError(f"the cluster does not serve {_KUEUE[6:]}: is Kueue installed?") from error
            if not error.is_forbidden:
                raise
            group, _, plural = path.removeprefix("/apis/").removeprefix("/api/").rpartition("/")
            self._denied.append(f"{plural} ({group})")
            return []

    def conclude(self) -> None:
        """Refuse a platform whose objects could not all be listed.

        Raises:
            PlatformStateError: as above; it names all of it.
        """
        if self._denied:
            raise PlatformStateError(
                f"the credentials may not list {', '.join(self._denied)}. Grant the verb list for each."
            )


def _bare(document: Document) -> Object:
    """An object without its status, and without what the server keeps in its metadata."""
    metadata = {
        key: document["metadata"][key] for key in ("name", "namespace", "labels") if key in document["metadata"]
    }
    kept = {key: document[key] for key in ("apiVersion", "kind", "spec", *_OF_PRIORITY_CLASS) if key in document}
    return {**kept, "metadata": metadata}


def _configuration(config_maps: Iterable[Document]) -> Object | None:
    texts = (section(each, "data").get(CONFIGURATION_KEY) for each in config_maps)
    return next((cast("dict[str, Any]", yaml.safe_load(text)) for text in texts if text), None)


def _selects_by_label(queue: Object) -> bool:
    """Whether the labels of namespaces decide who may use a queue, beside the label with their name."""
    selector = section(queue, "spec", "namespaceSelector")
    keys = [*section(selector, "matchLabels"), *(each.get("key") for each in entries(selector, "matchExpressions"))]
    return any(key != gke.LABEL_NAMESPACE for key in keys)


def _local_queue(workload: Document) -> tuple[str, str]:
    return str(workload["metadata"].get("namespace")), str(section(workload, "spec").get("queueName"))


def _cluster_queue(workload: Document) -> str | None:
    return section(workload, "status", "admission").get("clusterQueue")
