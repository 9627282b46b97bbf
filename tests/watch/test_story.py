"""The story as it is printed: what it counts, and which tables belong to it."""

from __future__ import annotations

from tests.watch.records import Story
from tpu.watch.timeline import story


def told(chips: int) -> list[str]:
    """The story of one JobSet that ran to its end."""
    happened = Story()
    happened.queued(0, "run", chips)
    happened.admitted(1, "run")
    happened.finished(9, "run")
    return list(story(happened.record(), 0.0, is_settled=True))


def test_work_on_chips_is_counted_in_them() -> None:
    lines = told(8)
    assert "chips" in lines[0]
    assert "at most 8 chips were admitted at one moment" in lines
    assert any("jobset-run" in line for line in lines)


def test_work_without_chips_is_not_counted_and_has_its_table_all_the_same() -> None:
    lines = told(0)
    assert "chips" not in lines[0]
    assert not any("at one moment" in line for line in lines)
    assert any("jobset-run" in line for line in lines)
