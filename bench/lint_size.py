"""How long lint takes over a file as `kubectl get jobsets -o yaml` prints it."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, Final

import yaml

from bench.measures import cpu_of_children, environment

if TYPE_CHECKING:
    from pathlib import Path

BYTES: Final = 5_000_000
_TIMES: Final = 3


def lint_seconds(folder: Path, size: int = BYTES) -> tuple[float, float]:
    """Seconds of one call of the command over a list of `size` bytes, its start included, and CPU seconds: the best."""
    file = folder / "jobsets.yaml"
    file.write_text(dump(size), encoding="utf-8")
    runs = [_lint(file) for _ in range(_TIMES)]
    return min(wall for wall, _ in runs), min(cpu for _, cpu in runs)


def _lint(file: Path) -> tuple[float, float]:
    begin, before = time.perf_counter(), cpu_of_children()
    command = [sys.executable, "-m", "policies.lint", str(file)]
    subprocess.run(command, check=True, env=environment(), stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin, cpu_of_children() - before


def dump(size: int) -> str:
    """A list of JobSets of about `size` bytes."""
    item = _item(0)
    lines = "".join(f"- {line}" if not number else f"  {line}" for number, line in enumerate(_lines(item)))
    items = (lines.replace("train-0", f"train-{number}") for number in range(size // len(lines) + 1))
    return f"apiVersion: v1\nkind: List\nitems:\n{''.join(items)}"


def _fields() -> dict[str, Any]:
    """Who set which fields; a fresh mapping, which YAML writes out."""
    return {f"f:spec{number}": {".": {}, "f:value": {}} for number in range(8)}


def _lines(item: dict[str, Any]) -> list[str]:
    return yaml.safe_dump(item).splitlines(keepends=True)


def _item(number: int) -> dict[str, Any]:
    """A JobSet that has run, as the API server returns it."""
    labels = {"kueue.x-k8s.io/queue-name": "research"}
    container = {
        "name": "jax",
        "image": "registry.example/train:1.0",
        "command": ["python", "train.py"],
        "env": [{"name": f"SETTING_{each}", "value": str(each)} for each in range(20)],
        "resources": {"limits": {"google.com/tpu": "4"}, "requests": {"google.com/tpu": "4"}},
        "terminationMessagePath": "/dev/termination-log",
    }
    selector = {
        "cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice",
        "cloud.google.com/gke-tpu-topology": "2x4",
    }
    pods = {"spec": {"restartPolicy": "Never", "nodeSelector": selector, "containers": [container]}}
    job = {"spec": {"parallelism": 2, "completions": 2, "backoffLimit": 0, "template": pods}}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {
            "name": f"train-{number}",
            "namespace": "research",
            "labels": labels,
            "managedFields": [{"manager": each, "fieldsV1": _fields()} for each in ("kubectl", "kueue", "jobset")],
        },
        "spec": {"replicatedJobs": [{"name": "slice", "replicas": 1, "template": job}]},
        "status": {"conditions": [{"type": "Completed", "status": "True", "message": "jobset completed"}]},
    }
