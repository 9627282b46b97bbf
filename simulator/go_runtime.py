"""How the processes in Go use memory and cores: settings of Go's runtime, by process."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_GOGC: Final = "GOGC"
_PERCENT: Final[Mapping[str, int]] = {
    "etcd": 60,
    "kube-apiserver": 30,
    "kube-controller-manager": 45,
    "kube-scheduler": 40,
    "kwok": 40,
    "kueue": 40,
    "jobset": 60,
    "command": 400,
}
"""By process: how much its heap grows over what is in use, in percent, until it collects (`GOGC`; Go's own is 100).

Less than this for the API server, which has most of the memory, saves little and costs much processor time. A limit
(`GOMEMLIMIT`) would make it collect without a pause in a cluster that is larger than expected. A command (the engine,
Helm) ends soon; with 100, collecting what is left of each written state takes the engine a sixth of its processor time.
"""
_FLOOR: Final = "HEAP_FLOOR_MIB"
_FLOOR_MIB: Final[Mapping[str, int]] = {"kube-apiserver": 220}
"""By process: the size of its heap, in MiB, before which it collects nothing; here the size once the controllers run.

While it starts and takes their definitions, a quarter of its processor time would go into collecting a small heap again
and again. `toolchain/modules/control-plane/kubernetes/heap.go` reads the variable. Above the floor it raises GOGC with
the size of the heap, to 70.
"""
_PROCESSORS: Final = "GOMAXPROCS"
_FEW_CORES: Final = 2
"""So many cores are busy with other processes: most use one. With a second one, Go's scheduler looks for work on it and
finds none: 8 to 12 % of the processor time in a fleet of 1,001 nodes.
"""
_LARGE: Final = ("kube-apiserver", "command")
"""Processes that have work for more than one core."""


def go_settings(process: str) -> dict[str, str]:
    """The variables for Go's runtime of a process of `_PERCENT`; the caller's own are for all of them.

    The value of a command is nobody's own: a command that finds the daemon dead starts it again in its environment.
    """
    own = {name: value for name in (_GOGC, _PROCESSORS) if (value := os.environ.get(name))}
    given = {name: value for name, value in own.items() if (name, value) != (_GOGC, str(_PERCENT["command"]))}
    floor = {_FLOOR: str(_FLOOR_MIB[process])} if process in _FLOOR_MIB and _GOGC not in given else {}
    shares = process not in _LARGE and (os.cpu_count() or 1) <= _FEW_CORES
    return {_GOGC: str(_PERCENT[process]), **floor, **({_PROCESSORS: "1"} if shares else {}), **given}
