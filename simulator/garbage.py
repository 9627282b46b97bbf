"""How soon the processes in Go collect their garbage: memory against processor time, by process."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_GOGC: Final = "GOGC"
_PERCENT: Final[Mapping[str, int]] = {
    "etcd": 30,
    "kube-apiserver": 30,
    "kube-controller-manager": 30,
    "kube-scheduler": 40,
    "kwok": 40,
    "kueue": 30,
    "jobset": 40,
}
"""By process: how much its heap grows over what is in use, in percent, until it collects (`GOGC`; Go's own is 100).

Less than this for the API server, which has most of the memory, saves little and costs much processor time. A limit
(`GOMEMLIMIT`) would make it collect without a pause in a cluster that is larger than expected.
"""


def collection(process: str) -> dict[str, str]:
    """The variables of a process that say when it collects; the caller's own GOGC is for all of them."""
    return {_GOGC: os.environ.get(_GOGC) or str(_PERCENT[process])}
