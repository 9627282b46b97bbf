"""The fields that every object of a namespace has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubeapi.documents import Document


@dataclass(frozen=True)
class Named:
    """One object, read from its document."""

    document: Document

    @property
    def uid(self) -> str:
        """Its uid."""
        return self.document["metadata"]["uid"]

    @property
    def namespace(self) -> str:
        """Its namespace."""
        return self.document["metadata"]["namespace"]

    @property
    def name(self) -> str:
        """Its name in the namespace."""
        return self.document["metadata"]["name"]
