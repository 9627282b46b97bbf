"""What a program would register, from the engine's stream of a preview (components/model/facts/engine.py)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adopt.listings import section
from components.model.facts import engine

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


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
        return engine.name_of(self.urn)


def registered(name: str, text: str) -> tuple[Registered, ...]:
    """Every resource that the program registers, in the order of the stream; `name` is the file's, for messages.

    Raises:
        PreviewError: it is not such a stream, or the preview failed.
    """
    found: dict[str, Registered] = {}
    result: object = None
    for event in _events(name, text):
        result = section(event, engine.SUMMARY_EVENT).get("result", result)
        metadata = section(event, engine.DECLARED_EVENT, "metadata")
        new, urn = section(metadata, "new"), metadata.get("urn")
        if new and isinstance(urn, str):
            found[urn] = Registered(
                urn=urn, type=str(metadata.get("type")), op=str(metadata.get("op")), inputs=section(new, "inputs")
            )
    if result != engine.SUCCEEDED:
        raise PreviewError(
            f"{name} does not contain a successful preview. Write it with PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true "
            "pulumi preview --json, and fix the errors that it reports."
        )
    return tuple(found.values())


def _events(name: str, text: str) -> Iterator[object]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            event = engine.read(line)
        except ValueError as error:
            raise PreviewError(f"{name}:{number} is not an event of the engine: {error}") from error
        yield event
