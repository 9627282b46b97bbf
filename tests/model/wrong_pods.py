"""Wrong values of the keys that pods have, each with its place."""

from __future__ import annotations

from tests.stacks import Stack, a_platform

_P = a_platform()
WRONG_PODS: dict[str, tuple[Stack, str]] = {
    "a mount of nothing": (_P.set("workloads", 0, mounts=[{"path": "/data"}]), "workloads[0].mounts[0]"),
    "a mount of something misspelt": (
        _P.set("workloads", 0, mounts=[{"clam": "data", "path": "/data"}]),
        "workloads[0].mounts[0]",
    ),
    "a text for a mount": (_P.set("workloads", 0, mounts=["data"]), "workloads[0].mounts[0]"),
    "a number for a variable": (_P.set("workloads", 0, env={"STEPS": 100}), "workloads[0].env.STEPS"),
    "a variable from nowhere": (_P.set("workloads", 0, env={"TOKEN": {"key": "token"}}), "workloads[0].env.TOKEN"),
    "a variable without its key": (_P.set("workloads", 0, env={"TOKEN": {"secret": "hf"}}), "workloads[0].env.TOKEN"),
    "a field that a variable cannot have": (
        _P.set("workloads", 0, env={"NODE": {"field": "spec.hostname"}}),
        "workloads[0].env.NODE.field",
    ),
    "a folder that leads out of its volume": (
        _P.set("workloads", 0, mounts=[{"claim": "data", "path": "/data", "sub_path": "../etc"}]),
        "workloads[0].mounts[0].sub_path",
    ),
    "a sidecar with a script and a command": (
        _P.set(
            "workloads", 0, sidecars=[{"name": "a", "image": "registry.example/a:1", "script": "x", "command": ["y"]}]
        ),
        "workloads[0].sidecars[0]",
    ),
    "a role that is none": (
        _P.set(service_accounts=[{"name": "a", "roles": ["bigquery.user"]}]),
        "service_accounts[0].roles[0]",
    ),
    "a Secret without values": (_P.set(secrets=[{"name": "hf", "data": dict[str, str]()}]), "secrets[0].data"),
    "a value of a Secret that is a number": (
        _P.set(secrets=[{"name": "hf", "data": {"pin": 1}}]),
        "secrets[0].data.pin",
    ),
    "a version of a secret that is a word": (
        _P.set("workloads", 0, mounts=[{"secret_manager": "a", "path": "/a", "version": "newest"}]),
        "workloads[0].mounts[0].version",
    ),
}
