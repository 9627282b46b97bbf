"""What a killed update left undone, read from the stack's exported state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kubeapi.documents import entries, section

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

RELEASE: Final = "kubernetes:helm.sh/v3:Release"


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingOperation:
    """An operation that the engine had begun and never saw the end of."""

    verb: str
    """`creating`, `updating`, `deleting`, ... as the engine writes it."""
    urn: str
    type: str
    inputs: Mapping[str, Any]
    parent: str
    """URN of the parent."""
    provider_inputs: Mapping[str, Any]
    """The configuration of the provider that was at work; empty when the state does not hold it."""

    @property
    def name(self) -> str:
        """The logical name."""
        return self.urn.rpartition("::")[2]


def pending_operations(state: Mapping[str, Any]) -> Iterator[PendingOperation]:
    """The operations in the output of `pulumi stack export`."""
    deployment = section(dict(state), "deployment")
    providers = {
        resource["urn"]: section(resource, "inputs")
        for resource in entries(deployment, "resources")
        if str(resource["type"]).startswith("pulumi:providers:")
    }
    for operation in entries(deployment, "pending_operations"):
        resource = operation["resource"]
        provider = str(resource.get("provider", "")).rpartition("::")[0]
        yield PendingOperation(
            verb=operation["type"],
            urn=resource["urn"],
            type=resource["type"],
            inputs=section(resource, "inputs"),
            parent=str(resource.get("parent", "")),
            provider_inputs=providers.get(provider, {}),
        )


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
