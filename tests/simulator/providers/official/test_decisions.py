"""The stand-ins against the official providers: single changes of inputs, and what each makes of them.

`decisions.tsv` has what the official providers decided on the resources of `resources.yaml`. A change that needs what
the simulator does not model is refused by name instead, and stands in `_NOT_MODELLED`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.simulator.providers.official.table import Made, not_modelled, rows

if TYPE_CHECKING:
    from collections.abc import Callable

_NOT_MODELLED: Final = {
    'Cluster dev: property "enableL4IlbSubsetting"',
    'Cluster dev: property "networkPolicy"',
    'Cluster dev: the value "ROUTES" of "networkingMode"',
    'Instance dev-share: property "kmsKeyName"',
    'NodePool system: property "nodeConfig.localSsdCount"',
    'NodePool system: property "nodeConfig.minCpuPlatform"',
    'NodePool v5e-slice1: property "nodeConfig.localSsdCount"',
    'NodePool v5e-slice1: property "nodeConfig.minCpuPlatform"',
    'NodePool v6e-flex-slice1: property "nodeConfig.localSsdCount"',
    'NodePool v6e-flex-slice1: property "nodeConfig.minCpuPlatform"',
    'Subnetwork dev-nodes: the value "IPV4_IPV6" of "stackType"',
}


def test_every_decision_is_the_official_one_or_refused_by_name(
    made: dict[tuple[str, str], Made], record_property: Callable[[str, object], None]
) -> None:
    table, equal, refused, others = list(rows()), 0, set[str](), list[str]()
    for row in table:
        decision, words = made[row.type, row.name].decision(row)
        names = set(not_modelled(row, words))
        if names:
            refused |= names
        elif decision == row.decision:
            equal += 1
        else:
            others.append(f"{row}: {decision}, not {row.decision}; {words}")

    assert others == []
    assert refused == _NOT_MODELLED
    record_property(
        "counted",
        f"decisions of the official providers: {equal} alike, {len(refused)} refused by name: "
        f"{equal + len(refused)} of {len(table)}",
    )
    assert equal + len(refused) == len(table) == 793
