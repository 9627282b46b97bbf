"""Wrong values of the keys that pods have."""

from __future__ import annotations

from tests.stacks import Stack, a_platform

_P = a_platform()
WRONG_PODS: dict[str, Stack] = {
    "a mount of nothing": _P.set("workloads", 0, mounts=[{"path": "/data"}]),
    "a mount of something misspelt": _P.set("workloads", 0, mounts=[{"clam": "data", "path": "/data"}]),
    "a text for a mount": _P.set("workloads", 0, mounts=["data"]),
    "a number for a variable": _P.set("workloads", 0, env={"STEPS": 100}),
    "a variable from nowhere": _P.set("workloads", 0, env={"TOKEN": {"key": "token"}}),
    "a variable without its key": _P.set("workloads", 0, env={"TOKEN": {"secret": "hf"}}),
    "a field that a variable cannot have": _P.set("workloads", 0, env={"NODE": {"field": "spec.hostname"}}),
    "a folder that leads out of its volume": _P.set(
        "workloads", 0, mounts=[{"claim": "data", "path": "/data", "sub_path": "../etc"}]
    ),
    "a sidecar with a script and a command": _P.set(
        "workloads", 0, sidecars=[{"name": "a", "image": "registry.example/a:1", "script": "x", "command": ["y"]}]
    ),
    "a role that is none": _P.set(service_accounts=[{"name": "a", "roles": ["bigquery.user"]}]),
    "a Secret without values": _P.set(secrets=[{"name": "hf", "data": dict[str, str]()}]),
    "a value of a Secret that is a number": _P.set(secrets=[{"name": "hf", "data": {"pin": 1}}]),
    "a version of a secret that is a word": _P.set(
        "workloads", 0, mounts=[{"secret_manager": "a", "path": "/a", "version": "newest"}]
    ),
}
