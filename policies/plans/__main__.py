"""`tpu plans PLAN`: whether an update can be limited to it, for those who approve the update."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from components.model.facts import engine
from policies.report.events import UnreadableError, text_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NOT_HELD: Final = 1
_UNUSABLE: Final = 2
_PROVIDER: Final = "pulumi:providers:"


def main(arguments: Sequence[str]) -> int:
    """Say it in Markdown, and return the exit code: 1 where the update cannot be limited to the plan, 2 for no plan."""
    options = parser().parse_args(arguments)
    try:
        found = not_configured_yet(text_in(options.plan))
    except UnreadableError as error:
        print(f"plans: {error}", file=sys.stderr)
        return _UNUSABLE
    except (OSError, PlanError) as error:
        print(f"plans: {options.plan}: {error}", file=sys.stderr)
        return _UNUSABLE
    if not found:
        print("\n> The update does what the plan contains, or stops.")
        return 0
    print(
        f"\n> [!WARNING]\n> **The update is not limited to its plan.** It creates or replaces what "
        f"{' and '.join(f'`{each}`' for each in found)} is configured with. Before that exists, a plan cannot contain "
        "the final inputs of that provider's resources."
    )
    return _NOT_HELD


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


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="tpu plans",
        description="Say whether an update can be limited to the plan that a preview saved. It cannot if the plan "
        "creates or replaces the cluster.",
        epilog="Example: tpu plans plan.json. "
        "Exit code 0: the update can be limited to the plan. 1: it cannot. 2: the plan cannot be read.",
    )
    made.add_argument("plan", type=Path, metavar="PLAN", help="the file that `pulumi preview --save-plan` wrote")
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
