"""How long the jobs of open Workloads may run: by their own limit, and by what earlier jobs of the same name took.

A job of a generated name, such as `nightly-29412345` or `train-x7k2p`, counts as one of `nightly` or `train`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, condition, entries, is_true, section
from components.kubeapi.jobs import seconds
from tpu.trace.lines import SECOND, Admitted, Asked, Evicted, Finished, Line, Ready
from tpu.trace.reading import Remarks, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime
    from pathlib import Path


_GENERATED: Final = re.compile(r"-(?:[0-9]{6,}|[bcdfghjklmnpqrstvwxz2456789]{5})$")
"""The end of a name that a CronJob or the API server made (Kubernetes 1.34, k8s.io/apimachinery, pkg/util/rand)."""
_SUCCEEDED: Final = "Succeeded"


@dataclass(frozen=True, slots=True)
class Runs:
    """The seconds from the start of a job's pods to its end."""

    shortest: int
    longest: int | None
    """None for a job that may never end."""


def past_runs(path: Path) -> dict[str, list[int]]:
    """The seconds that jobs took which succeeded, by `key`, from a record of `tpu record`.

    Raises:
        tpu.trace.reading.TraceError: it is not a record.
    """
    return runs_in(read(path, Remarks()))


def runs_in(lines: Iterable[Line]) -> dict[str, list[int]]:
    """The same of the lines of a record."""
    jobs: dict[str, str] = {}
    started: dict[str, int] = {}
    found: defaultdict[str, list[int]] = defaultdict(list)
    for line in lines:
        match line:
            case Asked():
                jobs[line.uid] = key(line.namespace, line.job)
            case Admitted() | Ready():
                started[line.uid] = line.at
            case Evicted():
                started.pop(line.uid, None)
            case Finished() if line.uid in started and line.uid in jobs and line.reason == _SUCCEEDED:
                found[jobs[line.uid]].append((line.at - started[line.uid]) // SECOND)
            case _:
                pass
    return dict(found)


def key(namespace: str, job: str) -> str:
    """The common name of the runs of one job; `job` is its kind and name.

    >>> key("team-a", "JobSet/train"), key("team-a", "Job/nightly-29412345"), key("team-a", "Job/train-xk7w2")
    ('team-a/JobSet/train', 'team-a/Job/nightly', 'team-a/Job/train')
    """
    return f"{namespace}/{_GENERATED.sub('', job)}"


def runs_of(workload: Document, past: Mapping[str, list[int]], now: datetime) -> Runs:
    """How long the job of an open Workload may run; one that runs longer than all before it may do so for ever."""
    limit, ran = section(workload, "spec").get("maximumExecutionTimeSeconds"), _ran(workload, now)
    before = [each for each in past.get(_key_of(workload), []) if each >= ran]
    if not before:
        return Runs(ran, limit if limit is None else max(ran, int(limit)))
    longest = max(before) if limit is None else min(max(before), max(ran, int(limit)))
    return Runs(min(*before, longest), longest)


def is_running(workload: Document) -> bool:
    """Whether it is admitted, and not evicted."""
    return is_true(workload, "Admitted") and not is_true(workload, "Evicted")


def _key_of(workload: Document) -> str:
    metadata = workload["metadata"]
    owner = next(iter(entries(metadata, "ownerReferences")), {"kind": "Workload", "name": metadata["name"]})
    return key(str(metadata.get("namespace")), f"{owner['kind']}/{owner['name']}")


def _ran(workload: Document, now: datetime) -> int:
    """For how many seconds it has run; 0 where it holds no quota."""
    if not is_running(workload):
        return 0
    since = seconds(condition(workload, "Admitted").get("lastTransitionTime"))
    return max(0, round(now.timestamp() - since))
