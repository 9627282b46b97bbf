"""Commands and scripts of containers: broken stacks with their findings, and sound ones."""

from __future__ import annotations

from typing import Final

from tests.stacks import Stack, Told, a_platform

_TOKEN: Final = "hf_" + "x" * 30
_REMEDY: Final = "Take it out, and let the pods read it from Secret Manager."
_BUILD: Final = "Build an image with the packages, and name it by its tag."


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


def _in_clear(key: str, what: str = "a secret, by its name") -> list[Told]:
    return [
        Told(
            rule="secret-is-not-in-clear",
            place=f"workloads[0].{key}",
            says=f"it holds {what}, in clear.",
            remedy=_REMEDY,
        )
    ]


def _installs(key: str, words: str) -> list[Told]:
    says = f"it runs {words} in each container that starts."
    place = f"workloads[0].{key}"
    return [Told(rule="packages-are-in-the-image", place=place, says=says, remedy=_BUILD, severity="advice")]


BROKEN: dict[str, tuple[Stack, list[Told]]] = {
    "a token in a script": (
        _run(script=f"huggingface-cli login --token {_TOKEN} && python train.py"),
        _in_clear("script", "a Hugging Face token"),
    ),
    "a token in the script of a JobSet": (
        _jobset(script=f"HF={_TOKEN} python train.py"),
        _in_clear("script", "a Hugging Face token"),
    ),
    "a password after its option": (_run(command=["serve", "--db-password", "hunter2"]), _in_clear("command[2]")),
    "a password behind its option": (_run(args=["--steps=10", "--db-password=hunter2"]), _in_clear("args[1]")),
    "a secret in a variable": (_batch(env={"MODE": "fast", "WANDB_API_KEY": "abc"}), _in_clear("env.WANDB_API_KEY")),
    "a token in a variable of any name": (_batch(env={"X": _TOKEN}), _in_clear("env.X", "a Hugging Face token")),
    "a token in an argument of a batch job": (
        _batch(args=["--hf-token", "abc"], command=["python", "-u"]),
        _in_clear("args[1]"),
    ),
    "packages that a script installs": (
        _run(script="pip install -U jax && python train.py"),
        _installs("script", "pip install"),
    ),
    "packages that a command installs": (
        _jobset(command=["bash", "-c", "apt-get -y install git && python train.py"]),
        _installs("command", "apt-get -y install"),
    ),
    "packages that arguments install": (
        _batch(args=["uv", "pip", "install", "jax"]),
        _installs("args", "uv pip install"),
    ),
}
SOUND: dict[str, Stack] = {
    "options that take no secret": _run(command=["python", "train.py", "--steps", "10"], args=["--max-tokens", "128"]),
    "an option after one that would be a secret's": _run(args=["--token", "--verbose", "on"]),
    "a variable that says where a secret is": _batch(
        env={"TOKEN_FILE": "/var/run/token", "HF_TOKEN": "/var/run/token"}
    ),
    "a script that lists what the image has": _run(script="pip list && python train.py"),
}
