"""The rules over objects, and the one judgement of all rules over whatever objects there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.objects.judging import TYPE_RULE, ObjectRule, Settings, Verdict, look, verdict
from components.model.objects.ledger_rules import LEDGER_RULES, look_at_ledger
from components.model.objects.rules.admission_checks import ADMISSION_CHECK_RULES
from components.model.objects.rules.budgets import BUDGET_RULES
from components.model.objects.rules.flavor_labels import FLAVOR_LABEL_RULES
from components.model.objects.rules.pool_shape import POOL_SHAPE_RULES
from components.model.objects.rules.priority_classes import PRIORITY_CLASS_RULES
from components.model.objects.rules.queue_fields import QUEUE_FIELD_RULES
from components.model.objects.rules.queue_links import QUEUE_LINK_RULES
from components.model.objects.rules.queue_quotas import QUEUE_QUOTA_RULES
from components.model.objects.rules.run_quotas import RUN_QUOTA_RULES

if TYPE_CHECKING:
    from components.model.objects.world import World

OBJECT_RULES: Final[tuple[ObjectRule, ...]] = (
    *POOL_SHAPE_RULES,
    *FLAVOR_LABEL_RULES,
    *QUEUE_FIELD_RULES,
    *QUEUE_QUOTA_RULES,
    *QUEUE_LINK_RULES,
    *ADMISSION_CHECK_RULES,
    *RUN_QUOTA_RULES,
    *PRIORITY_CLASS_RULES,
    *BUDGET_RULES,
)
RULE_IDS: Final = (TYPE_RULE, *(each.id for each in OBJECT_RULES), *(each.rule.id for each in LEDGER_RULES))
"""Every rule that judges objects."""


def judge(world: World, settings: Settings) -> Verdict:
    """What every rule says of the objects."""
    return verdict([*look(OBJECT_RULES, world, settings), *look_at_ledger(world)])
