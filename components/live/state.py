"""The stack's state, as the update before this one left it: what the engine would delete if it is no longer declared.

The stack's outputs do not say it: an update that ends early leaves them as they were.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from msgspec import Struct

from components.kubeapi import Document, section

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_OBJECTS: Final = "kubernetes:"
_RELEASE: Final = "kubernetes:helm.sh/v3:Release"


class Made(Struct, frozen=True, kw_only=True):
    """A Kubernetes object, or a Helm release, that the stack made."""

    kind: str
    namespace: str
    """Empty for an object outside of namespaces, and for a release, which has its name once in a stack."""
    name: str
    section: str
    """The section of the stack file that its component is named after."""
    outputs: Document
    """The object as the API server had it; of a release its values."""

    @property
    def identity(self) -> tuple[str, str, str]:
        """The key that no other object of the cluster has."""
        return self.kind, self.namespace, self.name


def made(resources: Mapping[str, Mapping[str, object]]) -> Iterator[Made]:
    """The stack's objects in its cluster, of the engine's answer: `type` and `outputs` of each resource, by URN."""
    for urn, each in resources.items():
        type_ = str(each["type"])
        if not type_.startswith(_OBJECTS):
            continue
        outputs = cast("Document", each["outputs"])
        metadata = section(outputs, "metadata")
        is_release = type_ == _RELEASE
        yield Made(
            kind=type_.rpartition(":")[2],
            namespace="" if is_release else str(metadata.get("namespace", "")),
            name=str(outputs["name"] if is_release else metadata["name"]),
            section=urn.split("::")[2].split("$")[-2].split(":")[1],
            outputs=outputs,
        )
