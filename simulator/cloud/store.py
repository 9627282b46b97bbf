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
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from simulator.files import BrokenFileError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from simulator.cloud.api import Body, Operation

_VERSION: Final = 1
_FINISHED_KEPT: Final = 2000
"""Finished operations that stay readable; the client that waits for one asks within seconds."""


@dataclass(frozen=True, slots=True)
class Record:
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
        return None if record is None else record.body

    def list(self, kind: str, prefix: str = "") -> list[tuple[str, Body]]:
        """Names and bodies of every resource of `kind` whose name starts with `prefix`, sorted by name."""
        return sorted(
            (name, record.body)
            for name, record in self._resources.items()
            if record.kind == kind and name.startswith(prefix)
        )


class Changes(View):
    """A set of changes that are made together or not at all."""

    def __init__(self, store: Store) -> None:
        super().__init__(store.resources)
        self._store = store
        self._undo: list[tuple[str, str, Any]] = []

    def put(self, kind: str, name: str, body: Body) -> None:
        """Add or replace the resource `name`."""
        self._undo.append(("resources", name, self._store.resources.get(name)))
        self._store.set_resource(name, Record(kind, body))

    def remove(self, name: str) -> None:
        """Remove the resource `name`, if it is there."""
        self._undo.append(("resources", name, self._store.resources.get(name)))
        self._store.set_resource(name, None)

    def put_operation(self, operation: Operation) -> None:
        """Add or replace an operation."""
        name = operation["name"]
        self._undo.append(("operations", name, self._store.operations.get(name)))
        self._store.set_operation(name, operation)

    def set_pace(self, pace: dict[str, float]) -> None:
        """Replace the pace of all kinds."""
        self._undo.append(("pace", "", self._store.pace))
        self._store.pace = pace

    def roll_back(self) -> None:
        """Make everything as it was before."""
        for table, name, before in reversed(self._undo):
            match table:
                case "resources":
                    self._store.set_resource(name, before)
                case "operations":
                    self._store.set_operation(name, before)
                case _:
                    self._store.pace = before


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
        self._lines: dict[str, dict[str, str]] = {"resources": {}, "operations": {}}
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

    def set_resource(self, name: str, record: Record | None) -> None:
        """For `Changes` only."""
        if record is None:
            self.resources.pop(name, None)
            self._lines["resources"].pop(name, None)
        else:
            self.resources[name] = record
            self._lines["resources"][name] = _line(name, {"kind": record.kind, "body": record.body})

    def set_operation(self, name: str, operation: Operation | None) -> None:
        """For `Changes` only."""
        if operation is None:
            self.operations.pop(name, None)
            self._lines["operations"].pop(name, None)
        else:
            self.operations[name] = operation
            self._lines["operations"][name] = _line(name, cast("dict[str, Any]", operation))
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
        tables = {table: ",\n".join(lines.values()) for table, lines in self._lines.items()}
        return (
            f'{{"version": {_VERSION},\n"pace": {json.dumps(self.pace)},\n'
            f'"resources": {{\n{tables["resources"]}}},\n"operations": {{\n{tables["operations"]}}}}}\n'
        )

    def _load(self) -> None:
        if not self._path.exists():
            return
        try:
            state = json.loads(self._path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise BrokenFileError(self._path) from error
        if not isinstance(state, dict) or cast("dict[str, Any]", state).get("version") != _VERSION:
            raise BrokenFileError(self._path, what=f"is not a state file of version {_VERSION} of the simulated cloud")
        content = cast("dict[str, Any]", state)
        self.pace = content["pace"]
        for name, record in content["resources"].items():
            self.set_resource(name, Record(record["kind"], record["body"]))
        for name, operation in content["operations"].items():
            self.set_operation(name, operation)


def _line(name: str, value: dict[str, Any]) -> str:
    return f"{json.dumps(name)}: {json.dumps(value)}"
