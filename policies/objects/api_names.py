"""Names in Google's APIs for fields of clusters, node pools and shares where Pulumi's resources call them otherwise.

`gcloud container node-pools list --format=json` prints the API's messages; rules read Pulumi's properties. Places go
the way back, so that a finding names the key that its reader has before them. A field that is called the same, or that
no rule reads, is passed on as it is. Zeros and `false` are left out of the API's JSON, as mostly from a Pulumi program;
where a Pulumi resource has `true` instead, `false` is put in.

Source: Kubernetes Engine API v1, `projects.locations.clusters` and its `nodePools`; Cloud Filestore API v1,
`projects.locations.instances`; pulumi_gcp 10.2.0.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from components.model.facts import kinds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.model.facts.kinds import Kind
    from components.model.places import Key
    from policies.objects.values import Value


class Names(Struct, frozen=True):
    """The fields of one message that have another name in Pulumi."""

    name: str = ""
    """The name in Pulumi of the field that holds the message; empty for a whole resource."""
    inner: Mapping[str, Names] = field(default_factory=dict[str, "Names"])
    """By the API's name."""

    def translated(self, value: Value) -> Value:
        """The value with Pulumi's names."""
        if isinstance(value, list):
            return [self.translated(each) for each in value]
        if not isinstance(value, dict):
            return value
        known = {key: self.inner.get(key, Names(key)) for key in value}
        return {known[key].name: known[key].translated(each) for key, each in value.items()}

    def back(self, keys: tuple[Key, ...]) -> tuple[Key, ...]:
        """A path of Pulumi's names in those of the API."""
        if not keys:
            return ()
        first, rest = keys[0], keys[1:]
        if isinstance(first, int):
            return (first, *self.back(rest))
        for own, names in self.inner.items():
            if names.name == first:
                return (own, *names.back(rest))
        return keys


class Message(Struct, frozen=True, kw_only=True):
    """How the API describes one kind of resource."""

    kind: Kind
    link: re.Pattern[str]
    """The end of its link, with groups for what the message itself does not say."""
    link_key: str = "selfLink"
    """The field that holds the link."""
    mark: tuple[str, ...] = ()
    """A path that only such a message has, for one that was printed without its link; empty where there is none."""
    names: Names
    hoisted: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """Properties that are fields of a field in the API."""
    switched: tuple[str, ...] = ()
    """Fields that the API switches on by an `enabled` within, Pulumi by their being there."""
    unsaid: tuple[tuple[str, str], ...] = ()
    """Fields of fields that are off where the API does not say them, and on where a Pulumi program does not."""
    single: tuple[str, ...] = ()
    """Fields that are a list in the API, of one at most, and a mapping in Pulumi."""
    dropped: tuple[str, ...]
    """Fields that are output only, or that repeat another field."""
    untranslated: tuple[str, ...] = ()
    """Fields that have another shape in Pulumi; they are not checked."""

    def properties(self, message: Mapping[str, Value]) -> dict[str, Value]:
        """The properties that the resource would have in Pulumi."""
        found = {key: value for key, value in message.items() if key not in (*self.dropped, *self.untranslated)}
        for key in self.switched:
            if not _is_switched_on(found.get(key)):
                found.pop(key, None)
        properties = {**self._linked(message), **_mapping(self.names.translated(found))}
        for outer, inner in self.unsaid:
            stated = properties.get(outer, {})
            properties[outer] = {inner: False, **stated} if isinstance(stated, dict) else stated
        for key in self.single:
            stated = properties.get(key)
            if isinstance(stated, list) and len(stated) == 1:
                properties[key] = stated[0]
        for name, (outer, inner) in self.hoisted.items():
            value = _mapping(message.get(outer)).get(inner)
            if value is not None:
                properties[name] = value
        return properties

    def back(self, keys: tuple[Key, ...]) -> tuple[Key, ...]:
        """A path of properties as the API has it."""
        if keys and isinstance(keys[0], str) and keys[0] in self.hoisted:
            return (*self.hoisted[keys[0]], *keys[1:])
        if keys and keys[0] in self.single:
            return (keys[0], 0, *keys[1:])
        return self.names.back(keys)

    def linked(self, message: Mapping[str, Value]) -> str | None:
        """The link of a message; None where it has none."""
        link = message.get(self.link_key)
        return link if isinstance(link, str) and self.link.search(link) else None

    def _linked(self, message: Mapping[str, Value]) -> dict[str, Value]:
        """The names that only the link has."""
        link = self.linked(message)
        found = None if link is None else self.link.search(link)
        return {} if found is None else dict(found.groupdict())

    def describes(self, message: Mapping[str, Value]) -> bool:
        """Whether a mapping is such a message, by its link, else by its mark; never one of Kubernetes."""
        if isinstance(message.get("selfLink"), str) or not self.mark:
            return "apiVersion" not in message and self.linked(message) is not None
        found: Value = dict(message)
        for key in self.mark:
            found = _mapping(found).get(key)
        return isinstance(found, str) and "apiVersion" not in message


