"""Wrong values of the keys that pods have, each with its whole error."""

from __future__ import annotations

from tests.stacks import Stack, a_platform

_P = a_platform()
_FIELDS = (
    "One of metadata.name, metadata.namespace, metadata.uid, metadata.labels['KEY'], metadata.annotations['KEY'], "
    "spec.nodeName, spec.serviceAccountName, status.hostIP and status.podIP."
)
WRONG_PODS: dict[str, tuple[Stack, tuple[str, str, str]]] = {
    "a mount of nothing": (
        _P.set("workloads", 0, mounts=[{"path": "/data"}]),
        ("workloads[0].mounts[0]",
         "it has none of claim, ephemeral, secret, config_map, bucket, checkpoints and secret_manager.",
         "Add one of them."),
    ),
    "a mount of something misspelt": (
        _P.set("workloads", 0, mounts=[{"clam": "data", "path": "/data"}]),
        ("workloads[0].mounts[0]",
         "it has none of claim, ephemeral, secret, config_map, bucket, checkpoints and secret_manager.",
         "Did you mean claim? Add one of them."),
    ),
    "a text for a mount": (
        _P.set("workloads", 0, mounts=["data"]),
        ("workloads[0].mounts[0]", '"data" is text; a mapping belongs here.',
         "It has one of claim, ephemeral, secret, config_map, bucket, checkpoints and secret_manager."),
    ),
    "a number for a variable": (
        _P.set("workloads", 0, env={"STEPS": 100}),
        ("workloads[0].env.STEPS", "100 is a number; text belongs here.", 'Write it in quotes: "100".'),
    ),
    "a variable from nowhere": (
        _P.set("workloads", 0, env={"TOKEN": {"key": "token"}}),
        ("workloads[0].env.TOKEN", "it has none of secret, config_map and field.", "Add one of them."),
    ),
    "a variable without its key": (
        _P.set("workloads", 0, env={"TOKEN": {"secret": "hf"}}),
        ("workloads[0].env.TOKEN", "the key key is missing.", "Required keys: secret, key."),
    ),
    "a field that a variable cannot have": (
        _P.set("workloads", 0, env={"NODE": {"field": "spec.hostname"}}),
        ("workloads[0].env.NODE.field", '"spec.hostname" is not a field of a pod that a variable can have.',
         _FIELDS),
    ),
    "a folder that leads out of its volume": (
        _P.set("workloads", 0, mounts=[{"claim": "data", "path": "/data", "sub_path": "../etc"}]),
        ("workloads[0].mounts[0].sub_path", '"../etc" is not a folder inside a volume.',
         "A relative path without .., such as checkpoints/run-1."),
    ),
    "a sidecar with a script and a command": (
        _P.set("workloads", 0, sidecars=[{"name": "a", "image": "registry.example/a:1", "script": "x",
                                          "command": ["y"]}]),
        ("workloads[0].sidecars[0]", "it has script and command.", "Keep one of them."),
    ),
    "a role that is none": (
        _P.set(service_accounts=[{"name": "a", "roles": ["bigquery.user"]}]),
        ("service_accounts[0].roles[0]", '"bigquery.user" is not the name of a role.',
         "Such as roles/bigquery.dataViewer."),
    ),
    "a Secret without values": (
        _P.set(secrets=[{"name": "hf", "data": dict[str, str]()}]),
        ("secrets[0].data", "the mapping is empty; at least one item belongs here.", "Name one or more."),
    ),
    "a value of a Secret that is a number": (
        _P.set(secrets=[{"name": "hf", "data": {"pin": 1}}]),
        ("secrets[0].data.pin", "1 is a number; text belongs here.", 'Write it in quotes: "1".'),
    ),
    "a version of a secret that is a word": (
        _P.set("workloads", 0, mounts=[{"secret_manager": "a", "path": "/a", "version": "newest"}]),
        ("workloads[0].mounts[0].version", '"newest" is not a version of a secret.', "A number in quotes, or latest."),
    ),
}  # fmt: skip
