"""A readiness probe: when a container is ready, and how many failures it may have."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.pods.readiness import ReadinessProbe


@dataclass
class Answers:
    """Doubles the question to a program: the answers come one after another."""

    given: list[bool]

    def answers(self) -> bool:
        return self.given.pop(0)


def heard(threshold: int, given: str) -> str:
    """What a kubelet makes of the answers of a program, `+` for a good one."""
    probe = ReadinessProbe(Answers([sign == "+" for sign in given]), threshold)
    return "".join("+" if probe.answers() else "-" for _ in given)


def test_a_container_is_ready_from_its_first_good_answer() -> None:
    assert heard(3, "--+") == "--+"


def test_a_ready_container_may_miss_as_many_answers_as_its_threshold_allows() -> None:
    assert heard(3, "+--+--+---+") == "+++++++++-+"


def test_a_threshold_of_one_takes_every_answer_at_its_word() -> None:
    assert heard(1, "+-+") == "+-+"
