"""The state of the simulated cloud, kept in one JSON file that survives any death of the process.

A change is made in memory under a lock, written to a file beside the old one and renamed over it, before the caller
gets its answer: what was acknowledged is there after a restart, and the file is whole at any moment. Callers that come
while a write is under way share the next one, so a thousand node pools do not cost a thousand writes. Documents are
never changed in place: a change puts a new one.

The rename protects against the death of the process, not of the machine's power: the file is not synced to disk.
"""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypedDict, cast

from simulator.files import BrokenFileError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from simulator.cloud.api import Body, Operation

_VERSION: Final = 1
_FINISHED_KEPT: Final = 2000
"""Finished operations that stay readable; the client that waits for one asks within seconds."""


class Record(TypedDict):
    """One resource."""

    kind: str
    body: Body


class View:
    """The resources, readable while the lock is held."""

    def __init__(self, resources: dict[str, Record]) -> None:
        self._resources = resources

    def get(self, name: str) -> Body | None:
        """The body of the resource of that API name, not to be changed."""
        record = self._resources.get(name)
        return None if record is None else record["body"]

    def list(self, kind: str, prefix: str = "") -> list[tuple[str, Body]]:
        """Names and bodies of every resource of `kind` whose name starts with `prefix`, sorted by name."""
        return sorted(
            (name, record["body"])
            for name, record in self._resources.items()
            if record["kind"] == kind and name.startswith(prefix)
        )


class Changes(View):
    """A set of changes that are made together or not at all."""

    def __init__(self, store: Store) -> None:
        super().__init__(store.resources)
        self._store = store
        self._undo: list[tuple[str, str, Any]] = []

    def put(self, kind: str, name: str, body: Body) -> None:
        """Add or replace the resource `name`."""
        self._set("resources", name, Record(kind=kind, body=body))

    def remove(self, name: str) -> None:
        """Remove the resource `name`, if it is there."""
        self._set("resources", name, None)

    def put_operation(self, operation: Operation) -> None:
        """Add or replace an operation."""
        self._set("operations", operation["name"], operation)

    def set_pace(self, pace: dict[str, float]) -> None:
        """Replace the pace of these kinds."""
        for kind, seconds in pace.items():
            self._set("pace", kind, seconds)

    def roll_back(self) -> None:
        """Make everything as it was before."""
        for table, name, before in reversed(self._undo):
            self._store.set(table, name, before)

    def _set(self, table: str, name: str, value: object) -> None:
        self._undo.append((table, name, self._store.tables[table].get(name)))
        self._store.set(table, name, value)


class Store:
    """The state file and what is in it."""

    def __init__(self, path: Path) -> None:
        """Read `path` when it exists.

        Raises:
            BrokenFileError: the file is not one that this class wrote.
        """
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.lock = threading.Condition(threading.RLock())
        """Held while anything is read or changed; notified after each change."""
        self.resources: dict[str, Record] = {}
        self.operations: dict[str, Operation] = {}
        self.pace: dict[str, float] = {}
        """Simulated seconds that operations take, by kind."""
        self.tables: dict[str, dict[str, Any]] = {
            "pace": self.pace,
            "resources": self.resources,
            "operations": cast("dict[str, Any]", self.operations),
        }
        self._lines: dict[str, dict[str, str]] = {table: {} for table in self.tables}
        self._generation = 0
        self._written = 0
        self._writing = threading.Lock()
        self._load()

    @contextmanager
    def change(self, *, is_step: bool = False) -> Generator[Changes]:
        """Make changes; they are on disk when the block is left, or undone when it raises. Not to be nested.

        A step of an operation may wait for the next change to be written: after a crash the operation is done again.

        Raises:
            OSError: the disk does not take the changes, which are undone.
        """
        with self.lock:
            changes = Changes(self)
            try:
                yield changes
            except BaseException:
                changes.roll_back()
                raise
            self._generation += 1
            generation = self._generation
            self.lock.notify_all()
        if is_step:
            return
        try:
            self._persist(generation)
        except OSError:
            with self.lock:
                changes.roll_back()
                self.lock.notify_all()
            raise

    @contextmanager
    def look(self) -> Generator[View]:
        """Read; nothing changes meanwhile."""
        with self.lock:
            yield View(self.resources)

    def set(self, table: str, name: str, value: object) -> None:
        """For `Changes` only; None removes."""
        if value is None:
            self.tables[table].pop(name, None)
            self._lines[table].pop(name, None)
        else:
            self.tables[table][name] = value
            self._lines[table][name] = f"{json.dumps(name)}: {json.dumps(value)}"
            self._forget_old_operations()

    def _forget_old_operations(self) -> None:
        if len(self.operations) <= _FINISHED_KEPT:
            return
        finished = [name for name, operation in self.operations.items() if operation["status"] == "DONE"]
        for name in finished[: len(self.operations) - _FINISHED_KEPT]:
            del self.operations[name]
            del self._lines["operations"][name]

    def _persist(self, generation: int) -> None:
        with self._writing:
            if self._written >= generation:
                return
            with self.lock:
                text, current = self._render(), self._generation
            beside = self._path.with_name(f"{self._path.name}.new")
            beside.write_text(text, encoding="utf-8")
            beside.replace(self._path)
            self._written = current

    def _render(self) -> str:
        lines = {table: ",\n".join(of_table.values()) for table, of_table in self._lines.items()}
        tables = "".join(f',\n"{table}": {{\n{text}}}' for table, text in lines.items())
        return f'{{"version": {_VERSION}{tables}}}\n'

    def _load(self) -> None:
        if not self._path.exists():
            return
        try:
            state = json.loads(self._path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise BrokenFileError(self._path) from error
        if not isinstance(state, dict) or cast("dict[str, Any]", state).get("version") != _VERSION:
            raise BrokenFileError(self._path, what=f"is not a state file of version {_VERSION} of the simulated cloud")
        for table in self.tables:
            for name, value in cast("dict[str, Any]", state)[table].items():
                self.set(table, name, value)
