"""One pod that really runs on this machine: from its volumes to its last status.

One thread per pod goes through the stages of a kubelet: mount, start, become ready, end, and start again after a
growing pause when the restart policy says so. The image decides the program (`images.py`), the program how it is
started (`programs.py`).
"""

from __future__ import annotations

import contextlib
import threading
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from components.kubeapi import ApiError, UnreachableError
from components.kubeapi.documents import Document, entries, is_true, section, stamp
from simulator.files import remove_all_but
from simulator.pods.container_environment import ContainerConfigError, EnvironmentSource
from simulator.pods.credentials import TOKEN_SECONDS, write_kubeconfig
from simulator.pods.csi.request import VolumeError
from simulator.pods.events import MountWarnings
from simulator.pods.host_status import (
    Seen,
    ended,
    grace_seconds,
    is_lost,
    is_unfinished_run,
    other_conditions,
    phase_of,
    running,
    status_patch,
    terminated,
    waiting,
)
from simulator.pods.images import program_of
from simulator.pods.interpreted import NAME, ScriptProcess, is_interpreted
from simulator.pods.logs import FileLog
from simulator.pods.programs import Check, ImageError, ImageProgram, ProgramError, Surroundings
from simulator.pods.readiness import readiness
from simulator.pods.running import ProgramProcess, Running, pause_before_restart, waiting_reason
from simulator.processes import exit_reason

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from simulator.pods.host import Host

_RETRY_SECONDS: Final = 0.5
_PROBE_INTERVAL: Final = 0.1
_SYNC_SECONDS: Final = 5.0  # between two looks at a ready pod's volumes; a kubelet takes a minute and more


