"""What a killed update left unfinished or dropped, from the stack's exported state, and what a preview would create."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from components.kubeapi.documents import entries, section

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

RELEASE: Final = "kubernetes:helm.sh/v3:Release"


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingOperation:
    """An operation that the engine had begun and never saw the end of."""

    verb: str
    """`creating`, `updating`, `deleting`, ... as the engine writes it; `create` of what was perhaps begun."""
    urn: str
    type: str
    inputs: Mapping[str, Any]
    parent: str
    """URN of the parent."""
    provider_inputs: Mapping[str, Any]
    """The configuration of the provider of the resource; empty when the state does not hold it."""

    @property
    def name(self) -> str:
        """The logical name."""
        return self.urn.rpartition("::")[2]


def pending_operations(state: Mapping[str, Any]) -> Iterator[PendingOperation]:
    """The operations in the output of `pulumi stack export`."""
    providers = _provider_inputs(state)
    for operation in entries(section(dict(state), "deployment"), "pending_operations"):
        yield _operation(operation["type"], operation["resource"], providers)


def creations(state: Mapping[str, Any], preview: Mapping[str, Any]) -> Iterator[PendingOperation]:
    """What the stack would create next, from the output of `pulumi preview --json`; their verb is `create`."""
    providers = _provider_inputs(state)
    for step in entries(dict(preview), "steps"):
        if step["op"] == "create":
            yield _operation("create", step["newState"], providers)


def _provider_inputs(state: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    resources = entries(section(dict(state), "deployment"), "resources")
    return {each["urn"]: section(each, "inputs") for each in resources if each["type"].startswith("pulumi:providers:")}


def _operation(verb: str, resource: Mapping[str, Any], providers: Mapping[str, Mapping[str, Any]]) -> PendingOperation:
    return PendingOperation(
        verb=verb,
        urn=resource["urn"],
        type=resource["type"],
        inputs=section(dict(resource), "inputs"),
        parent=str(resource.get("parent", "")),
        provider_inputs=providers.get(str(resource.get("provider", "")).rpartition("::")[0], {}),
    )


def dropped(resources: Iterable[Mapping[str, Any]], before: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Resources that the engine removed from the state without a call, because what they go with was to go next.

    A destroy does so with every resource that has `deletedWith`; one that is killed then leaves them in the cloud.

    Args:
        resources: the state's.
        before: those of an earlier state.

    Returns:
        Resources of the earlier state whose `deletedWith` is still there, with what they refer to, in their order. A
        resource that was created again since is another one.
    """
    present = {each["urn"]: each for each in resources}
    known = {each["urn"]: each for each in before if not each.get("delete")}
    same = {urn for urn, each in known.items() if urn in present and each.get("created") == present[urn].get("created")}
    found = set[str]()
    todo = [urn for urn, each in known.items() if each.get("deletedWith") in same]
    while todo:
        urn = todo.pop()
        if urn in known and urn not in found and urn not in present:
            found.add(urn)
            todo += _references(known[urn])
    return [each for urn, each in known.items() if urn in found]


def _references(resource: Mapping[str, Any]) -> Iterator[str]:
    """URNs that must be in the state with the resource."""
    yield str(resource.get("parent", ""))
    yield str(resource.get("provider", "")).rpartition("::")[0]
    yield from resource.get("dependencies", [])


@dataclass(frozen=True, slots=True)
class Orphan:
    """Something that a pending creation made, although the engine did not hear of it."""

    operation: PendingOperation
    id: str


def import_file(orphans: list[Orphan]) -> dict[str, Any]:
    """A file for `pulumi import --file` that takes the orphans into the state under their own URNs."""
    parents = sorted({orphan.operation.parent for orphan in orphans})
    labels = {urn: f"parent{index}" for index, urn in enumerate(parents)}
    resources = [
        {
            "type": orphan.operation.type,
            "name": orphan.operation.name,
            "id": orphan.id,
            "parent": labels[orphan.operation.parent],
            "version": str(orphan.operation.provider_inputs.get("version", "")),
        }
        for orphan in orphans
    ]
    return {"nameTable": {label: urn for urn, label in labels.items()}, "resources": resources}
