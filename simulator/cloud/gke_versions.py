"""The GKE versions that the simulated cloud offers: builds of the one Kubernetes release that really runs here.

Google offers more, and changes the list every week; it refuses an older version, as the simulated cloud does.

Source: build numbers of GKE's rapid channel for Kubernetes 1.36.4, as public reports of 2026-09 name them; the two
sentences of refusal as quoted in public issue reports.
"""

from __future__ import annotations

import re
from typing import Any, Final

from components.model.facts.gke import parse_version
from simulator.cloud.api import invalid

OFFERED: Final = ("1.36.4-gke.1082000", "1.36.4-gke.1247000")
"""Oldest first; every release channel has the newest as its default."""
CHANNELS: Final = ("EXTENDED", "RAPID", "REGULAR", "STABLE")
_FULL: Final = re.compile(r"\d+\.\d+\.\d+-gke\.\d+")
_NEWEST: Final = ("", "-", "latest")
"""How a request asks for the channel's own choice."""


def control_plane_version(wanted: str) -> str:
    """The control plane version for the request `wanted`: a full version, a prefix of one, or nothing.

    >>> control_plane_version("1.36")
    '1.36.4-gke.1247000'

    Raises:
        CloudError: INVALID_ARGUMENT: no such version is offered.
    """
    if wanted in _NEWEST:
        return OFFERED[-1]
    if wanted in OFFERED:
        return wanted
    if _FULL.fullmatch(wanted):
        raise invalid(f'Master version "{wanted}" is unsupported.')
    found = [version for version in OFFERED if version.startswith((f"{wanted}.", f"{wanted}-"))]
    if not found:
        raise invalid(f'No valid versions with the prefix "{wanted}" found.')
    return found[-1]


def server_config() -> dict[str, Any]:
    """The versions that every location offers, newest first, as in the API (`projects.locations.getServerConfig`)."""
    newest_first = list(reversed(OFFERED))
    channel = {"defaultVersion": OFFERED[-1], "validVersions": newest_first, "upgradeTargetVersion": OFFERED[-1]}
    return {
        "defaultClusterVersion": OFFERED[-1],
        "validMasterVersions": newest_first,
        "validNodeVersions": newest_first,
        "channels": [{"channel": each, **channel} for each in CHANNELS],
    }


def check_not_older(version: str, current: str) -> None:
    """Refuse a control plane version below the present one.

    Raises:
        CloudError: INVALID_ARGUMENT.
    """
    if parse_version(version) < parse_version(current):
        raise invalid(f"Master cannot be upgraded to {version}: it is older than the current {current}.")
