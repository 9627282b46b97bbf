"""The job of a file: the only one in it, of a kind that can be asked about, without errors that lint finds."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import yaml

from components.kubeapi.documents import Document, entries, section
from components.model.facts import gke, kinds
from components.model.findings import Severity, listing
from components.model.stack_file.report import counts, entry
from components.pod_sets import AmountError, Pods
from policies.lint.documents import Document as Written, documents
from policies.lint.files import File, read
from policies.lint.linting import Options, lint
from policies.lint.report_options import add_arguments, report_options_of
from tpu.rehearsal.whatif.platform_state import CONFIGURATION_KEY, PlatformState
from tpu.rehearsal.whatif.pod_sets import READERS, name_of, pods_of, slices_of, workload

if TYPE_CHECKING:
    from components.model.facts.kinds import Kind
    from policies.lint.findings import Shown

_SAYING_NEVER: Final = ("workload-can-ever-fit", "slice-requests-are-covered", "run-selects-a-held-flavor")
"""Rules whose findings are answers: such a job can be submitted, and is never admitted."""
_PLATFORM: Final = "the platform"


class JobError(Exception):
    """A file has not the one job that is asked about, or it has errors; the text says where and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job that nobody has submitted yet."""

    kind: Kind
    document: Document
    pods: tuple[Pods, ...]
    priority_class: str | None
    """The WorkloadPriorityClass that it names."""
    priority: int
    never: tuple[str, ...]
    """Why it can never be admitted, in the words of lint."""

    @property
    def name(self) -> str:
        """Its name."""
        return name_of(self.document)

    @property
    def namespace(self) -> str:
        """Its namespace."""
        return section(self.document, "metadata").get("namespace") or gke.DEFAULT_NAMESPACE

    @property
    def queue(self) -> str:
        """Its LocalQueue."""
        return section(self.document, "metadata", "labels")[gke.LABEL_QUEUE_NAME]


def job_in(name: str, platform: PlatformState) -> Job:
    """The job of a file.

    Raises:
        JobError: as there.
        policies.lint.files.UnreadableError: there is no such file.
        policies.lint.settings.SettingsError: the settings file of lint beside it is not valid.
    """
    file = read(name)
    read_ = list(documents(file))
    whole = [each for each in read_ if isinstance(each, Written)]
    is_whole = len(whole) == len(read_)
    found = _only(file.name, [item for each in whole for item in _items(each.value)]) if is_whole else None
    shown = [each for each in _linted(file, platform) if each.finding.severity is Severity.ERROR]
    errors = [each for each in shown if each.finding.rule not in _SAYING_NEVER]
    if errors or found is None:
        texts = [entry(each.finding, each.sighting) for each in errors]
        raise JobError("\n\n".join([*texts, f"{counts([each.finding for each in errors])}; nothing was rehearsed."]))
    kind, document = found
    _check_queue(file.name, document, platform)
    try:
        pods = pods_of(kind, document)
        workload(document, pods, priority=0, slices=slices_of(pods))
    except AmountError as error:
        raise JobError(f"{file.name}: {error}. Fill in its placeholders first.") from error
    priority_class = section(document, "metadata", "labels").get(gke.LABEL_WORKLOAD_PRIORITY)
    return Job(
        kind=kind,
        document=document,
        pods=pods,
        priority_class=priority_class,
        priority=_priority(file.name, priority_class, pods, platform),
        never=tuple(each.finding.says for each in shown if each.finding.rule in _SAYING_NEVER),
    )


def _items(value: object) -> list[Document]:
    """The objects of a document: itself, or those of its list."""
    if not isinstance(value, dict):
        return []
    document = cast("Document", value)
    return entries(document, "items") if str(document.get("kind")).endswith("List") else [document]


def _only(name: str, items: list[Document]) -> tuple[Kind, Document]:
    stated = [(kinds.of_manifest(str(each.get("apiVersion")), str(each.get("kind"))), each) for each in items]
    jobs = [(kind, each) for kind, each in stated if kind is not None and kind in READERS]
    if not jobs:
        there = listing(sorted({str(each.get("kind")) for each in items}))
        possible = listing([kind.name for kind in READERS], "or")
        raise JobError(f"{name}: kind: {there}. Valid: a {possible}.")
    if len(jobs) > 1:
        names = listing([f"{kind.name} {name_of(each)}" for kind, each in jobs])
        raise JobError(f"{name}: it has {len(jobs)} jobs: {names}. Ask about one at a time.")
    return jobs[0]


def _linted(file: File, platform: PlatformState) -> list[Shown]:
    """The findings of lint in the file, which it checks together with the platform."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*")
    add_arguments(parser)
    report = report_options_of(parser.parse_args([file.name] if file.name != "stdin" else []))
    config_map = {
        "apiVersion": "v1",
        "kind": kinds.CONFIG_MAP.name,
        "metadata": {"name": "kueue-manager-config", "namespace": "kueue-system"},
        "data": {CONFIGURATION_KEY: yaml.safe_dump(platform.configuration)},
    }
    items = [*platform.objects, *([config_map] if platform.configuration else [])]
    state = File(_PLATFORM, json.dumps({"apiVersion": "v1", "kind": "List", "items": items}).encode())
    verdict = report.applied(lint([file, state], Options(releases=report.releases, is_together=True)), [file])
    return [each for each in verdict.shown if each.sighting.name == file.name]


def _check_queue(name: str, document: Document, platform: PlatformState) -> None:
    metadata = section(document, "metadata")
    namespace = metadata.get("namespace") or gke.DEFAULT_NAMESPACE
    there = [
        each["metadata"]["name"] for each in platform.of("LocalQueue") if each["metadata"]["namespace"] == namespace
    ]
    queue = section(metadata, "labels").get(gke.LABEL_QUEUE_NAME)
    if queue not in there:
        says = "not stated, so no queue admits it" if queue is None else f"{queue} is not a LocalQueue of {namespace}"
        path = f"metadata.labels.{gke.LABEL_QUEUE_NAME}"
        raise JobError(f"{name}: {path}: {says}. LocalQueues of {namespace}: {listing(there)}.")


def _priority(name: str, workload_class: str | None, pods: tuple[Pods, ...], platform: PlatformState) -> int:
    """As Kueue finds it: of the WorkloadPriorityClass, else of the first pods that name a PriorityClass."""
    if workload_class is not None:
        values = {each["metadata"]["name"]: int(each["value"]) for each in platform.of("WorkloadPriorityClass")}
        path, of = f"metadata.labels.{gke.LABEL_WORKLOAD_PRIORITY}", workload_class
    else:
        stated = [section(each.template, "spec").get("priorityClassName") for each in pods]
        of = next((each for each in stated if each), None)
        if of is None:
            return platform.default_priority
        values, path = platform.pod_priorities, "priorityClassName"
    if of not in values:
        raise JobError(f"{name}: {path}: {of} does not exist. Valid: {listing(sorted(values))}.")
    return values[of]
