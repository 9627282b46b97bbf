"""Every figure of both sides, reckoned once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from policies.report import competition, costs, ledger, stores

if TYPE_CHECKING:
    from policies.report.competition import Competition
    from policies.report.costs import Cost
    from policies.report.ledger import Change
    from policies.report.prices import Prices
    from policies.report.sides import Sides


class Figures(Struct, frozen=True, kw_only=True):
    """Chips, quota and cost, before and after."""

    is_before_known: bool
    is_after_known: bool
    is_after_declared: bool
    """Whether what comes after is only what the stack file says."""
    chips: tuple[Change, ...]
    quota: tuple[Change, ...]
    storage: tuple[Change, ...]
    quota_back: Change | None
    """When Kueue takes quota back from workloads that do not start; None where that stays as it is."""
    competitions: tuple[Competition, ...]
    """Who competes for what new queues borrow."""
    unread: tuple[str, ...]
    """What chips and quota leave out, each with the side and the value that cannot be read."""
    before: Cost | None
    after: Cost | None
    always: tuple[Change, Change]
    """By the hour and by the month, of what is always there."""
    at_most: tuple[Change, Change]
    prices: Prices

    @property
    def is_unknown(self) -> bool:
        """Whether neither side is known."""
        return not self.is_before_known and not self.is_after_known


def figures_of(sides: Sides, prices: Prices) -> Figures:
    """The figures of both sides."""
    before, after = costs.cost_of_side(sides.before, prices), costs.cost_of_side(sides.after, prices)
    named = (("before", sides.before), ("after", sides.after))
    return Figures(
        is_before_known=sides.before is not None,
        is_after_known=sides.after is not None,
        is_after_declared=sides.after is not None and sides.after.is_declared,
        chips=tuple(ledger.chips(sides)),
        quota=tuple(ledger.quota(sides)),
        storage=tuple(stores.storage(sides)),
        quota_back=stores.quota_back(sides),
        competitions=tuple(competition.competitions(sides)),
        unread=tuple(f"{when}, {each}" for when, side in named for each in ledger.unread(side)),
        before=before,
        after=after,
        always=costs.hours_and_months(before, after, prices),
        at_most=costs.at_most(before, after, prices),
        prices=prices,
    )
