"""One Job per team at a time, at even intervals."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from components.model.findings import counted
from operations.stream.document import job

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubeapi import Api
    from operations.stream.document import Shape
    from operations.stream.teams import Team


class Stream:
    """Submits the Jobs of some teams and counts them."""

    def __init__(self, api: Api, teams: Sequence[Team], shape: Shape, report: Callable[[str], None]) -> None:
        """`report` is called with a line about each Job."""
        self.submitted: Counter[str] = Counter()
        """Jobs so far, by team."""
        self._api = api
        self._teams = teams
        self._shape = shape
        self._report = report

    def run(self, *, interval: float, count: int | None, wait: Callable[[float], bool]) -> None:
        """Submit one Job per team every `interval` seconds.

        Args:
            interval: seconds from the beginning of one round to that of the next.
            count: rounds; None goes on until `wait` says that it is enough.
            wait: waits so many seconds; True ends the stream.

        Raises:
            kubeapi.ApiError, kubeapi.UnreachableError: a Job was not taken; those before it were.
        """
        start, rounds = time.monotonic(), 0
        while True:
            for team in self._teams:
                self._submit(team)
            rounds += 1
            if rounds == count or wait(start + rounds * interval - time.monotonic()):
                return

    def summary(self) -> str:
        """What was submitted, in one line."""
        by_team = ", ".join(f"{count} of {team}" for team, count in self.submitted.items())
        return ": ".join(filter(None, (f"submitted {counted(self.submitted.total(), 'Job')}", by_team)))

    def _submit(self, team: Team) -> None:
        made = self._api.create(f"/apis/batch/v1/namespaces/{team.name}/jobs", job(team, self._shape))
        self.submitted[team.name] += 1
        gpus = team.pods * self._shape.gpus
        asked = f"{counted(team.pods, 'pod')}, {counted(gpus, 'GPU')}"
        self._report(f"{team.name}/{made['metadata']['name']} in {team.queue}: {asked}")
