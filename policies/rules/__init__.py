"""The rules over objects, and the one check of all objects by all rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.rule import LooksAt
from policies.objects.judging import TYPES, ObjectRule, Settings, Verdict, look, verdict
from policies.objects.ledger_rules import LEDGER_RULES, look_at_ledger
from policies.rules.admission_checks import ADMISSION_CHECK_RULES
from policies.rules.api_fields import API_FIELD_RULES
from policies.rules.api_values import API_VALUE_RULES
from policies.rules.budgets import BUDGET_RULES
from policies.rules.cluster_access import CLUSTER_ACCESS_RULES
from policies.rules.cluster_fields import CLUSTER_FIELD_RULES
from policies.rules.compute_classes import COMPUTE_CLASS_RULES
from policies.rules.field_agreement import FIELD_AGREEMENT_RULES
from policies.rules.flavor_labels import FLAVOR_LABEL_RULES
from policies.rules.flex_start_selectors import FLEX_START_SELECTOR_RULES
from policies.rules.gpu_selectors import GPU_SELECTOR_RULES
from policies.rules.jobset_fields import JOBSET_FIELD_RULES
from policies.rules.jobset_policies import JOBSET_POLICY_RULES
from policies.rules.kueue_configuration import KUEUE_CONFIGURATION_RULES
from policies.rules.node_identity import NODE_IDENTITY_RULES
from policies.rules.order import ORDER_RULES
from policies.rules.partial_admission import PARTIAL_ADMISSION_RULES
from policies.rules.pod_volumes import POD_VOLUME_RULES
from policies.rules.pool_flex_start import POOL_FLEX_START_RULES
from policies.rules.pool_limits import POOL_LIMIT_RULES
from policies.rules.pool_modes import POOL_MODE_RULES
from policies.rules.pool_placement import POOL_PLACEMENT_RULES
from policies.rules.pool_policies import POOL_POLICY_RULES
from policies.rules.pool_shape import POOL_SHAPE_RULES
from policies.rules.pool_versions import POOL_VERSION_RULES
from policies.rules.priority_classes import PRIORITY_CLASS_RULES
from policies.rules.protection import PROTECTION_RULES
from policies.rules.queue_fields import QUEUE_FIELD_RULES
from policies.rules.queue_links import QUEUE_LINK_RULES
from policies.rules.queue_quotas import QUEUE_QUOTA_RULES
from policies.rules.ranges import RANGE_RULES
from policies.rules.ray_queueing import RAY_QUEUEING_RULES
from policies.rules.release_fields import RELEASE_FIELD_RULES
from policies.rules.releases import RELEASE_RULES
from policies.rules.run_claims import RUN_CLAIM_RULES
from policies.rules.run_failures import RUN_FAILURE_RULES
from policies.rules.run_images import RUN_IMAGE_RULES
from policies.rules.run_labels import RUN_LABEL_RULES
from policies.rules.run_network import RUN_NETWORK_RULES
from policies.rules.run_quotas import RUN_QUOTA_RULES
from policies.rules.run_selectors import RUN_SELECTOR_RULES
from policies.rules.run_shape import RUN_SHAPE_RULES
from policies.rules.run_slices import RUN_SLICE_RULES
from policies.rules.secrets import SECRET_RULES
from policies.rules.share_fields import SHARE_FIELD_RULES
from policies.rules.storage_claims import STORAGE_CLAIM_RULES
from policies.rules.storage_links import STORAGE_LINK_RULES

if TYPE_CHECKING:
    from policies.objects.world import World

OBJECT_RULES: Final[tuple[ObjectRule, ...]] = (
    *POOL_SHAPE_RULES,
    *FLAVOR_LABEL_RULES,
    *API_FIELD_RULES,
    *API_VALUE_RULES,
    *QUEUE_FIELD_RULES,
    *QUEUE_QUOTA_RULES,
    *QUEUE_LINK_RULES,
    *ADMISSION_CHECK_RULES,
    *RUN_QUOTA_RULES,
    *PRIORITY_CLASS_RULES,
    *BUDGET_RULES,
    *POOL_LIMIT_RULES,
    *POOL_PLACEMENT_RULES,
    *POOL_POLICY_RULES,
    *POOL_FLEX_START_RULES,
    *POOL_MODE_RULES,
    *POOL_VERSION_RULES,
    *CLUSTER_FIELD_RULES,
    *CLUSTER_ACCESS_RULES,
    *RANGE_RULES,
    *NODE_IDENTITY_RULES,
    *STORAGE_CLAIM_RULES,
    *STORAGE_LINK_RULES,
    *SHARE_FIELD_RULES,
    *SECRET_RULES,
    *RELEASE_RULES,
    *ORDER_RULES,
    *KUEUE_CONFIGURATION_RULES,
    *RELEASE_FIELD_RULES,
    *PROTECTION_RULES,
    *RUN_SHAPE_RULES,
    *RUN_SLICE_RULES,
    *RUN_SELECTOR_RULES,
    *RUN_NETWORK_RULES,
    *RUN_LABEL_RULES,
    *RUN_IMAGE_RULES,
    *RUN_CLAIM_RULES,
    *JOBSET_FIELD_RULES,
    *JOBSET_POLICY_RULES,
    *RUN_FAILURE_RULES,
    *FLEX_START_SELECTOR_RULES,
    *COMPUTE_CLASS_RULES,
    *FIELD_AGREEMENT_RULES,
    *POD_VOLUME_RULES,
    *GPU_SELECTOR_RULES,
    *RAY_QUEUEING_RULES,
    *PARTIAL_ADMISSION_RULES,
)
_OF_ONE: Final = tuple(each for each in OBJECT_RULES if each.looks_at is LooksAt.OBJECT)
_OF_SEVERAL: Final = tuple(each for each in OBJECT_RULES if each.looks_at is not LooksAt.OBJECT)
RULE_IDS: Final = tuple(each.id for each in (TYPES, *OBJECT_RULES, *LEDGER_RULES))
"""Every rule over objects."""


def judge(world: World, settings: Settings) -> Verdict:
    """What every rule says of the objects."""
    return verdict([*look(OBJECT_RULES, world, settings), *look_at_ledger(world)])


def judge_each(world: World, settings: Settings) -> Verdict:
    """What the rules over one object say of each object, whatever is beside it."""
    return verdict(look(_OF_ONE, world, settings))


def judge_together(world: World, settings: Settings) -> Verdict:
    """What all other rules say of the objects."""
    return verdict([*look(_OF_SEVERAL, world, settings), *look_at_ledger(world)])
