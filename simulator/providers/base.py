"""The interface of a stand-in provider: the operations of a resource provider over plain Python values.

`serve.py` puts a provider behind the engine's gRPC protocol. The shapes follow the ResourceProvider service of the
Pulumi SDK (provider.proto); calls that the engine never makes to our providers (components, parameterisation, views)
are absent here and refused there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.providers.values import Properties, Value


class ProviderError(Exception):
    """An operation failed; the text is shown to the user under the resource's name, so it says what and why."""


def not_modelled(what: str, modelled: Iterable[str]) -> ProviderError:
    """The refusal of something that the official provider has, and the simulator does not; it has `modelled`."""
    return ProviderError(
        f"stand-in provider: {what} is not modelled by the simulator; it models {', '.join(modelled)}. It refuses "
        "rather than ignores; see simulator/__init__.py."
    )


@dataclass
class PartlyCreatedError(ProviderError):
    """The resource exists but not as requested, as after a failed readiness wait.

    The engine keeps it in the state, and the next update repairs or replaces it instead of making a second one.
    """

    id: str
    inputs: Properties
    outputs: Properties
    reasons: list[str]

    def __str__(self) -> str:
        """The reasons, one per line."""
        return "\n".join(self.reasons)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A question of the engine about one resource; each has some of these."""

    urn: str
    type: str
    """The type token, such as `gcp:container/nodePool:NodePool`."""
    name: str
    """The logical name, the last part of the URN."""
    id: str = ""
    old: Properties = field(default_factory=dict[str, "Value"])
    """The recorded inputs; empty for a new resource and for an import."""
    outputs: Properties = field(default_factory=dict[str, "Value"])
    """The recorded outputs."""
    new: Properties = field(default_factory=dict[str, "Value"])
    """The inputs that the resource is to have."""
    ignored: tuple[str, ...] = ()
    """The paths whose changes the program ignores (`ignore_changes`)."""
    preview: bool = False
    timeout: float = 0.0
    """Seconds; 0 for the default."""
    seed: bytes = b""
    """Makes a generated name the same in a preview and in the update after it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One input property that is refused before anything is created."""

    property: str
    """Path of the property, such as `nodeConfig.machineType`; empty when it is about the resource as a whole."""
    reason: str


@dataclass(frozen=True, slots=True)
class Checked:
    """The inputs that the engine records for a resource, and the reasons to refuse them."""

    inputs: Properties
    failures: list[Failure] = field(default_factory=list[Failure])


class Change(Enum):
    """What happened to one property between the old inputs and the new ones."""

    ADD = "add"
    DELETE = "delete"
    UPDATE = "update"
    ADD_REPLACE = "add-replace"
    DELETE_REPLACE = "delete-replace"
    UPDATE_REPLACE = "update-replace"

    @property
    def replaces(self) -> bool:
        """Whether the change cannot be made to the existing resource."""
        return self.value.endswith("-replace")


@dataclass(frozen=True, slots=True)
class Difference:
    """The changes by property path (`nodeConfig.labels.team`, `nodeLocations[0]`); empty when nothing changed."""

    changes: dict[str, Change] = field(default_factory=dict[str, Change])
    delete_before_replace: bool = False


@dataclass(frozen=True, slots=True)
class Created:
    """A new resource; `outputs` hold `UNKNOWN` at preview where only the cloud will know."""

    id: str
    outputs: Properties


@dataclass(frozen=True, slots=True)
class Found:
    """A resource as it is now, read back: `inputs` in the shape a program would write them."""

    id: str
    inputs: Properties
    outputs: Properties


class Engine(Protocol):
    """The messages that a provider sends to the engine on its own initiative."""

    def warn(self, urn: str, text: str) -> None:
        """Show `text` to the user as a warning under the resource `urn`."""
        ...

    def status(self, urn: str, text: str) -> None:
        """Show `text` as the resource's passing status while an operation runs."""
        ...


class StandIn(ABC):
    """A provider of one package. Every call may come from another thread, many at once."""

    package: str
    version: str
    """The exact version of the official plugin that this one stands in for, without a `v`."""

    def __init__(self, engine: Engine) -> None:
        """`engine` takes warnings and passing states."""
        self.engine = engine

    def check_config(self, urn: str, old: Properties, new: Properties) -> Checked:  # noqa: ARG002
        """The provider's own configuration as given; a package with more to say overrides this."""
        return Checked(new)

    def diff_config(self, urn: str, old: Properties, new: Properties) -> Difference:  # noqa: ARG002
        """No change of the provider's configuration replaces its resources, unless a package says so."""
        return Difference()

    @abstractmethod
    def configure(self, config: Properties) -> None:
        """Take the configuration, all of it known.

        Raises:
            ProviderError: a key or a value is not modelled.
        """

    @abstractmethod
    def check(self, request: Request) -> Checked:
        """The new inputs with names and defaults filled in, and every reason to refuse them."""

    @abstractmethod
    def diff(self, request: Request) -> Difference:
        """The changes from the recorded inputs and outputs to the new inputs, except at ignored paths."""

    @abstractmethod
    def create(self, request: Request) -> Created:
        """Create the resource, or plan it at preview.

        Raises:
            PartlyCreatedError: it exists now but not as requested.
            ProviderError: nothing was created, and why.
        """

    @abstractmethod
    def read(self, request: Request) -> Found | None:
        """The resource as it is now, or None when it is gone."""

    @abstractmethod
    def update(self, request: Request) -> Properties:
        """Change the resource in place and return its new outputs.

        Raises:
            PartlyCreatedError: the change was made but the resource is not as requested.
            ProviderError: the change was refused, and why.
        """

    @abstractmethod
    def delete(self, request: Request) -> None:
        """Delete the resource and wait until it is gone; a resource that is gone already is not an error."""

    def invoke(self, token: str, args: Properties) -> Properties:  # noqa: ARG002
        """The result of a function of the package.

        Raises:
            ProviderError: always, unless a package models functions.
        """
        raise ProviderError(f"stand-in provider {self.package}: function {token} is not modelled by the simulator")

    def cancel(self) -> None:  # noqa: B027
        """The user interrupted: waits end soon. A package that waits overrides this."""
