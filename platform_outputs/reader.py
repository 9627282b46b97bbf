"""Reads the outputs of a platform's stack, with look-ups for authors of workloads.

The outputs are plain Python, at preview too: programs can branch on them, and the policies that check a preview see
every value. The reference that is declared beside them shows in previews and in the state which platform a stack builds
on.

The errors end a program without a stack trace when nobody catches them: the engine shows only the text.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final, Protocol, TypeVar, cast

import pulumi

from platform_outputs.contract import SCHEMA_VERSION, Contract, Flavor, LocalQueue, Queue
from platform_outputs.plain import MismatchError, from_plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


READS: Final = (SCHEMA_VERSION,)
"""The versions of the contract that this package reads, the newest last."""
_READ_OUTPUTS: Final = "pulumi:pulumi:readStackOutputs"
"""The engine's own function behind stack references (Pulumi 3.250, resource/deploy/builtins.go)."""
_REFUSED: Final = f"invoke of {_READ_OUTPUTS} failed: "
"""The beginning of an error that is the engine's answer. The SDK raises a bare Exception for it, so that only its text
distinguishes it from others (pulumi 3.272, runtime/invoke.py)."""
_NO_STACK: Final = "unknown stack"
"""The text of its answer when no stack has that name (the same file)."""
_VERSION: Final = "schema_version"


class PlatformOutputsError(pulumi.RunError):
    """The outputs cannot be used; the text says why, and what to do."""


class StackNotFoundError(PlatformOutputsError):
    """No stack has that name."""


class StackNotReadError(PlatformOutputsError):
    """The engine cannot read the stack's outputs: the name lacks a part, or the backend refuses."""


class NoOutputsError(PlatformOutputsError):
    """The stack exists and has no outputs: it was never up, or is destroyed."""


class NotAPlatformError(PlatformOutputsError):
    """The stack has outputs, but not those of a platform."""


class SchemaVersionError(PlatformOutputsError):
    """The outputs are of a version of the contract that this package does not read."""


class BrokenContractError(PlatformOutputsError):
    """A field of the contract is missing among the outputs, or has another type."""


class UnknownNameError(PlatformOutputsError):
    """The platform has no queue, flavor, priority or namespace of that name."""


class _HasName(Protocol):
    @property
    def name(self) -> str: ...


_Named = TypeVar("_Named", bound=_HasName)


@dataclass(frozen=True, kw_only=True)
class PlatformOutputs(Contract[str]):
    """The outputs of the stack of a TPU platform, and look-ups in them whose errors list the known names."""

    stack: str
    """The stack's name, as given."""

    @classmethod
    def of(cls, stack: str, *, opts: pulumi.ResourceOptions | None = None) -> PlatformOutputs:
        """The outputs that the last update of a stack left; declares a reference to it.

        Args:
            stack: `organization/project/stack`; the organization is `organization` on file and bucket backends.
            opts: options of the reference.

        Raises:
            PlatformOutputsError: they cannot be used; the subclass and the text say why.
        """
        outputs = _read(stack)
        _check_version(stack, outputs)
        try:
            contract: Contract[str] = from_plain(outputs, Contract)
        except MismatchError as error:
            raise BrokenContractError(_broken(stack, error)) from error
        pulumi.StackReference(stack, opts=opts)
        return cls(stack=stack, **{each.name: getattr(contract, each.name) for each in fields(contract)})

    def queue(self, name: str) -> Queue:
        """The ClusterQueue of that name.

        Raises:
            UnknownNameError: the platform has none.
        """
        return self._named("queue", name, self.queues)

    def local_queue(self, queue: str, *, namespace: str | None = None) -> LocalQueue:
        """The LocalQueue of the ClusterQueue `queue`; `namespace` chooses one of several.

        Raises:
            UnknownNameError: there is no such queue, it has no LocalQueue in that namespace, or none was chosen.
        """
        entrances = self.queue(queue).local_queues
        known = _listed(f"{each.namespace} (LocalQueue {each.name})" for each in entrances)
        found = [each for each in entrances if namespace in (None, each.namespace)]
        if not found:
            says = "takes no work" if namespace is None else f"takes no work from namespace {namespace}"
            raise UnknownNameError(f"{self.stack}: queue {queue} {says}. Namespaces that it takes work from: {known}.")
        if len(found) > 1:
            raise UnknownNameError(
                f"{self.stack}: queue {queue} has several LocalQueues, so say which namespace: {known}."
            )
        return found[0]

    def flavor(self, name: str, *, queue: str | None = None) -> Flavor:
        """The flavor of that name; a stated `queue` must have chips of it, its own or borrowed.

        Raises:
            UnknownNameError: the platform has none, or the queue has no quota of it.
        """
        found = self._named("flavor", name, self.flavors)
        held = self.queue(queue).quota if queue is not None else {name: 0}
        if name not in held:
            raise UnknownNameError(
                f"{self.stack}: queue {queue} has no quota of flavor {name}, so it would never admit a workload that"
                f" selects it. It has: {_listed(held)}."
            )
        return found

    def labels(self, target: LocalQueue, *, priority: str | None = None) -> dict[str, str]:
        """The labels of a Job or JobSet that is submitted to that queue.

        Raises:
            UnknownNameError: the platform has no such priority.
        """
        found = {self.keys.queue_label: target.name}
        if priority is not None:
            if priority not in self.priorities:
                raise self._unknown("priority", priority, self.priorities)
            found[self.keys.priority_label] = priority
        return found

    def annotations(self, flavor: Flavor) -> dict[str, str]:
        """The annotations of a JobSet on slices of that flavor: each of its Jobs gets a slice of its own."""
        return {} if flavor.exclusive_topology is None else {self.keys.exclusive_annotation: flavor.exclusive_topology}

    def _named(self, kind: str, name: str, known: Iterable[_Named]) -> _Named:
        by_name = {each.name: each for each in known}
        if name not in by_name:
            raise self._unknown(kind, name, by_name)
        return by_name[name]

    def _unknown(self, kind: str, name: str, known: Iterable[str]) -> UnknownNameError:
        return UnknownNameError(f"{self.stack}: there is no {kind} {name}. There are: {_listed(known)}.")


