"""Names of policies that are not the id of a rule."""

from __future__ import annotations

from typing import Final

SETTINGS: Final = "settings-name-what-exists"
"""The policy whose configuration the rules take their parameters from."""
DECIDED: Final = "every-rule-is-decided"
"""The policy that lists what could not be decided; the last one."""
ADVICE: Final = "-advice"
"""Ending of the policy that holds the warnings of a rule which finds errors too."""


def rule_of(policy: str) -> str:
    """The id of the rule that a policy is of; for a policy without a rule, its own name."""
    return policy.removesuffix(ADVICE)
