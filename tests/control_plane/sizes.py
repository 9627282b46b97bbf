"""Watches the node pools of a simulated cloud while a test goes on, so that every size that they had is seen."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.harness import Simulator

_PAUSE_SECONDS: Final = 0.1


@dataclass
class Sizes:
    """What was seen of the node pools of all clusters, by the pool's name."""

    nodes: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """The numbers of running machines in the order in which they were seen, each change once."""
    pools: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    """Each pool as `status` told of it last; those that are gone too."""

    def see(self, simulator: Simulator) -> None:
        """Take in the sizes of now."""
        for cluster in simulator.client.call("status")["clusters"]:
            for pool in cluster["pools"]:
                self.pools[pool["name"]] = pool
                seen = self.nodes.setdefault(pool["name"], [])
                if seen[-1:] != [pool["nodes"]]:
                    seen.append(pool["nodes"])


@contextmanager
def watched(simulator: Simulator) -> Generator[Sizes]:
    """The sizes that pools have within `with`."""
    sizes, over = Sizes(), threading.Event()
    sizes.see(simulator)

    def run() -> None:
        while not over.wait(_PAUSE_SECONDS):
            sizes.see(simulator)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield sizes
    finally:
        over.set()
        thread.join()
