"""A stack with work on it, and for each change: what the report says ends, the update, and what has ended."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from components.model.running import Running, decoded
from policies.report.contents import Report, report_of
from policies.report.costs import OWN_TABLE, prices_in
from policies.report.events import read_events, read_state
from tests.control_plane.edited import EditedStack
from tests.endings.submitted import submit, withdraw
from tests.endings.watched import quiet, seen
from tests.eventually import eventually
from tests.policies.report.stream import markdown_of
from tpu.running.works import running_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from components.kubeapi.documents import Document
    from tests.endings.changes import Change, Platform
    from tests.harness import Simulator

_SPEED = 60
"""Simulated seconds in a real one."""


@dataclass
class Compared:
    """The stack as the last change left it."""

    stack: EditedStack
    users: Sequence[Document]
    """What users want to run all the time."""
    _passing: set[str] = field(default_factory=set[str])
    """JobSets that a user submitted for one change."""

    @classmethod
    def brought_up(
        cls,
        simulator: Simulator,
        stack: str,
        folder: Path,
        prepare: Callable[[Platform], None],
        users: Sequence[Document],
    ) -> Compared:
        """The stack with its preparation, up."""
        simulator.run("exec", "--speed", str(_SPEED), "--", "true")
        simulator.run("times", "--scan", "1", "--queue", "1", "--idle", "864000")
        made = cls(EditedStack(simulator, stack, folder), users)
        platform = made.stack.read()
        prepare(platform)
        made.stack.write(platform)
        made.stack.up()
        return made

    def asked(self) -> Running:
        """What the command says of the cluster, once all users have submitted their work and nothing moves."""
        api = self._simulator.api(self.stack.stack)
        submit(api, self.users)
        quiet(api)
        return decoded(self._simulator.run("exec", "--", "tpu", "running", "--stack", self.stack.stack).out)

    def check(self, change: Change) -> None:
        """Compare, in both directions, what the report of a change says ends and what ended after the update."""
        self._settle(change)
        before, platform = self.stack.read(), copy.deepcopy(self.stack.read())
        change.edit(platform)
        self.stack.write(platform)
        report, then = self._report(), seen(self._simulator.api(self.stack.stack))
        certain = {each.work.title for each in report.impact.ended}
        possible = {each.work.title for each in report.impact.threatened}
        updated = self.stack.up(code=None)
        told = f"{change.name}: the report says {_told(report)}; {report.preview.errors}"
        assert (updated.code == 0) is report.preview.passes, f"{told}\n{updated.text}"
        assert report.preview.passes is not change.is_refused, told
        if change.is_refused:
            certain, possible = set[str](), set[str]()
            self.stack.write(before)
        ended: set[str] = set()

        def all_ended() -> bool:
            ended.update(then.ended(seen(self._simulator.api(self.stack.stack))))
            return certain <= ended

        eventually(all_ended, what=f"{told}; what is said to end", seconds=90)
        quiet(self._simulator.api(self.stack.stack))
        all_ended()
        assert ended <= certain | possible, f"{told}; {sorted(ended - certain - possible)} ended too"
        if change.ends is not None:
            assert ended == change.ends, f"{told}; {sorted(ended)} ended"
        else:
            assert ended, f"{told}; nothing ended"
        impact = report.impact
        if not (ended or possible or impact.slices or impact.clusters or impact.data or impact.hindered):
            assert "**Ends:** nothing" in markdown_of(report), told

    @property
    def _simulator(self) -> Simulator:
        return self.stack.simulator

    def _report(self) -> Report:
        """The report of the change, made as the Makefile makes it but for the packs: their rules end nothing."""
        name = self.stack.stack
        running = running_in(self._simulator.api(name))
        preview = read_events(self._simulator.pulumi("preview", "--json", "--stack", name, code=None).out.splitlines())
        state = None if preview.is_whole else read_state(json.dumps(self._simulator.state(name)))
        return report_of(preview, state, prices_in(OWN_TABLE), name, running=running)

    def _settle(self, change: Change) -> None:
        """Let all work run that can: what users submit again, and what one submits for this change alone."""
        api, wanted = self._simulator.api(self.stack.stack), {_title(each) for each in change.first}
        gone = (self._passing - wanted) | ({change.without} if change.without else set[str]())
        for title in gone:
            withdraw(api, "JobSet", title)
        self._passing = wanted
        self.users = [each for each in self.users if _title(each) != change.without]
        if submit(api, (*self.users, *change.first)) or gone:
            quiet(api)


def _title(document: Document) -> str:
    return f"{document['metadata']['namespace']}/{document['metadata']['name']}"


def _told(report: Report) -> str:
    ended, threatened = report.impact.ended, report.impact.threatened
    return " ".join(
        [
            f"that {sorted(each.work.title for each in ended)} end,",
            f"that {sorted(each.work.title for each in threatened)} may end,",
            f"because {sorted({each.because for each in (*ended, *threatened)})}",
        ]
    )
