"""What a change of a platform is, and those that several stacks go through."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tests.control_plane.edited import entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from components.kubeapi.documents import Document

Platform = dict[str, Any]
SOME: Final = None
"""Work that the cloud or Kueue chooses."""


@dataclass(frozen=True)
class Change:
    """A change, and what its author knows that it ends."""

    edit: Callable[[Platform], None]
    ends: frozenset[str] | None = frozenset()
    """By kind, namespace and name; None where another decides which."""
    is_refused: bool = False
    """Whether the preview refuses it, so that nothing ends."""
    first: tuple[Document, ...] = field(default=(), compare=False)
    """What a user submits before it."""
    without: str = ""
    """A JobSet that its user withdraws for ever before it, as namespace and name."""

    @property
    def name(self) -> str:
        """What the change is called."""
        return self.edit.__name__


def ends(*titles: str) -> frozenset[str]:
    """Work that ends, whoever decides."""
    return frozenset(titles)


def pool(platform: Platform, name: str) -> dict[str, Any]:
    """A declared pool of slices."""
    return entry(platform["tpu_slices"], name)


def queue(platform: Platform, name: str) -> dict[str, Any]:
    """A declared queue."""
    return entry(platform["queues"], name)


def share(platform: Platform, of: str, flavor: str) -> dict[str, Any]:
    """A queue's quota of a flavor."""
    return entry(queue(platform, of)["flavors"], flavor)


def nothing(platform: Platform) -> None:
    """No change at all."""
    del platform


def add_a_billing_label(platform: Platform) -> None:
    platform["labels"]["team"] = "ml"


def maintain_at_night(platform: Platform) -> None:
    window = {"start": "2026-01-01T00:00:00Z", "end": "2026-01-01T06:00:00Z", "recurrence": "FREQ=DAILY"}
    platform["cluster"]["maintenance"] = {"window": window}


def take_another_release_channel(platform: Platform) -> None:
    platform["cluster"]["release_channel"] = "REGULAR"


def let_ordinary_nodes_be_more(platform: Platform) -> None:
    entry(platform["node_pools"], "system")["autoscaling"]["max"] = 5


def stop(name: str, how: str | None, word: str) -> Callable[[Platform], None]:
    """An edit that holds, drains or resumes a queue."""

    def edit(platform: Platform) -> None:
        if how is None:
            queue(platform, name).pop("stop")
        else:
            queue(platform, name)["stop"] = how

    edit.__name__ = f"{word}_{name}"
    return edit
