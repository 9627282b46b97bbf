"""The key `pods_ready` from Kueue's configuration: how long admitted workloads may wait for their pods."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from policies.objects.values import MalformedError

if TYPE_CHECKING:
    from policies.objects.values import Part

_DURATION: Final = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")
_SECONDS: Final = (3600, 60, 1)
_TIMEOUT: Final = "30m"
"""Kueue's own timeout, apis/config/v1beta2/defaults.go of 0.19.2."""
_REQUEUE: Final = {
    "base_seconds": ("backoffBaseSeconds", 60),
    "max_seconds": ("backoffMaxSeconds", 3600),
    "limit": ("backoffLimitCount", None),
}


def pods_ready(configuration: Part) -> dict[str, Any]:
    """The key with its value; empty where workloads may wait for ever.

    Raises:
        MalformedError: the configuration says something that cannot be read.
    """
    wait = configuration.part("waitForPodsReady")
    if wait is None or wait.flag("enable") is False:
        return {}
    timeout = _seconds(wait, "timeout", default=_TIMEOUT)
    recovery = _seconds(wait, "recoveryTimeout", default=f"{timeout}s")
    written: dict[str, Any] = {"timeout_seconds": timeout}
    if recovery != timeout:
        written["recovery_timeout_seconds"] = recovery
    if wait.flag("blockAdmission"):
        written["block_admission"] = True
    requeue = _requeue(wait.part("requeuingStrategy"))
    return {"pods_ready": {**written, **({"requeue": requeue} if requeue else {})}}


def _requeue(strategy: Part | None) -> dict[str, Any]:
    if strategy is None:
        return {}
    found = {key: (strategy.whole(name), default) for key, (name, default) in _REQUEUE.items()}
    written: dict[str, Any] = {key: value for key, (value, default) in found.items() if value not in (None, default)}
    if strategy.string("timestamp", default="Eviction") == "Creation":
        written["timestamp"] = "Creation"
    return written


def _seconds(wait: Part, key: str, *, default: str) -> int:
    text = wait.string(key, default=default)
    form = _DURATION.fullmatch(text)
    if form is None or not text:
        raise MalformedError(wait.place.at(key), text, "a duration in hours, minutes and whole seconds")
    return sum(int(amount or 0) * seconds for amount, seconds in zip(form.groups(), _SECONDS, strict=True))
