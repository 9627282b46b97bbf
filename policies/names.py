"""Names of policies, and how the text of a violation names its rule.

Four policies report the findings of all rules, so the text of a violation begins with the id of the rule.
"""

from __future__ import annotations

from typing import Final

PACK: Final = "tpu-platform-"
"""Start of the packs' names."""
SETTINGS: Final = "settings-name-what-exists"
"""The policy whose configuration states levels by rule and the parameters of rules."""
DECIDED: Final = "every-rule-is-decided"
"""The key of the report on rules that could not be decided. It has a level like a rule, and is the last violation."""
ADVICE: Final = "-advice"
"""Suffix of the key for the warnings of a rule that also finds errors."""
RESOURCE_ERRORS: Final = "resource-errors"
RESOURCE_WARNINGS: Final = "resource-warnings"
STACK_ERRORS: Final = "stack-errors"
STACK_WARNINGS: Final = "stack-warnings"
REPORTERS: Final = (RESOURCE_ERRORS, RESOURCE_WARNINGS, STACK_ERRORS, STACK_WARNINGS)
"""The policies that report findings: those of the level `mandatory`, and those of the level `advisory`."""


def rule_of(key: str) -> str:
    """The id of the rule that a level is set for: the key itself, without the suffix `-advice`."""
    return key.removesuffix(ADVICE)


def message(key: str, summary: str, text: str) -> str:
    """The text that a reporter hands to the SDK, which puts the policy's own sentence in a line before it."""
    return f"{key}: {sentence(summary)}\n{text}"


def rule_and_text(pack: str, policy: str, said: str) -> tuple[str, str]:
    """The key of the rule that a violation is of, and its text from the rule's sentence on.

    For a policy that reports findings of its own alone, such as those of other packs: its name, and the whole text.
    """
    _, _, rest = said.partition("\n")
    key, colon, text = rest.partition(": ")
    return (key, text) if pack.startswith(PACK) and policy in REPORTERS and colon else (policy, said)


def sentence(clause: str) -> str:
    """A clause as a sentence."""
    return f"{clause[0].upper()}{clause[1:]}."
