"""The rules over objects, and the one judgement of all rules over whatever objects there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.objects.judging import TYPE_RULE, ObjectRule, Settings, Verdict, look, verdict
from components.model.objects.ledger_rules import LEDGER_RULES, look_at_ledger
from components.model.objects.rules.jobset_fields import JOBSET_FIELD_RULES
from components.model.objects.rules.pool_shape import POOL_SHAPE_RULES
from components.model.objects.rules.run_images import RUN_IMAGE_RULES
from components.model.objects.rules.run_labels import RUN_LABEL_RULES
from components.model.objects.rules.run_network import RUN_NETWORK_RULES
from components.model.objects.rules.run_selectors import RUN_SELECTOR_RULES
from components.model.objects.rules.run_shape import RUN_SHAPE_RULES

if TYPE_CHECKING:
    from components.model.objects.world import World

OBJECT_RULES: Final[tuple[ObjectRule, ...]] = (
    *POOL_SHAPE_RULES,
    *RUN_SHAPE_RULES,
    *RUN_SELECTOR_RULES,
    *RUN_NETWORK_RULES,
    *RUN_LABEL_RULES,
    *RUN_IMAGE_RULES,
    *JOBSET_FIELD_RULES,
)
RULE_IDS: Final = (TYPE_RULE, *(each.id for each in OBJECT_RULES), *(each.rule.id for each in LEDGER_RULES))
"""Every rule that judges objects."""


def judge(world: World, settings: Settings) -> Verdict:
    """What every rule says of the objects."""
    return verdict([*look(OBJECT_RULES, world, settings), *look_at_ledger(world)])