class HostPod:
    """A pod and its process.

    `start` once, or `set_ended` when it ended earlier; then `terminate` (pod deleted) or `stop` (the simulator ends).
    """

    def __init__(self, document: Document, host: Host) -> None:
        metadata = document["metadata"]
        self.namespace: str = metadata["namespace"]
        self.name: str = metadata["name"]
        self.uid: str = metadata["uid"]
        self.address = host.pod_address()
        self.program = ""
        self.restarts = 0
        self._document = document
        self._container = entries(section(document, "spec"), "containers")[0]
        self._host = host
        self._folder = host.folder / self.uid
        self._log = self._folder / "container.log"
        self._volumes = host.volumes(document)
        self._ports = defaultdict[int, int](host.free_port)
        self._last: Document | None = None
        self._held: bool | None = None
        self._mount_warnings = MountWarnings(host.api, document)
        self._child: Running | None = None
        self._is_lost = False
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._ending = threading.Lock()
        self._thread = threading.Thread(target=self._live, name=f"pod-{self.name}", daemon=True)

    @property
    def path(self) -> str:
        """The pod's path in the API."""
        return f"/api/v1/namespaces/{self.namespace}/pods/{self.name}"

    @property
    def pid(self) -> int | None:
        """Process id of the container's program while it runs."""
        child = self._child
        return child.pid if child is not None and child.poll() is None else None

    @property
    def log(self) -> FileLog:
        """The container's output over all its starts."""
        return FileLog(self._log, lambda: not self._over.is_set())

    def loopback_port(self, container_port: int) -> int | None:
        """The loopback port in the place of a container port, None when the program does not listen there."""
        return self._ports.get(container_port)

    def see(self, document: Document) -> None:
        """Note what the API server holds of the pod: as with a kubelet, whatever is not so is written again.

        The controller manager calls the pods of a node that was silent for a while not ready, and leaves it at that.
        """
        self._held = is_true(document, "Ready")
        self._document = document
        if not self._is_lost and is_lost(document) and is_interpreted(document):
            self._is_lost = True
            self.stop()

    def start(self) -> None:
        """Begin the pod's life in a thread of its own."""
        self._thread.start()

    def set_ended(self) -> None:
        """The pod has ended: nothing is started, its log stays readable."""
        self._over.set()

    def stop(self) -> None:
        """End the process and the thread; the pod's status is left as it is."""
        self._over.set()
        with self._lock:
            child = self._child
        if child is not None:
            child.end(0.0 if self._is_lost else grace_seconds(self._document))
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join()

    def terminate(self) -> None:
        """The pod was deleted: end the process, then remove the pod; may be called again while the pod is there."""
        if self._ending.acquire(blocking=False):
            threading.Thread(target=self._terminate, name=f"end-{self.name}", daemon=True).start()

    def forget(self) -> None:
        """The pod is gone: keep only its log, because secrets lie beside it."""
        remove_all_but(self._folder, self._log)

    def _report_end(self) -> None:
        """Say how the container of a deleted pod ended, as a kubelet does before the pod goes."""
        if not is_unfinished_run(self._document):
            return
        child = self._child
        if child is None or self._is_lost:
            self._write({"status": {"phase": "Failed"}})
        else:
            status = child.join()
            self._say(phase_of(status), ended(stamp(), status, restarts=self.restarts, now=stamp()))

    def _terminate(self) -> None:
        try:
            self.stop()
            self._report_end()
            options = {"gracePeriodSeconds": 0, "preconditions": {"uid": self.uid}}
            with contextlib.suppress(ApiError, UnreachableError):  # gone already, or the cluster is ending
                self._host.api.delete(self.path, options)
        finally:
            self._ending.release()

    def _live(self) -> None:
        while not self._over.is_set():
            try:
                if is_interpreted(self._document):
                    self._run_script()
                else:
                    self._run_program(self._program())
            except (ContainerConfigError, ImageError, OSError, ProgramError, VolumeError) as error:
                self._say_waiting(error)
                self._over.wait(_RETRY_SECONDS)
            except (ApiError, UnreachableError):
                self._over.wait(_RETRY_SECONDS)

    def _program(self) -> ImageProgram:
        program = program_of(str(self._container["image"]), self._host.releases)
        spec = section(self._document, "spec")
        if program is None or len(entries(spec, "containers")) != 1:
            raise ProgramError("a pod with a program on this machine has exactly one container here")
        if entries(spec, "initContainers"):
            raise ProgramError("a pod with a program on this machine has no initContainers here")
        self.program = program.name
        return program

    def _surroundings(self) -> Surroundings:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._volumes.sync()
        self._volumes.make_sub_paths(self._container)
        self._ports.clear()  # another program may have taken one since the last start
        source = EnvironmentSource(
            pod=self._document, address=self.address, api=self._host.api, service_port=self._host.service_port
        )
        return Surroundings(
            pod=self._document,
            container=self._container,
            folder=self._folder,
            volumes=self._volumes,
            kubeconfig=self._kubeconfig(),
            port=self._ports.__getitem__,
            api=self._host.api,
            authority=self._host.authority,
            releases=self._host.releases,
            environment=source.environment(self._container),
        )

    def _run_program(self, program: ImageProgram) -> None:
        surroundings = self._surroundings()
        invocation = program.invocation(surroundings)
        record = self._host.folder.parent / "pids" / f"pod-{self.namespace}-{self.name}.json"
        self._run(
            lambda: ProgramProcess(invocation, home=self._folder, log=self._log, record=record),
            readiness(program, surroundings, self._host.authority_path.parent),
        )

    def _run_script(self) -> None:
        surroundings = self._surroundings()
        self.program = NAME
        self._run(lambda: ScriptProcess(surroundings, self._host.clock, self._log), None)

    def _run(self, start: Callable[[], Running], check: Check | None) -> None:
        """Run the container's program once, and report its state in the pod's status."""
        with self._lock:
            if self._over.is_set():
                return
            child = self._child = start()
        self._watch(child, started := stamp(), check)
        status = child.join()
        self._volumes.keep_at_end(is_lost=self._is_lost)
        if not self._over.is_set():
            self._after(status, started)

    def _after(self, status: int, started: str) -> None:
        """The answer of the restart policy for a container whose process ended by itself."""
        policy = section(self._document, "spec").get("restartPolicy", "Always")
        if policy == "Never" or (policy == "OnFailure" and status == 0):
            seen = ended(started, status, restarts=self.restarts, now=stamp())
            while not self._over.is_set() and not self._say(phase_of(status), seen):
                self._over.wait(_RETRY_SECONDS)
            self._over.set()
            return
        self._last = terminated(started, status, stamp())
        reason = f"the container {exit_reason(status)}"
        seen = waiting("CrashLoopBackOff", reason, restarts=self.restarts, started=started, last=self._last)
        self._say("Running", seen)
        pause = pause_before_restart(self.restarts)
        self.restarts += 1
        self._over.wait(pause)

    def _watch(self, child: Running, started: str, check: Check | None) -> None:
        """Keep readiness, volumes and credentials up to date until the process ends."""
        ready: bool | None = None
        waited, next_sync, next_renewal = 0.0, 0.0, TOKEN_SECONDS / 2
        while child.poll() is None and not self._over.is_set():
            now_ready = check is None or check.answers()
            try:
                if now_ready is not ready or self._held is (not ready):
                    seen = running(started, ready=now_ready, restarts=self.restarts, last=self._last)
                    self._held = None  # until the next event
                    ready = now_ready if self._say("Running", seen) else None
                if not ready or waited >= next_sync:
                    self._volumes.sync()
                    next_sync = waited + _SYNC_SECONDS
                self._volumes.keep()
                if waited >= next_renewal:
                    self._kubeconfig()
                    next_renewal = waited + TOKEN_SECONDS / 2
            except (ApiError, OSError, UnreachableError, VolumeError):
                ready = None  # write it again when the API server is back
            interval = _RETRY_SECONDS if ready else _PROBE_INTERVAL
            self._over.wait(interval)
            waited += interval

    def _kubeconfig(self) -> Path:
        return write_kubeconfig(self._document, self._folder, self._host.api, self._host.authority_path)

    def _say_waiting(self, error: Exception) -> None:
        reason = waiting_reason(error)
        self._say("Pending", waiting(reason, str(error), restarts=self.restarts, started=stamp(), last=self._last))
        if isinstance(error, VolumeError):
            self._mount_warnings.say(str(error))

    def _say(self, phase: str, seen: Seen) -> bool:
        """Write the pod's status; False when the API server is away."""
        patch = status_patch(self._container, phase, seen, address=self.address, now=stamp())
        patch["status"]["conditions"] += other_conditions(self._document)
        return self._write(patch)

    def _write(self, patch: Document) -> bool:
        try:
            self._host.api.merge(f"{self.path}/status", patch)
        except (ApiError, UnreachableError):
            return False
        return True