def _is_switched_on(value: Value) -> bool:
    """Whether it says so; the rule on types reports a value that is not a mapping."""
    return not isinstance(value, dict) or value.get("enabled") is True


def _mapping(value: Value) -> dict[str, Value]:
    return value if isinstance(value, dict) else {}


_CLUSTER_LINK: Final = r"projects/(?P<project>[^/]+)/(?:locations|zones)/(?P<location>[^/]+)/clusters/"
NODE_POOL: Final = Message(
    kind=kinds.NODE_POOL,
    link=re.compile(_CLUSTER_LINK + r"(?P<cluster>[^/]+)/nodePools/[^/]+$"),
    mark=("config", "machineType"),
    names=Names(
        inner={
            "config": Names(
                "nodeConfig",
                {
                    "accelerators": Names(
                        "guestAccelerators", {"acceleratorCount": Names("count"), "acceleratorType": Names("type")}
                    )
                },
            ),
            "locations": Names("nodeLocations"),
        }
    ),
    hoisted={"maxPodsPerNode": ("maxPodsConstraint", "maxPodsPerNode")},
    switched=("autoscaling",),
    unsaid=(("management", "autoRepair"),),
    dropped=("conditions", "etag", "instanceGroupUrls", "maxPodsConstraint", "selfLink", "status", "updateInfo"),
)
CLUSTER: Final = Message(
    kind=kinds.CLUSTER,
    link=re.compile(_CLUSTER_LINK + r"[^/]+$"),
    mark=("currentMasterVersion",),
    names=Names(
        inner={
            "locations": Names("nodeLocations"),
            "currentMasterVersion": Names("minMasterVersion"),
            "autoscaling": Names(
                "clusterAutoscaling",
                {
                    "enableNodeAutoprovisioning": Names("enabled"),
                    "autoprovisioningNodePoolDefaults": Names("autoProvisioningDefaults"),
                    "autoprovisioningLocations": Names("autoProvisioningLocations"),
                },
            ),
        }
    ),
    hoisted={
        "enableAutopilot": ("autopilot", "enabled"),
        "enableShieldedNodes": ("shieldedNodes", "enabled"),
        "enableLegacyAbac": ("legacyAbac", "enabled"),
        "datapathProvider": ("networkConfig", "datapathProvider"),
        "enableMultiNetworking": ("networkConfig", "enableMultiNetworking"),
        "enableIntranodeVisibility": ("networkConfig", "enableIntraNodeVisibility"),
        "defaultMaxPodsPerNode": ("defaultMaxPodsConstraint", "maxPodsPerNode"),
    },
    switched=("masterAuthorizedNetworksConfig",),
    # The node configuration and count of a cluster repeat those of its first pool; the pools are objects of their own.
    dropped=("conditions", "etag", "initialNodeCount", "nodeConfig", "nodePools", "selfLink", "status", "zone"),
    untranslated=("maintenancePolicy",),
)
FILESTORE: Final = Message(
    kind=kinds.FILESTORE,
    link=re.compile(r"^projects/(?P<project>[^/]+)/locations/(?P<location>[^/]+)/instances/(?P<name>[^/]+)$"),
    link_key="name",
    names=Names(),
    single=("fileShares",),
    dropped=("createTime", "etag", "name", "state", "statusMessage", "suspensionReasons"),
)
