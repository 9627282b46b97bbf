"""How soon the processes in Go collect their garbage: memory against processor time, by process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_PERCENT: Final[Mapping[str, int]] = {
    "etcd": 40,
    "kube-apiserver": 40,
    "kube-controller-manager": 40,
    "kube-scheduler": 50,
    "kwok": 50,
    "kueue": 40,
    "jobset": 50,
}
"""By process: how much its heap grows over what is in use, in percent, until it collects (`GOGC`; Go's own is 100).

The API server has most of the memory and uses most of the processor: from 50 to 40 it saves some 15 MiB of a small cluster
for an eighth more of its processor time, from 40 to 30 the same again. A memory limit would make it collect all the time
in a large cluster, whose size is not known at its start.
"""


def collection(process: str) -> dict[str, str]:
    """The variables of a process that say when it collects."""
    return {"GOGC": str(_PERCENT[process])}
