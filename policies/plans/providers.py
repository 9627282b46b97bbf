"""The providers of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from components.model.facts import engine

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROVIDER: Final = "pulumi:providers:"


class PlanError(Exception):
    """The file is not a plan of the engine; the text says why."""


def not_configured_yet(text: str) -> list[str]:
    """The providers whose configuration the plan does not have yet, such as `kubernetes dev`, in order.

    Raises:
        PlanError: it is not a plan.
    """
    try:
        document = engine.read(text)
    except ValueError as error:
        raise PlanError(f"is not JSON: {error}") from error
    plans: object = cast("dict[str, object]", document).get("resourcePlans") if isinstance(document, dict) else None
    if not isinstance(plans, dict):
        raise PlanError("has no resourcePlans")
    try:
        return sorted(_unknown_providers(cast("dict[str, Any]", plans)))
    except (ValueError, AttributeError, RecursionError) as error:
        raise PlanError(f"has a resource in another form than the engine's: {error!r}") from error


def _unknown_providers(plans: dict[str, Any]) -> Iterator[str]:
    for urn, plan in plans.items():
        _, _, type_, name = urn.split("::", 3)
        kind = type_.rpartition("$")[2]
        if kind.startswith(_PROVIDER) and engine.is_unknown(plan.get("goal")):
            yield f"{kind.removeprefix(_PROVIDER)} {name}"
