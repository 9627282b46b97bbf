"""The kubelet's side of `kubectl logs`, for every node of a cluster.

The API server connects to a node's address on the kubelet port; the egress proxy leads it here. Only logs are served:
exec, attach and port-forward need a container, and the answer says so.

Source: the kubelet's server (pkg/kubelet/server, path /containerLogs) and the PodLogOptions it takes, Kubernetes 1.34.
"""

from __future__ import annotations

import datetime as dt
import threading
import time
from typing import TYPE_CHECKING, Final

from simulator.clusters.https import Request, Response
from simulator.pods.logs import Line, Log, rfc3339

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_FOLLOW_INTERVAL: Final = 0.2
"""Seconds between two looks at a log that is followed."""


class NodeApi:
    """Answers what the API server asks of kubelets."""

    def __init__(self, find: Callable[[str, str, str], Log | None]) -> None:
        """`find` gives the log of a container by namespace and pod, None for one that never started."""
        self._find = find

    def answer(self, request: Request) -> Response:
        """The answer to one request of the API server."""
        match request.path.strip("/").split("/"):
            case ["containerLogs", namespace, pod, container]:
                return self._logs(namespace, pod, container, request.query)
            case [verb, *_] if verb in ("exec", "attach", "portForward", "run"):
                return Response(501, f"{verb} is not possible: pods of the simulator have no container\n".encode())
            case _:
                return Response(404, b"the simulator's nodes serve container logs only\n")

    def _logs(self, namespace: str, pod: str, container: str, query: Mapping[str, str]) -> Response:
        if query.get("previous") == "true":
            return Response(400, f'previous terminated container "{container}" in pod "{pod}" not found\n'.encode())
        log = self._find(namespace, pod, container)
        if log is None:
            return Response(404, f'container "{container}" in pod "{pod}" has no log yet\n'.encode())
        return Response(200, _stream(log, query))


def _stream(log: Log, query: Mapping[str, str]) -> Iterator[bytes]:
    """The log's lines as the options ask for them."""
    left = int(query.get("limitBytes", "0")) or None
    seen = 0
    first = True
    pause = threading.Event()
    while True:
        over = log.is_over()
        lines = log.lines()
        chosen = _begin(lines, query) if first else lines[seen:]
        seen, first = len(lines), False
        for line in chosen:
            data = _rendered(line, query)[:left]
            left = None if left is None else left - len(data)
            yield data
            if left == 0:
                return
        if over or query.get("follow") != "true":
            return
        pause.wait(_FOLLOW_INTERVAL)


def _begin(lines: list[Line], query: Mapping[str, str]) -> list[Line]:
    since = 0.0
    if "sinceSeconds" in query:
        since = time.time() - float(query["sinceSeconds"])
    if "sinceTime" in query:
        since = dt.datetime.fromisoformat(query["sinceTime"]).timestamp()
    lines = [line for line in lines if line.time >= since]
    if "tailLines" in query:
        count = int(query["tailLines"])
        lines = lines[-count:] if count else []
    return lines


def _rendered(line: Line, query: Mapping[str, str]) -> bytes:
    stamp = f"{rfc3339(line.time)} " if query.get("timestamps") == "true" else ""
    return f"{stamp}{line.text}\n".encode()
