"""Commands and scripts of containers: broken stacks by the rules that find them, and sound ones."""

from __future__ import annotations

from typing import Final

from tests.stacks import Stack, a_platform

_TOKEN: Final = "hf_" + "x" * 30


def _run(**keys: object) -> Stack:
    """The small platform, whose one run is a plain Job in one slice."""
    queued = {"queue": "research", "priority": "normal", "flavor": "v5e-2x4", "pool": "v5e1"}
    run = {
        "name": "train",
        "kind": "tpu-job",
        "backoff_limit": 0,
        "image": "registry.example/train:1.0",
        **queued,
        **keys,
    }
    return a_platform().set(workloads=[run])


def _batch(**keys: object) -> Stack:
    """The small platform with a batch job in a queue of ordinary resources."""
    job = {"name": "job", "kind": "batch-job", "queue": "batch", "pods": 1, "image": "registry.example/job:1.0", **keys}
    quota = {"cpu": "10", "memory": "10Gi"}
    return (
        a_platform()
        .add("flavors", name="any")
        .add("queues", name="batch", flavors=[{"name": "any", "resources": quota}], local_queues=[{"name": "batch"}])
        .set(workloads=[{"priority": "normal", "resources": {"cpu": "1"}, **job}])
    )


def _jobset(**keys: object) -> Stack:
    """The small platform, whose JobSet runs something else."""
    return a_platform().drop("workloads", 0, "script").set("workloads", 0, **keys)


BROKEN: dict[str, dict[str, Stack]] = {
    "secret-is-not-in-clear": {
        "a token in a script": _run(script=f"huggingface-cli login --token {_TOKEN} && python train.py"),
        "a token in the script of a JobSet": _jobset(script=f"HF={_TOKEN} python train.py"),
        "a password after its option": _run(command=["serve", "--db-password", "hunter2"]),
        "a password behind its option": _run(args=["--steps=10", "--db-password=hunter2"]),
        "a secret in a variable": _batch(env={"MODE": "fast", "WANDB_API_KEY": "abc"}),
        "a token in a variable of any name": _batch(env={"X": _TOKEN}),
        "a token in an argument of a batch job": _batch(args=["--hf-token", "abc"], command=["python", "-u"]),
    },
    "packages-are-in-the-image": {
        "packages that a script installs": _run(script="pip install -U jax && python train.py"),
        "packages that a command installs": _jobset(
            command=["bash", "-c", "apt-get -y install git && python train.py"]
        ),
        "packages that arguments install": _batch(args=["uv", "pip", "install", "jax"]),
    },
}
SOUND: dict[str, Stack] = {
    "options that take no secret": _run(command=["python", "train.py", "--steps", "10"], args=["--max-tokens", "128"]),
    "an option after one that would be a secret's": _run(args=["--token", "--verbose", "on"]),
    "a variable that says where a secret is": _batch(
        env={"TOKEN_FILE": "/var/run/token", "HF_TOKEN": "/var/run/token"}
    ),
    "a script that lists what the image has": _run(script="pip list && python train.py"),
}
