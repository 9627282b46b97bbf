"""The documents of a Redis with one server: the server, its address.

The server is a StatefulSet of one pod. A pod alone would not come back when its node is lost; a Deployment would start
a second server while the first still writes the same append-only file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.manifests import pods
from components.model import names

if TYPE_CHECKING:
    from components.manifests.metadata import Manifest
    from components.model.plan.workloads import RedisPlan

_LABEL: Final = "app"
_PASSWORD: Final = "REDIS_PASSWORD"  # noqa: S105  the variable, not the password
_CLI_PASSWORD: Final = "REDISCLI_AUTH"  # noqa: S105  the variable, not the password
DURABLE: Final = ("--appendonly", "yes", "--appendfsync", "always")
"""The server writes to the file before it answers; by default it may write later, and lose data when it is killed.

Source: "Redis in Action", 4.1.2 "Append-only file persistence", read 2026-11.
"""


def stateful_set(redis: RedisPlan) -> Manifest:
    """The server's document."""
    labels = {_LABEL: redis.name}
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": redis.name, "namespace": redis.namespace, "labels": dict(labels)},
        "spec": {
            "serviceName": redis.service,
            "replicas": 1,
            "selector": {"matchLabels": dict(labels)},
            "template": {"metadata": {"labels": labels}, "spec": _pod(redis)},
        },
    }


def _pod(redis: RedisPlan) -> Manifest:
    arguments = ["--requirepass", f"$({_PASSWORD})", *DURABLE, "--dir", redis.mounts[0].path]
    container: Manifest = {
        "name": names.REDIS_CONTAINER,
        "image": redis.image,
        # Not the image's own start, which would hand files of the mount to a user that the file server may not know.
        "command": ["redis-server"],
        "args": arguments,
        "env": [
            pods.secret_variable(_PASSWORD, redis.secret, names.PASSWORD_KEY),
            pods.secret_variable(_CLI_PASSWORD, redis.secret, names.PASSWORD_KEY),
        ],
        "ports": [{"containerPort": redis.port}],
        "resources": pods.resources(redis.requests),
        "readinessProbe": {"exec": {"command": ["redis-cli", "ping"]}},
        # Only whether it listens: a server that reads a long file back is busy, and must not be started again for it.
        "livenessProbe": {"tcpSocket": {"port": redis.port}},
    }
    pod: Manifest = {"containers": [container]}
    pods.mount(pod, container, redis.mounts)
    return pod


def service(redis: RedisPlan) -> Manifest:
    """The address's document."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": redis.service, "namespace": redis.namespace},
        "spec": {"selector": {_LABEL: redis.name}, "ports": [{"port": redis.port, "targetPort": redis.port}]},
    }
