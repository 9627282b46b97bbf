"""When the stream submits: at even intervals from its beginning, however long a round takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from tpu.stream import submit
from tpu.stream.submit import Shape, Stream
from tpu.stream.teams import Team

if TYPE_CHECKING:
    from components.kubeapi import Api, Document


class Clock:
    """Doubles an API server that takes two seconds for each Job, and the time that passes meanwhile."""

    def __init__(self) -> None:
        self.now = 100.0
        self.submitted: list[float] = []
        self.waits: list[float] = []

    def monotonic(self) -> float:
        """As `time.monotonic`."""
        return self.now

    def create(self, path: str, document: Document) -> Document:
        """As `Api.create`."""
        del path
        self.submitted.append(self.now)
        self.now += 2
        return {**document, "metadata": {"name": "made"}}

    def wait(self, seconds: float) -> bool:
        """Let the time pass; the fourth wait is asked to be the last."""
        self.waits.append(seconds)
        self.now += max(0.0, seconds)
        return len(self.waits) == 4


@pytest.mark.parametrize(("interval", "waits"), [(10.0, [6.0] * 4), (3.0, [-1.0, -2.0, -3.0, -4.0])])
def test_rounds_begin_at_even_intervals(monkeypatch: pytest.MonkeyPatch, interval: float, waits: list[float]) -> None:
    clock = Clock()
    monkeypatch.setattr(submit, "time", clock)
    teams = (Team("a", "q"), Team("b", "q"))
    stream = Stream(cast("Api", clock), teams, Shape(), lambda _: None)
    stream.run(interval=interval, count=None, wait=clock.wait)
    assert clock.waits == waits
    begun = clock.submitted[::2]
    assert begun == [100 + round_ * max(interval, 4) for round_ in range(4)]
    assert stream.summary() == "submitted 8 Jobs: 4 of a, 4 of b"


def test_nothing_submitted_is_said_so() -> None:
    assert Stream(cast("Api", Clock()), (), Shape(), lambda _: None).summary() == "submitted no Jobs"
