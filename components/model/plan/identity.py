"""The accounts that pods act as, the secrets that they read, and who may read secrets of Secret Manager."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.places import Place


class ServiceAccountPlan(Struct, frozen=True, kw_only=True):
    """A Kubernetes ServiceAccount with its roles."""

    place: Place
    name: str
    namespace: str
    member: str
    """How IAM policies name its pods."""
    roles: tuple[str, ...]
    is_existing: bool


@dataclass(frozen=True, slots=True)
class SecretText:
    """A text that nothing prints."""

    text: str = field(repr=False)

    @property
    def is_json_mapping(self) -> bool:
        """Whether it can be read as JSON, and is a mapping."""
        try:
            return isinstance(json.loads(self.text), dict)
        except ValueError:
            return False


class SecretPlan(Struct, frozen=True, kw_only=True):
    """A Kubernetes Secret."""

    place: Place
    name: str
    namespace: str
    data: Mapping[str, SecretText]


class ProviderClassPlan(Struct, frozen=True, kw_only=True):
    """A version of a secret of Secret Manager that pods of a namespace mount as a file."""

    name: str
    namespace: str
    secret: str
    version: str
    resource: str
    """The version's name in Google Cloud."""


class SecretReaderPlan(Struct, frozen=True, kw_only=True):
    """Pods that may read a secret of Secret Manager."""

    name: str
    """A short word for the secret and its reader."""
    secret: str
    member: str
    """How IAM policies name the pods."""
