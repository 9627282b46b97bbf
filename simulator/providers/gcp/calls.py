"""Calls to the cloud for one operation of the engine: they wait, show its progress, and fail with a message."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from simulator.cloud.api import CloudApi, CloudError, Operation
from simulator.providers.base import Engine, ProviderError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from simulator.providers.gcp.settings import Settings

_LOOK_SECONDS: Final = 1.0
"""Pause between two lines about the progress of an operation."""
DEFAULT_TIMEOUT: Final = 40 * 60.0
"""Seconds that a change may take when the program sets no timeout, as for clusters in the real provider."""
_INCOMPATIBLE = re.compile(r"incompatible operation (operation-[\w-]+)")


class OperationFailedError(ProviderError):
    """The operation was accepted and failed, or was not waited for to its end; the resource may exist."""

    def __init__(self, text: str, *, goes_on: str = "") -> None:
        """`goes_on` is the name of the operation when it is still under way."""
        super().__init__(text)
        self.goes_on = goes_on


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """The context of a change: the cloud, the configuration, and a time limit."""

    cloud: CloudApi
    settings: Settings
    engine: Engine
    urn: str
    timeout: float
    """Seconds of real time; 0 for the default."""
    interrupted: threading.Event
    began: float = field(default_factory=time.monotonic)

    def change(self, doing: str, name: str, start: Callable[[], Operation]) -> None:
        """Start an operation on the resource `name` and wait for its end; `doing` is shown to the user meanwhile.

        Raises:
            CloudError: the API refuses.
            OperationFailedError: the operation failed, the user interrupted or the time is over.
        """
        operation = self._started(doing, name, start)
        ended = self.until_done(doing, operation)
        error = ended["error"]
        if error is not None:
            raise OperationFailedError(f"Error waiting for {doing}: {error['message']}")

    def until_done(self, doing: str, operation: Operation) -> Operation:
        """Wait for the end of an operation, failed or not.

        Raises:
            OperationFailedError: the user interrupted or the time is over; the operation goes on.
        """
        was_shown = False
        while operation["status"] != "DONE":
            if self.interrupted.is_set():
                raise OperationFailedError(
                    f"interrupted; {operation['name']} goes on in the cloud", goes_on=operation["name"]
                )
            spent = time.monotonic() - self.began
            if spent > self._patience:
                raise OperationFailedError(
                    f"Error waiting for {doing}: timeout while waiting for state to become 'DONE' "
                    f"(last state: '{operation['status']}', timeout: {self._patience:g}s)",
                    goes_on=operation["name"],
                )
            if spent >= _LOOK_SECONDS:
                self.engine.status(self.urn, f"{doing}: {operation['status']}, {spent:.0f} s")
                was_shown = True
            left = max(0.0, self._patience - spent)
            operation = self.cloud.wait(operation["name"], min(left, _LOOK_SECONDS))
        if was_shown:
            self.engine.status(self.urn, "")
        return operation

    def _started(self, doing: str, name: str, start: Callable[[], Operation]) -> Operation:
        """Start an operation, after the one that it is incompatible with: the real provider retries until it can."""
        while True:
            try:
                return start()
            except CloudError as error:
                other = _INCOMPATIBLE.search(error.message)
                if other is None:
                    raise
                location = "/".join(name.split("/")[:4])
                self.until_done(doing, self.cloud.operation(f"{location}/operations/{other[1]}"))

    @property
    def _patience(self) -> float:
        return self.timeout or DEFAULT_TIMEOUT
