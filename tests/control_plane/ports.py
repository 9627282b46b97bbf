"""What the ports of a control plane and of the pods that really run answer to whoever has no credential."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simulator.clusters.settings import EGRESS_SOCKET
from tests.sockets import NOTHING, family, listeners, stranger

if TYPE_CHECKING:
    from tests.harness import Simulator

_CONTROLLER: Final = {"401", "404"}
"""Metrics want a token. Webhooks and health are open (docs/simulator.md), and have nothing at that path: 404."""
_STRANGERS: Final = {
    "etcd": {NOTHING},
    "kube-apiserver": {"401"},
    "kube-controller-manager": {"403"},
    "kube-scheduler": {"403"},
    "kueue": _CONTROLLER,
    "jobset": _CONTROLLER,
    "valkey-server": {NOTHING},
    # Calls are POSTs, kubelets and webhooks want a certificate, and the ports of Services lead to the pods above.
    "simulator.daemon": {"501", NOTHING, *_CONTROLLER},
}
"""Answers to a GET, by program."""


def assert_closed(simulator: Simulator, *pods: str) -> None:
    """Everything listens on loopback or on the clusters' sockets, and answers a stranger as it must.

    `pods` are the programs of pods that listen; the rest is the daemon and a control plane.
    """
    found = listeners(family(simulator.client.call("status")["pid"]))
    others = [each.address.rpartition("/")[2] for each in found if each.port is None]  # a long path is shown otherwise
    assert others == [path.name for path in simulator.home.clusters.glob(f"*/{EGRESS_SOCKET}")]
    said: dict[str, set[str]] = {}
    for each in found:
        if each.port is not None:
            said.setdefault(each.program, set()).add(stranger(each.port))
    absent = {"kueue", "jobset", "valkey-server"} - set(pods)
    assert said.keys() == _STRANGERS.keys() - absent, "kwok does not listen"
    assert {program: answers for program, answers in said.items() if not answers <= _STRANGERS[program]} == {}
