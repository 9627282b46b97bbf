"""A checkpoint: the model after a dataset, the datasets that it has seen, and the checkpoint that it was made from.

It is JSON with a digest, not a pickle: every writer on the share could otherwise run code in every worker that
loads it. Numbers are written so that reading them gives the same ones back.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass, field
from typing import Final, cast

FORMAT: Final = "fraud-detection-checkpoint/1"
MOST_BYTES: Final = 64 * 1024 * 1024
"""The largest file that is read as a checkpoint; one of ten thousand datasets has less than 1 MiB."""


class TornError(Exception):
    """The data are not a whole checkpoint; the text says why."""


@dataclass(frozen=True, slots=True)
class Parent:
    """The checkpoint that another was made from."""

    position: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """One link of the chain."""

    position: int
    """From 1."""
    parent: Parent | None
    """None for the first."""
    trained: tuple[str, ...]
    """Every dataset that the model has seen, in order; the last one is this checkpoint's own."""
    data_sha256: str
    """Digest of the dataset's file."""
    created: str
    """UTC, as ISO 8601."""
    seconds: float
    """How long training and evaluation took."""
    worker: str
    """Session of the worker."""
    fence: int
    """Number of the lock that it was made under; it grows along the chain."""
    metrics: dict[str, dict[str, float | int | None]]
    """Rows, accuracy and average precision on the parts `training`, `held_out` and, with a test set, `testing`."""
    model: dict[str, object] = field(repr=False)

    @property
    def dataset(self) -> str:
        """The dataset that it was trained on last."""
        return self.trained[-1]

    @property
    def digest(self) -> str:
        """SHA-256 of all of it."""
        return _digest(_text(asdict(self)))

    def encoded(self) -> bytes:
        """The content of its file."""
        body = _text(asdict(self))
        return f'{{"format": "{FORMAT}", "digest": "{_digest(body)}", "checkpoint": {body}}}\n'.encode()


def decoded(data: bytes) -> Checkpoint:
    """The checkpoint in a file.

    Raises:
        TornError: it is cut, altered or something else.
    """
    try:
        document: object = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise TornError("it is not JSON, or cut short") from error
    if not isinstance(document, dict):
        raise TornError("it is not a checkpoint")
    envelope = cast("dict[str, object]", document)
    if envelope.get("format") != FORMAT:
        raise TornError(f"its format is not {FORMAT}")
    body = envelope.get("checkpoint")
    if _digest(_text(body)) != envelope.get("digest"):
        raise TornError("its digest is of other content")
    try:
        return _checkpoint(cast("dict[str, object]", body))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise TornError(f"its content is not that of a checkpoint: {error}") from error


def _checkpoint(body: dict[str, object]) -> Checkpoint:
    """The checkpoint in `body`; errors of fields with another form are raised as they are."""
    parent = cast("dict[str, object] | None", body["parent"])
    metrics = cast("dict[str, dict[str, float | int | None]]", body["metrics"])
    seconds = float(cast("float", body["seconds"]))
    for part in ("training", "held_out"):
        _ = metrics[part]["rows"]
    trained = tuple(str(name) for name in cast("list[object]", body["trained"]))
    if not trained or not math.isfinite(seconds):
        raise ValueError("it has seen nothing")
    return Checkpoint(
        position=int(cast("int", body["position"])),
        parent=None if parent is None else Parent(int(cast("int", parent["position"])), str(parent["digest"])),
        trained=trained,
        data_sha256=str(body["data_sha256"]),
        created=str(body["created"]),
        seconds=seconds,
        worker=str(body["worker"]),
        fence=int(cast("int", body["fence"])),
        metrics=metrics,
        model=dict(cast("dict[str, object]", body["model"]).items()),
    )


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
