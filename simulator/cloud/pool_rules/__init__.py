"""Which node pools Google's API refuses, in the API's words where those are known.

Each rule looks at one request and gives the text of its refusal or None. They are checked in the order of `RULES`; the
first that refuses wins, as with the API. `general.py` has the rules for every pool, `consumption.py` those about how
the machines are paid for, `slices.py` those about TPU slices.

Written from the API's side alone: nothing here knows what the program checks. Where sources contradict each other
(queued provisioning with flex-start on v6e and TPU7x, auto-repair on flex-start pools), nothing is refused. Minimum
versions of GKE are not checked: every version that the simulated cloud offers is above them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simulator.cloud.api import refusal
from simulator.cloud.pool_rules import consumption, general, slices
from simulator.cloud.pool_rules.rule import Rule, Stage

if TYPE_CHECKING:
    from simulator.cloud.pool_request import PoolRequest

__all__ = ["RULES", "Rule", "Stage", "check"]

RULES: Final = (*general.RULES, *consumption.RULES, *slices.RULES)


def check(request: PoolRequest, stage: Stage) -> None:
    """Check the request against the rules of one stage.

    Raises:
        CloudError: INVALID_ARGUMENT with the text of the first rule that refuses.
    """
    for rule in RULES:
        text = rule.refuses(request) if rule.stage is stage else None
        if text is not None:
            raise refusal("INVALID_ARGUMENT", text)
