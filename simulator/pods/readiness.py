"""A container's readiness probe, sent to its process on loopback."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, entries, section
from simulator.pods.container_environment import LOOPBACK
from simulator.pods.programs import Check, ImageProgram, ProgramError, Surroundings
from simulator.probes import HttpProbe, Probe

if TYPE_CHECKING:
    from pathlib import Path

_CONNECT_SECONDS: Final = 1.0
_FAILURE_THRESHOLD: Final = 3
"""A kubelet's default (core/v1 `Probe.failureThreshold`)."""


class TcpCheck:
    """Whether a process listens on a loopback port."""

    def __init__(self, port: int) -> None:
        self._port = port

    def answers(self) -> bool:
        """Whether a connection is accepted now."""
        try:
            socket.create_connection((LOOPBACK, self._port), timeout=_CONNECT_SECONDS).close()
        except OSError:
            return False
        return True


class ReadinessProbe:
    """A container's probe as a kubelet counts it: one failure leaves a container ready that was."""

    def __init__(self, check: Check, failure_threshold: int) -> None:
        """`failure_threshold` is how many failures, one after another, make a ready container not ready."""
        self._check = check
        self._threshold = failure_threshold
        self._failures = failure_threshold  # a container is not ready before its first answer

    def answers(self) -> bool:
        """Whether the container is ready now."""
        self._failures = 0 if self._check.answers() else self._failures + 1
        return self._failures < self._threshold


def readiness(program: ImageProgram, surroundings: Surroundings, pki: Path) -> Check | None:
    """The container's readiness probe, or None when it is ready as soon as it runs.

    Args:
        program: its program, which interprets the command of an exec probe.
        surroundings: those that it was started in.
        pki: folder with the cluster's certificates.

    Raises:
        ProgramError: the probe is of a kind, or has a command, that is not modelled.
    """
    probe = section(surroundings.container, "readinessProbe")
    check = _check(probe, program, surroundings, pki)
    return ReadinessProbe(check, int(probe.get("failureThreshold") or _FAILURE_THRESHOLD)) if check else None


def container_port(container: Document, name: str) -> int | None:
    """The number of a named container port."""
    return next((port["containerPort"] for port in entries(container, "ports") if port.get("name") == name), None)


def _check(probe: Document, program: ImageProgram, surroundings: Surroundings, pki: Path) -> Check | None:
    if "grpc" in probe:
        raise ProgramError("the container's readiness probe is grpc, which the simulator does not support")
    if "exec" in probe:
        return program.check([str(word) for word in probe["exec"]["command"]], surroundings)
    if "tcpSocket" in probe:
        return TcpCheck(_port(probe["tcpSocket"], surroundings))
    if "httpGet" in probe:
        asked = probe["httpGet"]
        scheme, path = str(asked.get("scheme", "HTTP")).lower(), asked.get("path", "/")
        return HttpProbe(Probe(url=f"{scheme}://{LOOPBACK}:{_port(asked, surroundings)}{path}"), pki)
    return None


def _port(asked: Document, surroundings: Surroundings) -> int:
    named = container_port(surroundings.container, str(asked["port"]))
    return surroundings.port(int(asked["port"]) if named is None else named)
