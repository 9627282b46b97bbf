"""How long lint takes over a repository of many small files, and how that grows with their number.

The files are what teams keep in one: runs on slices, queues, Deployments, volumes, examples of one name, files that
are not of Kubernetes, values that somebody fills in later, findings that somebody accepts.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
from typing import TYPE_CHECKING, Final

from bench.measures import cpu_of_children, environment, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILES: Final = 1000
COUNTS: Final = (250, 500, FILES, 2000)
_TIMES: Final = 3
_APART: Final = 10
"""Files of a folder, where they are not all in one."""
_BROKEN: Final = (0, 1)
"""Exit codes of lint where it checked everything."""

_JOB: Final = """\
apiVersion: batch/v1
kind: Job
metadata: {name: NAME, namespace: team-2, labels: {kueue.x-k8s.io/queue-name: main}}
spec:
  parallelism: 2
  completions: 2
  completionMode: Indexed
  template:
    metadata: {labels: {app: app-NUMBER}}
    spec:
      restartPolicy: Never
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v5-lite-podslice
        cloud.google.com/gke-tpu-topology: 2x4
      containers:
        - name: main
          image: registry.example/train:1.NUMBER
          command: [python, train.py, --steps=100]
          env: [{name: RUN, value: "NUMBER"}, {name: BUCKET, value: gs://runs}]
          resources: {limits: {google.com/tpu: 4}, requests: {google.com/tpu: 4}}
"""
_QUEUE: Final = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: flavor-NUMBER}
spec: {nodeLabels: {cloud.google.com/gke-tpu-accelerator: tpu-v5-lite-podslice, team: team-NUMBER}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: queue-NUMBER}
spec:
  cohortName: all
  namespaceSelector: {}
  preemption: {withinClusterQueue: LowerPriority}
  resourceGroups:
    - coveredResources: [google.com/tpu]
      flavors: [{name: flavor-NUMBER, resources: [{name: google.com/tpu, nominalQuota: 16}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: main, namespace: team-NUMBER}
spec: {clusterQueue: queue-NUMBER}
"""
_SERVER: Final = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: server-NUMBER, namespace: team-NUMBER}
spec:
  replicas: 2
  selector: {matchLabels: {app: server-NUMBER}}
  template:
    metadata: {labels: {app: server-NUMBER}}
    spec: {containers: [{name: main, image: "registry.example/server:1.NUMBER", ports: [{containerPort: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: server-NUMBER, namespace: team-NUMBER}
spec: {selector: {app: server-NUMBER}, ports: [{port: 80}]}
"""
_VOLUME: Final = """\
apiVersion: v1
kind: PersistentVolume
metadata: {name: volume-NUMBER}
spec:
  capacity: {storage: 1Ti}
  accessModes: [ReadWriteMany]
  storageClassName: ""
  claimRef: {name: data, namespace: team-NUMBER}
  nfs: {server: 10.0.0.2, path: /data}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: team-NUMBER}
spec: {accessModes: [ReadWriteMany], storageClassName: "", resources: {requests: {storage: 1Ti}}}
"""
_ACCEPTED: Final = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: accepted-NUMBER}
spec:
  namespaceSelector: {}
  queueingStrategy: Fifo # tpu-lint: ignore=queue-value-exists as planned
"""
_CONFIG: Final = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: config-NUMBER
  namespace: ${NAMESPACE}
data: {steps: "100", bucket: "<BUCKET>"}
"""
_OTHER: Final = "site_name: docs-NUMBER\nnav: [index.md, install.md]\ntheme: {name: plain}\n"
KINDS: Final = {
    "runs": _JOB.replace("NAME", "train-NUMBER"),
    "examples of one name": _JOB.replace("NAME", "sample"),
    "queues": _QUEUE,
    "servers": _SERVER,
    "volumes": _VOLUME,
    "accepted findings": _ACCEPTED,
    "placeholders": _CONFIG,
    "other programs": _OTHER,
}
"""Texts of files; NUMBER stands for the number of the file."""


def texts(count: int) -> Iterator[str]:
    """The texts of `count` files, of each kind as many."""
    kinds = itertools.cycle(KINDS.values())
    return (next(kinds).replace("NUMBER", str(number)) for number in range(count))


def folder_seconds(root: Path, count: int, *, is_flat: bool) -> tuple[float, float]:
    """Seconds of one call of the command over `count` files, its start included, and CPU seconds: the best."""
    folder = root / f"{count}-{'flat' if is_flat else 'deep'}"
    for number, text in enumerate(texts(count)):
        file = folder / ("all" if is_flat else f"app-{number // _APART}") / f"{number}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    runs = [_lint(folder) for _ in range(_TIMES)]
    return min(wall for wall, _ in runs), min(cpu for _, cpu in runs)


def _lint(folder: Path) -> tuple[float, float]:
    before, command = cpu_of_children(), [sys.executable, "-m", "policies.lint", str(folder)]

    def run() -> None:
        done = subprocess.run(command, check=False, env=environment(), stdout=subprocess.DEVNULL)
        if done.returncode not in _BROKEN:
            raise SystemExit(f"lint ended with {done.returncode}")

    return seconds(run), cpu_of_children() - before


def growth(root: Path, *, is_flat: bool) -> str:
    """The time for `FILES` files, and by how much it grows from each number of files to the next, as it is printed."""
    of_count = {count: folder_seconds(root, count, is_flat=is_flat) for count in COUNTS}
    wall, cpu = of_count[FILES]
    ratios = [large[1] / small[1] for small, large in itertools.pairwise(of_count.values())]
    steps = ", ".join(f"{ratio:.2f}x" for ratio in ratios)
    where = "in one folder" if is_flat else f"in folders of {_APART}"
    return (
        f"lint {FILES} files {where} {wall:.2f} s, {cpu:.2f} s of CPU   goal 2 s; "
        f"CPU of {', '.join(map(str, COUNTS))} files, each beside the number before it: {steps}   goal 2.1x"
    )
