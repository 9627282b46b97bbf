"""A live object as a program's inputs: those that would have made it."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, cast

from kubeapi.documents import section

if TYPE_CHECKING:
    from kubeapi.documents import Document
    from simulator.providers.values import Properties, Value


def as_read(inputs: Properties, live: Document) -> Properties:
    """The part of a live object that the program's inputs name.

    The strings of a Secret are read from its data, where the API server has put them.
    """
    seen = cast("Document", _cut(inputs, live))
    texts = section(cast("Document", inputs), "stringData")
    if live.get("kind") == "Secret" and texts:
        data = section(live, "data")
        seen["stringData"] = {key: base64.b64decode(data[key]).decode(errors="replace") for key in texts if key in data}
    return cast("Properties", seen)


def as_declared(live: Document) -> Properties:
    """An object as a program would declare it: without status and the fields that the server fills in."""
    metadata = live["metadata"]
    kept = {key: metadata[key] for key in ("name", "namespace", "labels", "annotations") if key in metadata}
    return cast("Properties", {**{key: value for key, value in live.items() if key != "status"}, "metadata": kept})


def _cut(inputs: Value, live: Any) -> Any:  # noqa: ANN401  any part of a document
    """`live` reduced to the fields that `inputs` names.

    An empty value that the API server leaves out is kept.
    """
    if isinstance(inputs, dict) and isinstance(live, dict):
        found = cast("Document", live)
        there = {key: _cut(value, found[key]) for key, value in inputs.items() if key in found}
        return there | {key: value for key, value in inputs.items() if key not in found and _says_nothing(value)}
    if isinstance(inputs, list) and isinstance(live, list):
        items = cast("list[Any]", live)
        return [_cut(inputs[index], item) if index < len(inputs) else item for index, item in enumerate(items)]
    return live


def _says_nothing(value: Value) -> bool:
    return value in ("", [], {})
