"""Options of a check, and the limits of an environment from a file, whose keys are the fields of `Settings`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct, field, structs

from components.model.findings import did_you_mean, listing
from components.model.places import Place, Root
from policies.lint.documents import Document, documents
from policies.objects.judging import Settings
from policies.objects.values import MalformedError, Part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from policies.lint.files import File

_KEYS: Final = Settings.__struct_fields__


class SettingsError(Exception):
    """The file does not contain valid settings; the text says why."""


def settings_in(file: File) -> Settings:
    """The settings that a file states; what it leaves out is allowed.

    Raises:
        SettingsError: it is not a mapping, has an unknown key, or a value of a wrong type.
    """
    found = list(documents(file))
    for each in found:
        if not isinstance(each, Document):
            raise SettingsError(f"{file.name}: {each.problem}")
    values = [each.value for each in found if isinstance(each, Document)]
    if len(values) != 1 or not isinstance(values[0], dict):
        raise SettingsError(f"{file.name}: one mapping belongs here, with keys of {listing(_KEYS)}")
    part = Part(values[0], Place(root=Root.OBJECT, origin=file.name))
    for key in part.value:
        if key not in _KEYS:
            raise SettingsError(
                f"{file.name}: unknown key {key}. {did_you_mean(key, _KEYS)}Keys of settings: {listing(_KEYS)}"
            )
    try:
        return _settings(part)
    except MalformedError as error:
        raise SettingsError(f"{file.name}: {error}") from error


def _settings(part: Part) -> Settings:
    known, limits = Settings(), part.part("chips_of_queue")
    flags = {key: part.flag(key) for key in ("is_protected", "has_public_access", "has_default_identity")}
    queues = () if limits is None else tuple(limits.value)
    return structs.replace(
        known,
        **{key: value for key, value in flags.items() if value is not None},
        regions=part.texts("regions"),
        generations=part.texts("generations"),
        billing_labels=part.texts("billing_labels"),
        chips=part.whole("chips"),
        chips_of_queue={
            name: chips for name in queues if limits is not None and (chips := limits.whole(name)) is not None
        },
    )


class Options(Struct, frozen=True, kw_only=True):
    """Options of a check."""

    settings: Settings = field(default_factory=Settings)
    releases: Mapping[str, str] = field(default_factory=dict[str, str])
    """The releases that are meant, by controller; `gke` is the version of clusters and nodes that state none."""
    project: str | None = None
    """The Pulumi project of stack files; None for what the files themselves tell."""
    cluster: str | None = None
    """The one cluster whose objects of Google Cloud are checked, by name or path."""
    is_together: bool | None = None
    """Whether all files are one group; None where that is so unless a folder was walked."""
    is_rendered: bool = False
    """Whether the call ran Helm and Kustomize wherever it could."""
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    """Values of placeholders, by their names."""
