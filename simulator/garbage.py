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
_FLOOR: Final = "HEAP_FLOOR_MIB"
_FLOOR_MIB: Final[Mapping[str, int]] = {"kube-apiserver": 220}
"""By process: the size of its heap, in MiB, before which it collects nothing; here the size once the controllers run.

While it starts and takes their definitions, a quarter of its processor time would go into collecting a small heap again
and again. `toolchain/modules/control-plane/kubernetes/heap.go` reads the variable. Above the floor it raises GOGC with
the size of the heap, to 45.
"""


def collection(process: str) -> dict[str, str]:
    """The variables of a process that say when it collects; the caller's own GOGC is for all of them."""
    given = os.environ.get(_GOGC)
    if given:
        return {_GOGC: given}
    floor = {_FLOOR: str(_FLOOR_MIB[process])} if process in _FLOOR_MIB else {}
    return {_GOGC: str(_PERCENT[process]), **floor}