def _read(stack: str) -> Mapping[str, object]:
    """The outputs from the engine, which reads the state of that stack."""
    try:
        answer = pulumi.runtime.invoke(_READ_OUTPUTS, {"name": stack}).value
    except Exception as error:  # the SDK raises no narrower one; every other exception is raised again
        if not str(error).startswith(_REFUSED):
            raise
        raise _unread(stack, str(error)) from error
    return cast("Mapping[str, object]", answer["outputs"])


def _unread(stack: str, says: str) -> PlatformOutputsError:
    if _NO_STACK in says:
        return StackNotFoundError(
            f"{stack}: there is no stack of that name in this backend. A name is organization/project/stack, where the"
            " organization is `organization` on file and bucket backends; `pulumi stack ls --all` lists the stacks."
        )
    return StackNotReadError(
        f"{stack}: the engine cannot read the outputs of this stack. A name is organization/project/stack, where the"
        f" organization is `organization` on file and bucket backends. The engine says: {says}"
    )


def _check_version(stack: str, outputs: Mapping[str, object]) -> None:
    if not outputs:
        raise NoOutputsError(f"{stack}: the stack has no outputs: it was never up, or is destroyed. Bring it up first.")
    version = outputs.get(_VERSION)
    if not isinstance(version, (int, float)):
        raise NotAPlatformError(
            f"{stack}: the outputs of this stack are not those of a TPU platform: none is called {_VERSION}. There are:"
            f" {_listed(sorted(outputs))}."
        )
    if version not in READS:
        raise SchemaVersionError(_other_version(stack, version))


def _other_version(stack: str, version: float) -> str:
    known = f"this package, tpu-platform-outputs, reads version {_listed(map(str, READS))}"
    if version > READS[-1]:
        return (
            f"{stack}: the outputs are of version {version:g} of the contract; {known}. Install one whose first number"
            f" is {version:g} or more; docs/outputs.md of the platform says what changed."
        )
    return (
        f"{stack}: the outputs are of version {version:g} of the contract; {known}. Bring the platform up with a newer"
        " program, or install an older package."
    )


def _broken(stack: str, error: MismatchError) -> str:
    because = "the platform was last brought up by a program that is older than this package"
    if error.is_missing:
        return f"{stack}: among the outputs {error}: {because}. Bring it up again with a newer one."
    return f"{stack}: among the outputs {error}. Another program writes them, which does not follow the contract."


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
