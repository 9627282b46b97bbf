"""How the program of a pack comes to serve it."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pulumi_policy

from policies.start import start

if TYPE_CHECKING:
    import pytest


def test_a_pack_serves_with_the_collector_on_and_what_is_loaded_out_of_its_sight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    served: list[tuple[str, bool, bool]] = []

    def serve(name: str, *_: object, **__: object) -> None:
        """Doubles the SDK's pack, which would wait for the engine."""
        served.append((name, gc.isenabled(), gc.get_freeze_count() > 0))

    monkeypatch.setattr(pulumi_policy, "PolicyPack", serve)
    try:
        start("quota")
    finally:
        gc.unfreeze()
    assert served == [("tpu-platform-quota", True, True)]
