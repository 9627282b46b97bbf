"""The inputs of imported Kubernetes objects, reduced to the fields that the program states.

An import records the whole object, with every default that the API server filled in. The engine takes them for inputs
that the program no longer gives: it would change the object, and replace a run, whose specification cannot change. A
refresh records less: the current values of the fields that were inputs before. This module does the same for an import,
for the fields of the program's inputs. Values come from the cluster and never from the program, so real differences
still show in the preview.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from adopt.listings import section
from adopt.preview import PreviewError
from components.model.facts import engine

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from adopt.preview import Registered

_COPY: Final = "__inputs"
_KUBERNETES: Final = "kubernetes:"
_RELEASE: Final = "kubernetes:helm.sh/v3:Release"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A state that replaces the exported one."""

    state: dict[str, Any]
    objects: int
    """How many objects in the cluster record less than before."""
    kept: tuple[str, ...]
    """Objects that are left as they were imported, with the reason."""


def exported(name: str, text: str) -> dict[str, Any]:
    """A state that `pulumi stack export` wrote.

    Raises:
        PreviewError: it is not a state, or has another form.
    """
    try:
        found = section(engine.read(text))
    except ValueError as error:
        raise PreviewError(f"{name} is not JSON: {error}") from error
    version = engine.STATE_VERSION
    if found.get("version") != version or not isinstance(section(found, "deployment").get("resources"), list):
        raise PreviewError(f"{name} is not a state of version {version} with resources: pulumi stack export writes one")
    return found


def settled(state: Mapping[str, Any], resources: Iterable[Registered]) -> Settled:
    """The state with narrower inputs; only resources that the program registers are touched."""
    wanted = {each.urn: each.inputs for each in resources if each.type.startswith(_KUBERNETES)}
    deployment = section(state, "deployment")
    objects, kept, entries = 0, list[str](), list[Any]()
    for entry in cast("list[dict[str, Any]]", deployment["resources"]):
        inputs = wanted.get(str(entry.get("urn")))
        if inputs is None:
            entries.append(entry)
            continue
        reason = _reason_to_keep(entry, inputs)
        if reason:
            kept.append(f"{entry['type']} {entry.get('id')}: {reason}")
            entries.append(entry)
            continue
        narrow = dict(inputs) if entry["type"] == _RELEASE else cut(inputs, entry.get("inputs"))
        objects += narrow != entry.get("inputs")
        entries.append({**entry, "inputs": narrow, **_outputs(entry, narrow)})
    return Settled(
        state={**state, "deployment": {**deployment, "resources": entries}}, objects=objects, kept=tuple(kept)
    )


def _outputs(entry: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs with these inputs: the official provider compares a release with a copy that it keeps there, hidden.

    Source: pulumi-kubernetes, provider/pkg/provider/helm_release.go, checkpointRelease.
    """
    outputs = section(entry, "outputs")
    if _COPY not in outputs:
        return {}
    hidden = {engine.SIGNATURE_KEY: engine.SECRET_SIGNATURE, "plaintext": json.dumps(inputs)}
    copy = hidden if engine.SIGNATURE_KEY in section(outputs, _COPY) else inputs
    return {"outputs": {**outputs, _COPY: copy}}


def _reason_to_keep(entry: Mapping[str, Any], inputs: Mapping[str, Any]) -> str:
    """Why an object must stay as it was imported; empty where it need not."""
    if engine.is_unknown(inputs):
        return "the program's inputs are not known yet; finish the import, preview again and settle then"
    if engine.SIGNATURE_KEY in json.dumps(entry.get("inputs")) or engine.HIDDEN in json.dumps(inputs):
        return "it holds a secret, which no preview shows"
    if entry["type"] == _RELEASE:
        return _other_release(section(entry, "outputs"), inputs)
    return ""


def _other_release(outputs: Mapping[str, Any], inputs: Mapping[str, Any]) -> str:
    """How an installed release differs from the program's; empty where it does not.

    Helm records name, version and values of a chart, and not where it came from.
    """
    status = section(outputs, "status")
    chart = str(inputs.get("chart")).rstrip("/").rpartition("/")[2]
    pairs = (
        ("chart", status.get("chart"), chart),
        ("version", status.get("version"), inputs.get("version")),
        ("values", section(outputs, "values"), section(inputs, "values")),
    )
    other = [what for what, there, declared in pairs if there != declared]
    return f"its {' and '.join(other)} are not the program's" if other else ""


def cut(declared: object, live: object) -> Any:  # noqa: ANN401  any part of a document
    """`live` cut down to the shape of `declared`; an empty value that the server leaves out is there all the same."""
    if isinstance(declared, dict) and isinstance(live, dict):
        wanted, found = cast("dict[str, Any]", declared), cast("dict[str, Any]", live)
        there = {key: cut(value, found[key]) for key, value in wanted.items() if key in found}
        return there | {key: value for key, value in wanted.items() if key not in found and value in ("", [], {})}
    if isinstance(declared, list) and isinstance(live, list):
        shape, items = cast("list[Any]", declared), cast("list[Any]", live)
        return [cut(shape[index], item) if index < len(shape) else item for index, item in enumerate(items)]
    return live
