"""What the program's rules say of stack files, in the words of the objects from which a plan was rebuilt.

Their places are translated where the plan is rebuilt (`Place.called`); what they say and advise is translated here, by
whole phrases of theirs alone, so that no value of an object is taken for a key.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.findings import Finding

_CONFIG: Final = "privateClusterConfig"
_NETWORKS: Final = "masterAuthorizedNetworksConfig"
PHRASES: Final[Mapping[str, Mapping[str, str]]] = {
    "admission-check-is-used": {
        r"Add admission_checks: \[(.*)\] to a flavor of a queue": (
            r"Name \1 in admissionChecksStrategy of a ClusterQueue"
        ),
    },
    "authorized-networks-restrict": {r"leave authorized_networks out": f"leave {_NETWORKS} out"},
    "autopilot-makes-its-nodes": {r"(S|s)et mode: standard": r"\1et enableAutopilot: false"},
    "blue-green-needs-room": {r"remove upgrade\b": "remove upgradeSettings"},
    "cohort-eviction-works": {
        r"while reclaim_within_cohort is": "while reclaimWithinCohort is",
        r"Set reclaim_within_cohort:": "Set reclaimWithinCohort:",
    },
    "control-plane-range": {
        r"where private_nodes is": f"where {_CONFIG}.enablePrivateNodes is",
        r"set private_nodes:": f"set {_CONFIG}.enablePrivateNodes:",
    },
    "flavor-is-served": {
        r"Declare them under tpu_slices\. Declared there:": "Declare a node pool of them. Node pools here have",
    },
    "gpu-fits-machine": {r"Add gpu: (\{.*\})": r"Add nodeConfig.guestAccelerators: [\1]"},
    "ordinary-pool-exists": {
        r"machine_type: ([\w-]+), nodes: (\d+), zones: ": (
            r"nodeConfig: {machineType: \1}, nodeCount: \2, nodeLocations: "
        ),
    },
    "priorities-preempt": {r"Set within_cluster_queue:": "Set withinClusterQueue:"},
    "private-endpoint-is-reachable": {
        r"Add authorized_networks:": f"Add {_NETWORKS}.cidrBlocks:",
        r"Set private_nodes: true, or private_endpoint: false": f"Set {_CONFIG}.enablePrivateNodes: true, or "
        f"{_CONFIG}.enablePrivateEndpoint: false",
    },
    "queued-is-flex-start": {r"set capacity: flex-start": "set nodeConfig.flexStart: true"},
    "queued-run-is-one-pool": {
        r"take queued away from the slices": "take queuedProvisioning away from the node pools",
    },
    "queued-slices-are-asked-for": {
        r"; \{name: nodes\} makes one": "; one of controllerName kueue.x-k8s.io/provisioning-request asks for nodes",
    },
    "upgrade-settings-fit": {r"max_surge and max_unavailable are": "maxSurge and maxUnavailable are"},
}
"""By the id of a rule, phrases of its texts (regular expressions) and what stands in their place."""


def of_objects(finding: Finding) -> Finding:
    """The finding, with its texts as somebody needs them who wrote objects and no stack file."""
    phrases = PHRASES.get(finding.rule)
    if phrases is None:
        return finding
    return dataclasses.replace(
        finding, says=_translated(finding.says, phrases), remedy=_translated(finding.remedy, phrases)
    )


def _translated(text: str, phrases: Mapping[str, str]) -> str:
    for phrase, instead in phrases.items():
        text = re.sub(phrase, instead, text)
    return text
