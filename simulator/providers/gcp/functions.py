"""Functions of the package `gcp`: a program reads resources that exist, without making them part of its stack.

A function shows a cluster in the form of Terraform's data source: every block is a list with a name in the plural,
however many there can be. The answer leaves out what the tables do not model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from simulator.cloud import gke_versions
from simulator.cloud.api import CloudError, Kind
from simulator.cloud.names import api_name, project_number, short_name
from simulator.providers.base import ProviderError
from simulator.providers.gcp.cluster import Cluster
from simulator.providers.gcp.node_pool import NodePool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from simulator.providers.bridged.fields import Field
    from simulator.providers.gcp.calls import Calls
    from simulator.providers.values import Properties, Value

GET_CLUSTER: Final = "gcp:container/getCluster:getCluster"
GET_ENGINE_VERSIONS: Final = "gcp:container/getEngineVersions:getEngineVersions"
GET_PROJECT: Final = "gcp:organizations/getProject:getProject"
GET_SECRET: Final = "gcp:secretmanager/getSecret:getSecret"  # noqa: S105  a name
_ARGUMENTS: Final = frozenset(("location", "name", "project", "skipNodePoolRefresh"))
_NOT_OF_A_BLOCK: Final = ("cluster", "deletionPolicy", "location", "operation", "project")
"""Properties that a node pool has only as a resource."""


def get_cluster(calls: Calls, arguments: Properties) -> Properties:
    """A cluster of the project, whoever made it.

    Raises:
        ProviderError: there is no such cluster, or an argument is not modelled.
    """
    _check_arguments(GET_CLUSTER, arguments, _ARGUMENTS)
    cluster, pool = Cluster(), NodePool()
    name = cluster.api_name(calls.settings, arguments)
    body = cluster.get(calls.cloud, name)
    if body is None:
        raise ProviderError(f"{name} not found")
    place = cluster.place(calls.settings, arguments)
    outputs = cluster.outputs(calls, name, body, {**place})
    labels: Properties = body.get("resourceLabels", {})
    pools: list[Value] = []
    if not arguments.get("skipNodePoolRefresh"):
        for each in calls.cloud.list(Kind.NODE_POOL, f"{name}/"):
            known: Properties = {**place, "cluster": short_name(name)}
            shown = _as_data(pool.fields, pool.outputs(calls, str(each["apiName"]), each, known))
            pools.append({key: value for key, value in shown.items() if key not in _NOT_OF_A_BLOCK})
    whole = _as_data(cluster.fields, outputs) | {"effectiveLabels": labels, "resourceLabels": labels}
    return {**whole, "id": name, "nodePools": pools}


def get_engine_versions(calls: Calls, arguments: Properties) -> Properties:
    """The versions that a location offers, newest first; every channel has the newest as its default.

    Raises:
        ProviderError: an argument is not modelled, or no location is known.
    """
    _check_arguments(GET_ENGINE_VERSIONS, arguments, frozenset(("location", "project", "versionPrefix")))
    prefix = arguments.get("versionPrefix") or ""
    offered: list[Value] = [version for version in reversed(gke_versions.OFFERED) if version.startswith(str(prefix))]
    newest = offered[0] if offered else ""
    by_channel: Properties = dict.fromkeys(gke_versions.CHANNELS, gke_versions.OFFERED[-1])
    place = {"project": calls.settings.project_of(arguments), "location": calls.settings.location_of(arguments)}
    return {
        **place,
        "id": f"{place['project']}/{place['location']}",
        "versionPrefix": prefix,
        "defaultClusterVersion": gke_versions.OFFERED[-1],
        "latestMasterVersion": newest,
        "latestNodeVersion": newest,
        "validMasterVersions": offered,
        "validNodeVersions": offered,
        "releaseChannelDefaultVersion": by_channel,
        "releaseChannelLatestVersion": by_channel,
        "releaseChannelUpgradeTargetVersion": by_channel,
    }


def get_project(calls: Calls, arguments: Properties) -> Properties:
    """A project, which need not exist here; its number is drawn from its id.

    Raises:
        ProviderError: an argument is not modelled, or no project is known.
    """
    _check_arguments(GET_PROJECT, arguments, frozenset(("projectId",)))
    project = str(arguments.get("projectId") or calls.settings.project_of({}))
    return {
        "id": f"projects/{project}",
        "projectId": project,
        "name": project,
        "number": project_number(project),
        "labels": {},
        "effectiveLabels": {},
    }


def get_secret(calls: Calls, arguments: Properties) -> Properties:
    """A secret of Secret Manager without its value.

    Raises:
        ProviderError: there is no such secret, or an argument is not modelled.
    """
    _check_arguments(GET_SECRET, arguments, frozenset(("project", "secretId")))
    project, secret = calls.settings.project_of(arguments), arguments.get("secretId")
    name = api_name(Kind.CONFIDENTIAL, project=project, name=str(secret))
    try:
        body = calls.cloud.get(name)
    except CloudError as error:
        if error.status != "NOT_FOUND":
            raise
        raise ProviderError(f"{name} not found") from None
    labels: Properties = body.get("labels", {})
    return {
        "id": name,
        "name": name,
        "project": project,
        "secretId": secret,
        "createTime": body["createTime"],
        "labels": labels,
        "effectiveLabels": labels,
    }


FUNCTIONS: Final[Mapping[str, Callable[[Calls, Properties], Properties]]] = {
    GET_CLUSTER: get_cluster,
    GET_ENGINE_VERSIONS: get_engine_versions,
    GET_PROJECT: get_project,
    GET_SECRET: get_secret,
}
"""The arguments that are modelled."""


def _check_arguments(function: str, arguments: Properties, modelled: frozenset[str]) -> None:
    unknown = [key for key in sorted(arguments.keys() - modelled) if arguments[key] is not None]
    if unknown:
        raise ProviderError(f"{function} has no argument {', '.join(unknown)}")


def plural(name: str) -> str:
    """The name of a block in a data source.

    >>> plural("masterAuth"), plural("ipAllocationPolicy"), plural("upgradeSettings")
    ('masterAuths', 'ipAllocationPolicies', 'upgradeSettings')
    """
    if name.endswith("s"):
        return f"{name}es" if name.endswith("Prometheus") else name
    return f"{name.removesuffix('y')}ies" if name.endswith("y") else f"{name}s"


def _as_data(fields: Mapping[str, Field], properties: Properties) -> Properties:
    shown: Properties = {}
    for name, value in properties.items():
        field = fields.get(name)
        if field is None or not field.fields:
            shown[name] = value
        elif isinstance(value, list):
            shown[name] = [_as_data(field.fields, cast("Properties", item)) for item in cast("list[Any]", value)]
        elif isinstance(value, dict):
            shown[plural(name)] = [_as_data(field.fields, value)]
    return shown
