"""Which node pools Google's API refuses, in the API's words where those are known.

Each rule looks at one request and gives the text of its refusal or None. They are judged in the order of `RULES`; the
first that refuses wins, as with the API. `general.py` has what holds for every pool, `consumption.py` how the machines
are paid for, `slices.py` TPU slices.

Written from the API's side alone: nothing here knows what the program checks. What sources contradict each other about
(queued provisioning with flex-start on TPUs, auto-repair on flex-start pools) is not refused. Floors of the GKE version
are not judged: every version that the simulated cloud offers is above them.
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
    """Judge the request by the rules of one stage.

    Raises:
        CloudError: INVALID_ARGUMENT with the text of the first rule that refuses.
    """
    for rule in RULES:
        text = rule.refuses(request) if rule.stage is stage else None
        if text is not None:
            raise refusal("INVALID_ARGUMENT", text)
