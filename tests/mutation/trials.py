"""Tries mutants on tests that are collected once: a process for each mutant, forked, which dies with it.

A mutant is tried on the tests that reach its function, those named after its rule first, until one fails.
"""

from __future__ import annotations

import gc
import os
import resource
import sys
from collections import defaultdict
from typing import TYPE_CHECKING, Final

import pytest

from tests.mutation.loading import load, prepare
from tests.mutation.mutants import Mutant, mutants_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from types import FrameType, ModuleType

    from _typeshed import TraceFunction


_AT_ONCE: Final = 2
_SECONDS: Final = 60
"""What a mutant may compute; one that goes on is a loop without an end. On a busy machine that takes longer."""
_BYTES: Final = 4 * 1024**3
"""What it may take."""


class Trials:
    """A plugin for pytest that runs every test once as it is, and then on each mutant until one fails."""

    def __init__(
        self, modules: dict[Path, ModuleType], every: int, tell: Callable[[Path, list[Mutant], list[Mutant]], None]
    ) -> None:
        """Takes modules, which are loaded, by file, and what to do with the mutants of a file and its survivors.

        One mutant of `every` is tried.
        """
        self._every = every
        self._items: list[pytest.Item] = []
        self._modules = modules
        self._tell = tell
        self._reaching: dict[str, dict[int, dict[pytest.Item, None]]]
        self._reaching = {str(file): defaultdict(dict) for file in modules}
        """Which tests run which line of which file."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests, and the mutants if they pass.

        Raises:
            pytest.Session.Failed: a test fails on what is no mutant, as it is or put in its own place.
        """
        self._run_as_it_is(session)
        if session.testsfailed:
            raise session.Failed("tests fail without any mutant")
        prepare()
        gc.freeze()
        if os.waitpid(self._start_unchanged(session), 0)[1]:
            raise session.Failed("tests fail on modules that are loaded again and not changed")
        for file in self._modules:
            mutants = mutants_of(file)[:: self._every]
            self._tell(file, mutants, self._survivors(mutants, session))
        return True

    def _survivors(self, mutants: Iterable[Mutant], session: pytest.Session) -> list[Mutant]:
        running: dict[int, Mutant] = {}
        survivors: list[Mutant] = []

        def await_one() -> None:
            child, status = os.wait()
            mutant = running.pop(child)
            if status == 0:
                survivors.append(mutant)

        for mutant in mutants:
            running[self._start(mutant, session)] = mutant
            if len(running) == _AT_ONCE:
                await_one()
        while running:
            await_one()
        return survivors

    def _run_as_it_is(self, session: pytest.Session) -> None:
        self._items = session.items
        for item in session.items:
            sys.settrace(_tracer(self._reaching, item))
            try:
                _run(item)
            finally:
                sys.settrace(None)

    def _start_unchanged(self, session: pytest.Session) -> int:
        def sources() -> Iterator[tuple[ModuleType, str]]:
            for file, module in self._modules.items():
                yield module, file.read_text(encoding="utf-8")

        return _fork(session, sources, session.items)

    def _start(self, mutant: Mutant, session: pytest.Session) -> int:
        return _fork(session, lambda: [(self._modules[mutant.file], mutant.source)], self._tests(mutant))

    def _tests(self, mutant: Mutant) -> list[pytest.Item]:
        """Those that reach it, or all where it is changed as it is loaded; what says most of its rules first."""
        lines = self._reaching[str(mutant.file)]
        reaching = dict.fromkeys(item for line in sorted(lines) if line in mutant.lines for item in lines[line])
        items = reaching if mutant.function else self._items

        def rank(item: pytest.Item) -> int:
            if any(f"[{rule}]" in item.nodeid for rule in mutant.rules):
                return 0
            if not mutant.function and "[" not in item.nodeid:
                return 1
            return 2 if any(f"[{rule}: " in item.nodeid for rule in mutant.rules) else 3

        return sorted(items, key=rank)


def _fork(
    session: pytest.Session, sources: Callable[[], Iterable[tuple[ModuleType, str]]], tests: Iterable[pytest.Item]
) -> int:
    """A process that ends with 0 if no test fails on these sources."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        _limit()
        for module, source in sources():
            load(module, source)
        status = int(any(_fails(item, session) for item in tests))
    finally:
        os._exit(status)


def _fails(item: pytest.Item, session: pytest.Session) -> bool:
    _run(item)
    return session.testsfailed > 0


def _tracer(reaching: dict[str, dict[int, dict[pytest.Item, None]]], item: pytest.Item) -> TraceFunction:
    """A trace function that notes which lines of which files run, and goes into no other."""
    files = reaching.get

    def note_line(frame: FrameType, _event: str, _arg: object) -> TraceFunction:
        reaching[frame.f_code.co_filename][frame.f_lineno][item] = None
        return note_line

    def enter(frame: FrameType, event: str, arg: object) -> TraceFunction | None:
        return None if files(frame.f_code.co_filename) is None else note_line(frame, event, arg)

    return enter


def _run(item: pytest.Item) -> None:
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)


def _limit() -> None:
    """Keep what this process does short, small and silent."""
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_BYTES, _BYTES))
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
