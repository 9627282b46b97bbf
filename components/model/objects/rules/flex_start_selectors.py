"""The rule about pods, and flavors, that select flex-start nodes by a label for which none are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model import gke
from components.model.findings import Finding
from components.model.objects import kinds
from components.model.objects.judging import Family, object_rule
from components.model.objects.pods import MAKERS, tpu_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from components.model.findings import Place
    from components.model.objects.world import Object

_FLEX_START: Final = "flex-start"


@object_rule(
    "flex-start-nodes-are-asked-for",
    summary="pods and flavors that select nodes that came with flex-start ask for such nodes too",
    why="The autoscaler makes flex-start nodes for the selector of flex-start alone; the pods wait for ever.",
    source="GoogleCloudPlatform/cluster-autoscaler @7d250507",
    family=Family.TOPOLOGY,
    kinds=(*MAKERS, kinds.RESOURCE_FLAVOR),
)
def _flex_start_nodes_are_asked_for(owner: Object) -> Iterator[Finding]:
    for place, selector in _selectors(owner):
        if selector.get(gke.LABEL_PROVISIONING) == _FLEX_START and gke.LABEL_FLEX_START not in selector:
            yield Finding(
                place=place.at(gke.LABEL_PROVISIONING),
                says=f"{_FLEX_START} nodes carry it once they are there, but none are made for it.",
                remedy=f'Add {gke.LABEL_FLEX_START}: "true".',
            )


def _selectors(owner: Object) -> Iterator[tuple[Place, Mapping[str, str]]]:
    """What pods select, and where; pods in a queue also select what their flavor says."""
    if owner.kind is kinds.RESOURCE_FLAVOR:
        yield owner.place.at("spec", "nodeLabels"), owner.labels("spec", "nodeLabels")
        return
    for group in tpu_groups(owner):
        yield group.template.place.at("spec", "nodeSelector"), group.selector


FLEX_START_SELECTOR_RULES: Final = (_flex_start_nodes_are_asked_for,)
