"""What a program would register, from the engine's stream of a preview.

The stream is what `pulumi preview --json` prints with PULUMI_ENABLE_STREAMING_JSON_PREVIEW set: one event in a line.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

UNKNOWN: Final = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""What stands in the stream for a value that is not known before the update (Pulumi SDK, plugin.UnknownStringValue)."""
_EVENT: Final = "resourcePreEvent"


class PreviewError(Exception):
    """A file that the engine wrote does not say what it should; the text says which and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """A resource as the program would register it."""

    urn: str
    type: str
    op: str
    """What the preview would do: `create`, `same`, `update`, ..."""
    inputs: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Its logical name."""
        return self.urn.rpartition("::")[2]


def registered(name: str, text: str) -> tuple[Registered, ...]:
    """Every resource that the program registers, in the order of the stream; `name` is the file's, for messages.

    Raises:
        PreviewError: it is no such stream, or the preview failed.
    """
    found: dict[str, Registered] = {}
    result: object = None
    for event in _events(name, text):
        result = _mapping(event.get("summaryEvent")).get("result", result)
        metadata = _mapping(_mapping(event.get(_EVENT)).get("metadata"))
        new, urn = _mapping(metadata.get("new")), metadata.get("urn")
        if new and isinstance(urn, str):
            found[urn] = Registered(
                urn=urn, type=str(metadata.get("type")), op=str(metadata.get("op")), inputs=_mapping(new.get("inputs"))
            )
    if result != "succeeded":
        raise PreviewError(
            f"{name} holds no preview that succeeded. Write it with PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true "
            "pulumi preview --json, and put right what that complains about."
        )
    return tuple(found.values())


def _events(name: str, text: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            event: object = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise PreviewError(f"{name}:{number} is no event of the engine: {error}") from error
        yield _mapping(event)


def _mapping(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def is_unknown(value: object) -> bool:
    """Whether a value, or one within it, is not known before the update."""
    if isinstance(value, dict):
        return any(is_unknown(each) for each in cast("dict[str, object]", value).values())
    if isinstance(value, list):
        return any(is_unknown(each) for each in cast("list[object]", value))
    return isinstance(value, str) and UNKNOWN in value
