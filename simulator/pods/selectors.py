"""Label selectors, node selector terms and tolerations, as kube-scheduler reads them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.kubeapi.documents import Document, entries, section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Labels = dict[str, str]

_KEEPING_OUT = ("NoSchedule", "NoExecute")


def selects(selector: Document | None, labels: Mapping[str, str]) -> bool:
    """Whether a LabelSelector matches; None matches nothing, an empty one everything."""
    if selector is None:
        return False
    wanted = section(selector, "matchLabels")
    if any(labels.get(key) != value for key, value in wanted.items()):
        return False
    return all(_holds(each, labels) for each in entries(selector, "matchExpressions"))


def fits_node_affinity(affinity: Document, labels: Mapping[str, str], name: str) -> bool:
    """Whether a pod's required node affinity allows a node with that name and those labels."""
    required = section(affinity, "nodeAffinity").get("requiredDuringSchedulingIgnoredDuringExecution")
    if required is None:
        return True
    return any(_term_holds(term, labels, name) for term in entries(required, "nodeSelectorTerms"))


def untolerated(taints: Sequence[Document], tolerations: Sequence[Document]) -> Document | None:
    """The first taint that keeps a pod with those tolerations out; None when it may come in."""
    for taint in taints:
        if taint.get("effect") in _KEEPING_OUT and not any(_tolerates(each, taint) for each in tolerations):
            return taint
    return None


def _term_holds(term: Document, labels: Mapping[str, str], name: str) -> bool:
    expressions, fields = entries(term, "matchExpressions"), entries(term, "matchFields")
    if not expressions and not fields:
        return False
    return all(_holds(each, labels) for each in expressions) and all(
        _holds(each, {"metadata.name": name}) for each in fields
    )


def _holds(expression: Document, labels: Mapping[str, str]) -> bool:
    value = labels.get(expression["key"])
    values: list[str] = expression.get("values") or []
    match expression["operator"]:
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case operator:
            return _compares(operator, value, values)


def _compares(operator: str, value: str | None, values: list[str]) -> bool:
    try:
        number, bound = int(value or ""), int(values[0])
    except (ValueError, IndexError):
        return False
    return number > bound if operator == "Gt" else number < bound


def _tolerates(toleration: Document, taint: Document) -> bool:
    if toleration.get("effect") not in (None, "", taint.get("effect")):
        return False
    key = toleration.get("key")
    if key not in (None, "", taint.get("key")):
        return False
    if toleration.get("operator") == "Exists":
        return True
    return bool(key) and (toleration.get("value") or "") == (taint.get("value") or "")
