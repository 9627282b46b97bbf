"""Files of Kubernetes objects: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from tests.stacks import Stack, a_platform

_EXAMPLES = Path(__file__).parents[3] / "examples" / "manifests"
_JOB = "{apiVersion: batch/v1, kind: Job, metadata: {name: eval}, spec: {}}\n"
_QUEUED = _JOB.replace("name: eval", "name: eval, labels: {kueue.x-k8s.io/queue-name: other}")
_MAP = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {}}\n"
_JOBSET = "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: eval}, spec: {}}\n"
_ROLE = "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a}}\n"
_BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{above}'] * 10)}]\n" for above, name in pairwise("abcdef")
)
_FILE = "manifests/run.yaml"


def with_manifest(text: str, **keys: object) -> Stack:
    """The small platform with a manifest for its queue, whose file has a text."""
    work = {"name": "run", "kind": "manifest", "queue": "research", "file": _FILE, **keys}
    return Stack(a_platform().set(workloads=[work]).platform, files={_FILE: text})


def example(name: str, **values: str) -> Stack:
    """The small platform with a pool and a quota for heads, and a file of the examples."""
    text = (_EXAMPLES / f"{name}.yaml").read_text()
    stated = {"slices": "2", "image": "registry.example/train:1.0", **values}
    stack = with_manifest(text, priority="normal", flavor="v5e-2x4", values=stated)
    return (
        stack.add("node_pools", name="heads", machine_type="n2-standard-64", nodes=1, zones=["us-west4-a"])
        .add("flavors", name="cpu", labels={"cloud.google.com/gke-nodepool": "heads"})
        .add("queues", 0, "flavors", name="cpu", resources={"cpu": "60", "memory": "240Gi"})
    )


PATHWAYS = {"script": "python3 train.py", "version": "20260128-jax_0.9.0", "bucket": "ml-scratch"}


BROKEN: dict[str, dict[str, Stack]] = {
    "manifest-can-be-read": {
        "a file that is not there": with_manifest(_JOB, file="manifests/rum.yaml"),
        "a file elsewhere": with_manifest(_JOB, file="../run.yaml"),
        "a file from the root": with_manifest(_JOB, file="/etc/run.yaml"),
        "a file that is not YAML": with_manifest(f"{_JOB}---\n{{a: [1}}\n"),
        "a file without an object": with_manifest("# nothing yet\n---\n"),
        "a file that is too large": with_manifest(_JOB + "#" * 1024 * 1024),
        "a document that is no object": with_manifest(f"{_JOB}---\nkind: Job\nspec: {{}}\n"),
        "a document that is a list": with_manifest("- a\n"),
        "a value that nobody states": with_manifest(_JOB.replace("eval", "${values.nmae}"), values={"name": "eval"}),
        "values that no key states": with_manifest(_JOB.replace("eval", "${flavor.topology}")),
        "a list of objects": with_manifest("{apiVersion: v1, kind: List, items: []}\n"),
        "a name for each update": with_manifest(_JOB.replace("name: eval", "generateName: eval-")),
        "a name that is a number": with_manifest(_JOB.replace("name: eval", "name: 7")),
        "a file of aliases": with_manifest(_BOMB),
        "a character that stands for values": with_manifest(f"{_JOB}# \ue0007\ue001\n"),
    },
    "manifest-flavor-exists": {
        "a flavor that is not there": with_manifest(_JOB, flavor="v5e-2x2"),
    },
    "manifest-is-in-one-namespace": {
        "an object in another namespace": with_manifest(_JOB.replace("name: eval", "name: eval, namespace: team")),
    },
    "manifest-objects-differ": {
        "two objects of one name": with_manifest(f"{_JOB}---\n{_JOB}"),
        "one object for all namespaces in two workloads": with_manifest(_ROLE, queue=None).add(
            "workloads", name="again", kind="manifest", namespace="team", file=_FILE
        ),
    },
    "manifest-is-queued": {
        "an object for another queue": with_manifest(_QUEUED),
        "a queue for nothing": with_manifest(_MAP),
        "a queue for what nobody queues here": with_manifest(
            "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: serve}, spec: {}}\n"
        ),
    },
    "workload-queue-exists": {
        "a manifest in a queue that is not there": with_manifest(_JOB, queue="reserch"),
    },
    "workload-priority-exists": {
        "a manifest of a priority that is not there": with_manifest(_JOB, priority="high"),
    },
    "manifest-kinds-are-served": {
        "a JobSet in a file without JobSet": with_manifest(_JOBSET).set(controllers={"jobset": {"install": False}}),
    },
}
SOUND: dict[str, Stack] = {
    "a program on Ray": example("ray"),
    "a program on Pathways": example("pathways", **PATHWAYS).set(
        buckets=[{"name": "ml-scratch", "location": "us-west4"}]
    ),
    "objects of several kinds, one of them for a queue": with_manifest(
        f"{_MAP}---\n{_QUEUED.replace('other', 'research')}---\n"
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a, namespace: b}}\n"
    ),
    "a variable of a shell, and one in a comment": with_manifest(
        "# ${HOME}\n" + _MAP.replace("data: {}", 'data: {run: "echo $${HOME}"}') + "---\n" + _JOB
    ),
    "objects of one name and of two kinds": with_manifest(f"{_JOB}---\n{_MAP.replace('settings', 'eval')}"),
}
