"""Pods of workloads: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from tests.stacks import Stack, Told, a_platform, on_autopilot, with_capacity

_SIDECAR = {"name": "logger", "image": "registry.example/logger:1.0"}
_FREE = {"name": "any", "resources": {"cpu": "420", "memory": "4Ti"}}


def _run(**keys: object) -> Stack:
    """The small platform, whose JobSet has more keys."""
    return a_platform().set("workloads", 0, **keys)


def _counted(**keys: object) -> Stack:
    """The same, in a queue that has quota of processors and memory too."""
    return _run(**keys).add("flavors", name="any").add("queues", 0, "flavors", **_FREE)


def _batch(**keys: object) -> Stack:
    """The small platform with a batch job that no queue holds back."""
    job = {"name": "job", "kind": "batch-job", "pods": 1, "image": "registry.example/job:1.0", **keys}
    return a_platform().set(controllers={"kueue": {"install": False}}, queues=[], flavors=[], workloads=[job])


def _told(rule: str, place: str, says: str, remedy: str, severity: str = "error") -> list[Told]:
    return [Told(rule=rule, place=f"workloads[0].{place}", says=says, remedy=remedy, severity=severity)]


def _of_slices(name: str, who: str = "GKE") -> list[Told]:
    return _told("variable-is-free", f"env.{name}", f"{who} sets it, to another value in each pod.", "Remove the key.")


_DISKS = [{"ephemeral": "40Gi", "path": "/a", "name": "a"}, {"ephemeral": "20Gi", "path": "/b", "name": "b"}]
_LONG = "s" * 60
BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "the number of a host, which GKE states": (_run(env={"TPU_WORKER_ID": "0"}), _of_slices("TPU_WORKER_ID")),
    "the index of a pod, which Kubernetes states": (
        _batch(env={"JOB_COMPLETION_INDEX": "0"}),
        _of_slices("JOB_COMPLETION_INDEX", "Kubernetes"),
    ),
    "the coordinator in a sidecar": (
        _run(sidecars=[{**_SIDECAR, "env": {"MEGASCALE_SLICE_ID": {"field": "metadata.uid"}}}]),
        _told(
            "variable-is-free",
            "sidecars[0].env.MEGASCALE_SLICE_ID",
            "GKE sets it, to another value in each pod.",
            "Remove the key.",
        ),
    ),
    "a variable that no program can start with": (
        _run(env={"SETTINGS": "x" * 131_072}),
        _told(
            "variable-is-short",
            "env.SETTINGS",
            "it has 131082 bytes with its name; the kernel takes 131072.",
            "Put it into a file: mount a ConfigMap, or a bucket.",
        ),
    ),
    "two disks of one name and different sizes": (
        _run(
            mounts=[{"ephemeral": "10Gi", "path": "/a"}],
            sidecars=[{**_SIDECAR, "mounts": [{"ephemeral": "20Gi", "path": "/b"}]}],
        ),
        _told(
            "volumes-of-a-pod-differ",
            "sidecars[0].mounts[0]",
            "the volume scratch is another one in workloads[0].mounts[0].",
            "State the same size and medium to share the disk, or another name for a disk of its own.",
        ),
    ),
    "a disk with the name of another volume": (
        _run(mounts=[{"config_map": "a", "path": "/a"}, {"ephemeral": "1Gi", "path": "/b", "name": "config-map-a"}]),
        _told(
            "volumes-of-a-pod-differ",
            "mounts[1]",
            "the volume config-map-a is another one in workloads[0].mounts[0].",
            "Choose another name for the ephemeral disk.",
        ),
    ),
    "a volume whose name is too long": (
        _run(mounts=[{"config_map": _LONG, "path": "/a"}]),
        _told(
            "volumes-of-a-pod-differ",
            "mounts[0]",
            f"its volume would be named config-map-{_LONG}, which has 71 characters; it may have 63 at most.",
            "Mount something with a shorter name.",
        ),
    ),
    "disks that are more than a boot disk has": (
        _run(mounts=_DISKS),
        _told(
            "ephemeral-disks-fit",
            "mounts[1].ephemeral",
            "ephemeral disks of 60Gi do not fit: pods have 49Gi of a boot disk of 100 GB.",
            "Ask for less, or mount a share, a bucket or a disk of its own.",
        ),
    ),
    "a disk in more memory than the container may use": (
        _batch(
            resources={"memory": "1Gi"}, mounts=[{"ephemeral": "2Gi", "path": "/m", "in_memory": True, "name": "m"}]
        ),
        _told(
            "ephemeral-disks-fit",
            "mounts[0].ephemeral",
            "2Gi in memory are more than the 1Gi of memory that the container may use.",
            "Set 1Gi or less, or raise resources.memory.",
        ),
    ),
    "more memory than a host leaves to pods": (
        _counted(resources={"memory": "190Gi"}),
        _told(
            "requests-fit-the-host",
            "resources.memory",
            "190Gi of memory are more than the 185653Mi that ct5lp-hightpu-4t leaves to pods.",
            "Set 185653Mi or less; all containers of the pod count.",
        ),
    ),
    "files of buckets that a host cannot keep in memory": (
        _counted(
            mounts=[
                {"bucket": "data", "path": "/data", "profile": "serving", "cache_gib": 100},
                {"bucket": "data", "path": "/more", "only_dir": "more", "cache_gib": 50},
                {"ephemeral": "20Gi", "path": "/m", "in_memory": True, "name": "m"},
            ],
            sidecars=[{**_SIDECAR, "resources": {"memory": "20Gi"}}],
        ).set(buckets=[{"name": "data", "location": "us-west4"}]),
        _told(
            "memory-folders-fit-the-host",
            "mounts[2].ephemeral",
            "folders in memory and the memory that the pod requests are 190Gi, and ct5lp-hightpu-4t leaves 185653Mi to "
            "pods.",
            "Lower cache_gib and ephemeral.",
        ),
    ),
    "files of a bucket beside checkpoints in memory": (
        _run(mounts=[{"bucket": "data", "path": "/data", "cache_gib": 150}])
        .set(buckets=[{"name": "data", "location": "us-west4"}])
        .set("cluster", checkpoints={"bucket": "data", "local_gib": 50}),
        _told(
            "memory-folders-fit-the-host",
            "mounts[0].cache_gib",
            "folders in memory and the memory that the pod requests are 200Gi, and ct5lp-hightpu-4t leaves 185653Mi to "
            "pods.",
            "Lower cache_gib and cluster.checkpoints.local_gib.",
        ),
    ),
    "processors that a queue of chips has no quota of": (
        _run(resources={"cpu": "16"}),
        _told(
            "requests-are-covered",
            "resources.cpu",
            "research has no quota of cpu; the workload would wait for ever.",
            "Add it to resources of a flavor without labels of research, or do not ask for it. Covered: none.",
        ),
    ),
    "processors that a queue has only of other nodes": (
        _counted(resources={"cpu": "16"}).set("flavors", 1, labels={"team": "vision"}),
        _told(
            "requests-are-covered",
            "resources.cpu",
            "research has no quota of cpu; the workload would wait for ever.",
            "Add it to resources of a flavor without labels of research, or do not ask for it. Covered: none.",
        ),
    ),
    "processors of a sidecar without quota": (
        _run(sidecars=[{**_SIDECAR, "resources": {"cpu": "1"}}]),
        _told(
            "requests-are-covered",
            "sidecars[0].resources.cpu",
            "research has no quota of cpu; the workload would wait for ever.",
            "Add it to resources of a flavor without labels of research, or do not ask for it. Covered: none.",
        ),
    ),
    "processors on all hosts that are more than the quota": (
        _counted(resources={"cpu": "110"}),
        _told(
            "requests-can-ever-fit",
            "resources.cpu",
            "4 pods with 110 of cpu take 440, but research has 420; the job would wait for ever.",
            "Raise the quota to 440.",
        ),
    ),
    "chips beside those of the flavor": (
        _counted(resources={"google.com/tpu": "4"}),
        [
            Told(
                rule="devices-are-whole",
                place="workloads[0].resources.google.com/tpu",
                says="chips come as whole hosts of a slice.",
                remedy="Remove it: the flavor decides.",
            ),
        ],
    ),
    "the label of a queue": (
        _run(labels={"kueue.x-k8s.io/queue-name": "other"}),
        _told("labels-are-users", "labels.kueue.x-k8s.io/queue-name", "Kueue owns it.", "Remove it, and set queue."),
    ),
    "annotations of JobSet and Pulumi": (
        _run(annotations={"alpha.jobset.sigs.k8s.io/node-selector": "true", "pulumi.com/skipAwait": "false"}),
        [
            *_told(
                "labels-are-users",
                "annotations.alpha.jobset.sigs.k8s.io/node-selector",
                "JobSet owns it.",
                "Remove it.",
            ),
            *_told("labels-are-users", "annotations.pulumi.com/skipAwait", "Pulumi owns it.", "Remove it."),
        ],
    ),
    "the label of a Job's pods": (
        _batch(labels={"job-name": "job"}),
        _told("labels-are-users", "labels.job-name", "Kubernetes owns it.", "Remove it."),
    ),
    "a sidecar with the name of the workload's container": (
        _run(sidecars=[{**_SIDECAR, "name": "jax-tpu"}]),
        _told(
            "containers-differ",
            "sidecars[0].name",
            "the name jax-tpu is taken by the workload's own container.",
            "Choose another name.",
        ),
    ),
    "two sidecars of one name": (
        _batch(sidecars=[_SIDECAR, _SIDECAR]),
        _told(
            "containers-differ",
            "sidecars[1].name",
            "the name logger is taken by workloads[0].sidecars[0].",
            "Choose another name.",
        ),
    ),
    "more time than maintenance gives": (
        _run(grace_seconds=7200),
        _told(
            "grace-is-given",
            "grace_seconds",
            "maintenance gives pods 3600 seconds, not 7200.",
            "Set 3600, and write checkpoints often enough to lose the last one.",
            "warning",
        ),
    ),
    "more time than a Spot node has": (
        with_capacity("spot").set("workloads", 0, grace_seconds=60),
        _told(
            "grace-is-given",
            "grace_seconds",
            "a preempted node of v5e-2x4 gives pods 15 seconds, not 60.",
            "Set 15, and write checkpoints often enough to lose the last one.",
            "warning",
        ),
    ),
    "an image of a sidecar without a version": (
        _run(sidecars=[{**_SIDECAR, "image": "registry.example/logger"}]),
        _told(
            "image-is-pinned",
            "sidecars[0].image",
            "registry.example/logger names no fixed version.",
            "Add the tag of a release, or a digest.",
            "advice",
        ),
    ),
    "a password in a sidecar": (
        _run(sidecars=[{**_SIDECAR, "args": ["--db-password=hunter2"]}]),
        _told(
            "secret-is-not-in-clear",
            "sidecars[0].args[0]",
            "it holds a secret, by its name, in clear.",
            "Take it out, and let the pods read it from Secret Manager.",
        ),
    ),
}
SOUND: dict[str, Stack] = {
    "variables, disks, resources and sidecars of a JobSet": _counted(
        env={"STEPS": "10", "NODE": {"field": "spec.nodeName"}},
        mounts=[{"ephemeral": "20Gi", "path": "/scratch"}],
        resources={"cpu": "100", "memory": "150Gi"},
        labels={"team": "vision"},
        annotations={"example.com/ticket": "ML-7"},
        grace_seconds=3600,
        sidecars=[{**_SIDECAR, "mounts": [{"ephemeral": "20Gi", "path": "/logs"}], "resources": {"cpu": "1"}}],
    ),
    "the index of a host in a batch job": _batch(env={"TPU_WORKER_ID": "0"}),
    "a large disk on Autopilot, which sizes its nodes": on_autopilot().set("workloads", 0, mounts=_DISKS),
    "resources of slices from a flavor with labels that they have": _counted(resources={"cpu": "16"}).set(
        "flavors", 1, labels={"cloud.google.com/gke-tpu-topology": "2x4"}
    ),
}
