"""The interface of one kind of resource: which requests it refuses, and what its operations do.

A request is checked and recorded while the lock is held (`admit_*`); the work comes after, in the operation. Most kinds
have no work: what was admitted is the resource.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from simulator.cloud.api import Body, CloudError, Kind, Operation, OperationError, invalid_value, refusal
from simulator.cloud.clock import Clock, timestamp

if TYPE_CHECKING:
    from simulator.cloud.folders import Folders
    from simulator.cloud.store import Changes

_COMPUTE_NAME: Final = re.compile(r"[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Request:
    """A call that wants to change something, with the lock held."""

    changes: Changes
    name: str
    body: Body
    """The document of a new resource, or the merge patch of an update."""
    current: Body
    """The resource as it is; empty for a new one."""


class Service(ABC):
    """The rules and the life of one kind of resource."""

    kind: ClassVar[Kind]
    is_instant: ClassVar[bool] = True
    """Whether its operations have no work of their own."""
    mutable: ClassVar[frozenset[str]] = frozenset()
    """The top-level fields that an update may name."""

    taken: ClassVar[str] = "Already exists: {}."
    """The API's text if a resource of the name exists."""
    missing: ClassVar[str] = "Not found: {}."
    """The API's text if no resource has the name."""
    resting_state: ClassVar[str | None] = None
    """The `state` of a document while no operation is under way; None for kinds without one."""

    def __init__(self, clock: Clock) -> None:
        """`clock` stamps documents."""
        self._clock = clock

    def now(self) -> str:
        """The present moment, as Google's APIs write it."""
        return timestamp(self._clock.now())

    @abstractmethod
    def admit_create(self, request: Request) -> Body:
        """The document to record for a new resource; resources that come with it are recorded in `request.changes`.

        Raises:
            CloudError: the API refuses the request.
        """

    def admit_update(self, request: Request) -> Body:
        """The document to record for a changed resource.

        Raises:
            CloudError: the API refuses the request.
        """
        return merged(request.current, request.body)

    def admit_delete(self, request: Request) -> Body:
        """The document to record while the resource is being deleted.

        Raises:
            CloudError: the API refuses the request.
        """
        return request.current

    def begins(self, operation: Operation) -> float:
        """The simulated moment before which the work of an operation does not begin; 0 for at once."""
        del operation
        return 0.0

    def run(self, operation: Operation) -> None:
        """Do the work of an operation, after its first change was recorded; again from the start after a crash.

        Most kinds have none: what was admitted is the resource.

        Raises:
            CloudError: the cloud could not do it.
            MachinesError: the machine under the cloud could not.
        """
        del operation

    def settle(self, changes: Changes, operation: Operation, error: OperationError | None) -> None:
        """Put the resource into its final state, together with the end of the operation.

        A deleted resource is gone, another one is in its resting state.
        """
        name = operation["target"]
        if operation["verb"] == "delete" and error is None:
            changes.remove(name)
        elif self.resting_state is not None and (record := changes.get(name)) is not None:
            changes.put(self.kind, name, {**record, "state": self.resting_state})

    def already_exists(self, name: str) -> str:
        """The API's answer when `name` is taken."""
        return self.taken.format(name)

    def not_found(self, name: str) -> str:
        """The API's answer when `name` does not exist."""
        return self.missing.format(name)


class FolderService(Service):
    """A kind whose resources have files: the folder of a resource is made and removed with it, by its API name."""

    def __init__(self, clock: Clock, folders: Folders) -> None:
        """`folders` has the files."""
        super().__init__(clock)
        self._folders = folders

    def run(self, operation: Operation) -> None:
        """Make the folder, or remove it with all that is in it."""
        match operation["verb"]:
            case "create":
                self._folders.make(operation["target"])
            case "delete":
                self._folders.remove(operation["target"])
            case _:
                pass


class ComputeService(Service):
    """A kind of Compute Engine, with the texts that all of them share.

    Source of the texts: answers of the Compute Engine API as quoted in public issue reports, read 2026-11.
    """

    taken: ClassVar[str] = "The resource '{}' already exists"
    missing: ClassVar[str] = "The resource '{}' was not found"


def in_use(what: str, name: str, user: str) -> CloudError:
    """Compute Engine's refusal to delete a resource that another one uses."""
    text = f"The {what} resource '{name}' is already being used by '{user}'"
    return refusal("RESOURCE_IN_USE_BY_ANOTHER_RESOURCE", text)


def check_compute_name(name: str) -> None:
    """Refuse a name that Compute Engine does not take for a resource of the user's.

    Raises:
        CloudError: INVALID_ARGUMENT.
    """
    if _COMPUTE_NAME.fullmatch(name) is None:
        raise invalid_value("resource.name", name, "Must be a match of regex '(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)'")


def merged(current: Body, patch: Body) -> Body:
    """`current` with the JSON merge patch applied; neither is changed (RFC 7386).

    >>> merged({"a": {"b": 1, "c": 2}}, {"a": {"b": None, "d": [3]}})
    {'a': {'c': 2, 'd': [3]}}
    """
    result = dict(current)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            before = result.get(key)
            part = cast("Body", before) if isinstance(before, dict) else {}
            result[key] = merged(part, cast("Body", value))
        else:
            result[key] = value
    return result


def at(body: Body, path: str) -> Any:  # noqa: ANN401  any JSON value
    """The value at a dotted path of a document, or None."""
    value: Any = body
    for key in path.split("."):
        if not isinstance(value, dict):
            return None
        value = cast("Body", value).get(key)
    return value


def part(body: Body, path: str) -> Body:
    """The object at a dotted path of a document; an empty one when there is none."""
    value = at(body, path)
    return cast("Body", value) if isinstance(value, dict) else {}
