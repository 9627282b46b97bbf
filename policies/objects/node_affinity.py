"""The node labels that pods require by affinity, which selects nodes as a nodeSelector does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from components.model.places import Place
    from policies.objects.values import Part

PATH: Final = ("spec", "affinity", "nodeAffinity")
TERMS: Final = (*PATH, "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
"""Where a template states which nodes its pods may have."""
_IN: Final = "In"


class Required(NamedTuple):
    """The one value that a label must have."""

    value: str
    place: Place


def required_labels(template: Part) -> dict[str, Required]:
    """The labels with one value that every term of a pod template requires; a node needs to match only one term.

    Source: Kubernetes documentation "Assigning Pods to Nodes", read 2026-11.
    """
    if not template.has(*PATH):
        return {}
    terms = [_required(term) for term in template.parts(*TERMS)]
    first = terms[0] if terms else {}
    return {key: found for key, found in first.items() if all(_is_same(found, term.get(key)) for term in terms)}


def _required(term: Part) -> dict[str, Required]:
    found: dict[str, Required] = {}
    for each in term.parts("matchExpressions"):
        values = each.texts("values")
        if each.text("operator") == _IN and len(values) == 1:
            found[each.string("key")] = Required(values[0], each.place.at("values", 0))
    return found


def _is_same(found: Required, other: Required | None) -> bool:
    return other is not None and other.value == found.value
