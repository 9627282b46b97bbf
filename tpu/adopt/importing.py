"""From a preview to an import: the file for `pulumi import`, and a state of no more than the program says.

`registered` reads what the program would register, from the engine's stream of a preview
(components/model/facts/engine.py).

`filled` writes ids in place of marks into the file of `pulumi preview --import-file`. An import has phases: Pulumi
reads the objects in a cluster through a provider that needs the kubeconfig, and knows the kubeconfig only once the
cluster is in the state. So resources that depend on an unknown value are left for the next phase.

`settled` reduces the inputs of imported Kubernetes objects to the fields that the program states. An import records the
whole object, with every default that the API server filled in. The engine takes them for inputs that the program no
longer gives: it would change the object, or replace one whose specification cannot change. A refresh records less: the
current values of the fields that were inputs before. Settling does the same for an import, for the fields of the
program's inputs. Values come from the cluster, never from the program, so real differences still show in the preview.

Sources of the ids, read 2026-11. Most forms, and that of releases, are in the sections on imports of pulumi_gcp 10.2.0
and pulumi_kubernetes 4.34.2; a test compares them. These types have no such section, or a different one:

- node pools: the section lists shorter forms; this is the first that the importer of the Terraform provider takes, and
  the id that it keeps (google/services/container/resource_container_node_pool.go);
- service accounts, roles in a project, buckets: the Terraform provider's pages google_service_account,
  google_project_iam and storage_bucket;
- roles on a bucket: the same section of BucketIAMBinding in the SDK of another language, which covers both;
- objects in a cluster: parseFqName of pulumi-kubernetes (provider/pkg/provider/util.go).

Tests import by these ids with the stand-in providers; no import was tried on Google Cloud.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from components.model.facts import engine
from components.model.findings import counted
from tpu.adopt.listings import section

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FORMS: Final = {
    "gcp:projects/service:Service": "{project}/{service}",
    "gcp:projects/iAMMember:IAMMember": "{project} {role} {member}",
    "gcp:compute/network:Network": "projects/{project}/global/networks/{name}",
    "gcp:compute/subnetwork:Subnetwork": "projects/{project}/regions/{region}/subnetworks/{name}",
    "gcp:compute/router:Router": "projects/{project}/regions/{region}/routers/{name}",
    "gcp:compute/routerNat:RouterNat": "projects/{project}/regions/{region}/routers/{router}/{name}",
    "gcp:compute/firewall:Firewall": "projects/{project}/global/firewalls/{name}",
    "gcp:compute/resourcePolicy:ResourcePolicy": "projects/{project}/regions/{region}/resourcePolicies/{name}",
    "gcp:serviceaccount/account:Account": (
        "projects/{project}/serviceAccounts/{accountId}@{project}.iam.gserviceaccount.com"
    ),
    "gcp:container/cluster:Cluster": "projects/{project}/locations/{location}/clusters/{name}",
    "gcp:container/nodePool:NodePool": "projects/{project}/locations/{location}/clusters/{cluster}/nodePools/{name}",
    "gcp:filestore/instance:Instance": "projects/{project}/locations/{location}/instances/{name}",
    "gcp:lustre/instance:Instance": "projects/{project}/locations/{location}/instances/{instanceId}",
    "gcp:compute/disk:Disk": "projects/{project}/zones/{zone}/disks/{name}",
    "gcp:storage/bucket:Bucket": "{project}/{name}",
    "gcp:storage/bucketIAMMember:BucketIAMMember": "b/{bucket} {role} {member}",
}
"""By type; in braces the inputs that an id is made of, and the project."""
_FIELD: Final = re.compile(r"\{(\w+)\}")
_RELEASE: Final = "kubernetes:helm.sh/v3:Release"
_KUBERNETES: Final = "kubernetes:"
_COPY: Final = "__inputs"


class PreviewError(Exception):
    """A file that the engine wrote does not say what it should; the text says which and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """A resource as the program would register it."""

    urn: str
    type: str
    op: str
    """What the preview would do: `create`, `same`, `update`, ..."""
    inputs: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Its logical name."""
        return engine.name_of(self.urn)


def registered(name: str, text: str) -> tuple[Registered, ...]:
    """Every resource that the program registers, in the order of the stream; `name` is the file's, for messages.

    Raises:
        PreviewError: it is not such a stream, or the preview failed.
    """
    found: dict[str, Registered] = {}
    result: object = None
    for event in _events(name, text):
        result = section(event, engine.SUMMARY_EVENT).get("result", result)
        metadata = section(event, engine.DECLARED_EVENT, "metadata")
        new, urn = section(metadata, "new"), metadata.get("urn")
        if new and isinstance(urn, str):
            found[urn] = Registered(
                urn=urn, type=str(metadata.get("type")), op=str(metadata.get("op")), inputs=section(new, "inputs")
            )
    if result != engine.SUCCEEDED:
        raise PreviewError(
            f"{name} does not contain a successful preview. Write it with PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true "
            "pulumi preview --json, and fix the errors that it reports."
        )
    return tuple(found.values())


def _events(name: str, text: str) -> Iterator[object]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            event = engine.read(line)
        except ValueError as error:
            raise PreviewError(f"{name}:{number} is not an event of the engine: {error}") from error
        yield event


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A phase."""

    document: dict[str, Any]
    """The file's content."""
    resources: int
    """How many of its entries exist outside of the state."""
    later: tuple[str, ...]
    """Resources that depend on a value that this phase makes known, as `type name`."""
    made: tuple[str, ...]
    """Resources that exist only in the state; `pulumi up` creates them."""


def parsed(name: str, text: str) -> dict[str, Any]:
    """The import file that the preview wrote.

    Raises:
        PreviewError: it is not such a file.
    """
    document = _json(name, text)
    if not isinstance(document, dict):
        raise PreviewError(f"{name} is not an import file: pulumi preview --import-file writes one")
    found = cast("dict[str, Any]", document)
    entries = found.get("resources", [])
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in cast("list[object]", entries)):
        raise PreviewError(f"{name} is not an import file: its resources are not a list of mappings")
    return found


def _json(name: str, text: str) -> object:
    try:
        return engine.read(text)
    except ValueError as error:
        raise PreviewError(f"{name} is not JSON: {error}") from error


def filled(document: Mapping[str, Any], resources: Iterable[Registered], project: str) -> Filled:
    """The entries whose ids are known, with their ids.

    Raises:
        PreviewError: the preview does not show an entry, or shows two resources that it may be.
    """
    shown = _by_type_and_name(resources)
    kept: list[dict[str, Any]] = []
    later: list[str] = []
    made: list[str] = []
    for entry in cast("list[dict[str, Any]]", document.get("resources", [])):
        type_, name = str(entry.get("type")), str(entry.get("logicalName", entry.get("name")))
        id_ = None if entry.get("component") else import_id(type_, _inputs(shown, type_, name), project)
        if entry.get("component"):
            kept.append(entry)
        elif not has_id(type_):
            made.append(f"{type_} {name}")
        elif id_ is None or engine.is_unknown(_provider(document, entry)):
            later.append(f"{type_} {name}")
        else:
            kept.append({**entry, "id": id_})
    return Filled(
        document=_document(document, kept),
        resources=sum("id" in each for each in kept),
        later=tuple(later),
        made=tuple(made),
    )


def _document(document: Mapping[str, Any], kept: list[dict[str, Any]]) -> dict[str, Any]:
    """The file without the names of unused providers."""
    named = {str(each[key]) for each in kept for key in ("parent", "provider") if key in each}
    tables = {
        key: {name: value for name, value in cast("dict[str, Any]", document.get(key, {})).items() if name in named}
        for key in ("nameTable", "providerInputs")
    }
    return {**{key: table for key, table in tables.items() if table}, "resources": kept}


def _provider(document: Mapping[str, Any], entry: Mapping[str, Any]) -> object:
    """The configuration of the provider that the entry's resource needs, where the file brings it."""
    return cast("dict[str, Any]", document.get("providerInputs", {})).get(str(entry.get("provider")))


def _inputs(shown: Mapping[tuple[str, str], list[Registered]], type_: str, name: str) -> Mapping[str, Any]:
    found = shown.get((type_, name), [])
    if len(found) != 1:
        raise PreviewError(
            f"the preview shows {counted(len(found), 'resource')} of type {type_} named {name}, but the import file "
            "has one of it"
        )
    return found[0].inputs


def _by_type_and_name(resources: Iterable[Registered]) -> dict[tuple[str, str], list[Registered]]:
    found: dict[tuple[str, str], list[Registered]] = {}
    for each in resources:
        found.setdefault((each.type, each.name), []).append(each)
    return found


def import_id(type_: str, inputs: Mapping[str, Any], project: str) -> str | None:
    """The id of a resource of that type; None where the type has none here, or a part of it is not known yet.

    `project` is that of the provider, for a resource that states none.
    """
    if type_ == _RELEASE:
        return _joined(inputs)
    if type_.startswith(_KUBERNETES):
        metadata = inputs.get("metadata")
        return _joined(cast("dict[str, Any]", metadata) if isinstance(metadata, dict) else {})
    form = FORMS.get(type_)
    if form is None:
        return None
    known = {"project": project, **{key: value for key, value in inputs.items() if value is not None}}
    values = {key: known.get(key) for key in _FIELD.findall(form)}
    if any(not isinstance(value, str) or engine.is_unknown(value) for value in values.values()):
        return None
    return form.format(**values)


def has_id(type_: str) -> bool:
    """Whether resources of that type exist outside of the state."""
    return type_ in FORMS or type_.startswith(_KUBERNETES)


def _joined(named: Mapping[str, Any]) -> str | None:
    """`namespace/name`, or the name alone of an object without a namespace."""
    name, namespace = named.get("name"), named.get("namespace")
    if not isinstance(name, str) or engine.is_unknown([name, namespace]):
        return None
    return f"{namespace}/{name}" if isinstance(namespace, str) else name


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A state that replaces the exported one."""

    state: dict[str, Any]
    objects: int
    """How many objects in the cluster record less than before."""
    kept: tuple[str, ...]
    """Objects that are left as they were imported, with the reason."""


def exported(name: str, text: str) -> dict[str, Any]:
    """A state that `pulumi stack export` wrote.

    Raises:
        PreviewError: it is not a state, or has another form.
    """
    found = section(_json(name, text))
    version = engine.STATE_VERSION
    if found.get("version") != version or not isinstance(section(found, "deployment").get("resources"), list):
        raise PreviewError(f"{name} is not a state of version {version} with resources: pulumi stack export writes one")
    return found


def settled(state: Mapping[str, Any], resources: Iterable[Registered]) -> Settled:
    """The state with narrower inputs; only resources that the program registers are touched."""
    wanted = {each.urn: each.inputs for each in resources if each.type.startswith(_KUBERNETES)}
    deployment = section(state, "deployment")
    objects, kept, entries = 0, list[str](), list[Any]()
    for entry in cast("list[dict[str, Any]]", deployment["resources"]):
        inputs = wanted.get(str(entry.get("urn")))
        if inputs is None:
            entries.append(entry)
            continue
        reason = _reason_to_keep(entry, inputs)
        if reason:
            kept.append(f"{entry['type']} {entry.get('id')}: {reason}")
            entries.append(entry)
            continue
        narrow = dict(inputs) if entry["type"] == _RELEASE else cut(inputs, entry.get("inputs"))
        objects += narrow != entry.get("inputs")
        entries.append({**entry, "inputs": narrow, **_outputs(entry, narrow)})
    return Settled(
        state={**state, "deployment": {**deployment, "resources": entries}}, objects=objects, kept=tuple(kept)
    )


def _outputs(entry: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs with these inputs: the official provider compares a release with a copy that it keeps there, hidden.

    Source: pulumi-kubernetes, provider/pkg/provider/helm_release.go, checkpointRelease.
    """
    outputs = section(entry, "outputs")
    if _COPY not in outputs:
        return {}
    hidden = {engine.SIGNATURE_KEY: engine.SECRET_SIGNATURE, "plaintext": json.dumps(inputs)}
    copy = hidden if engine.SIGNATURE_KEY in section(outputs, _COPY) else inputs
    return {"outputs": {**outputs, _COPY: copy}}


def _reason_to_keep(entry: Mapping[str, Any], inputs: Mapping[str, Any]) -> str:
    """Why an object must stay as it was imported; empty where it need not."""
    if engine.is_unknown(inputs):
        return "the program's inputs are not known yet; finish the import, preview again and settle then"
    if engine.SIGNATURE_KEY in json.dumps(entry.get("inputs")) or engine.HIDDEN in json.dumps(inputs):
        return "it holds a secret, which no preview shows"
    if entry["type"] == _RELEASE:
        return _other_release(section(entry, "outputs"), inputs)
    return ""


def _other_release(outputs: Mapping[str, Any], inputs: Mapping[str, Any]) -> str:
    """How an installed release differs from the program's; empty where it does not.

    Helm records name, version and values of a chart, and not where it came from.
    """
    status = section(outputs, "status")
    chart = str(inputs.get("chart")).rstrip("/").rpartition("/")[2]
    pairs = (
        ("chart", status.get("chart"), chart),
        ("version", status.get("version"), inputs.get("version")),
        ("values", section(outputs, "values"), section(inputs, "values")),
    )
    other = [what for what, there, declared in pairs if there != declared]
    return f"its {' and '.join(other)} are not the program's" if other else ""


def cut(declared: object, live: object) -> Any:  # noqa: ANN401  any part of a document
    """`live` cut down to the shape of `declared`; an empty value that the server leaves out is there all the same."""
    if isinstance(declared, dict) and isinstance(live, dict):
        wanted, found = cast("dict[str, Any]", declared), cast("dict[str, Any]", live)
        there = {key: cut(value, found[key]) for key, value in wanted.items() if key in found}
        return there | {key: value for key, value in wanted.items() if key not in found and value in ("", [], {})}
    if isinstance(declared, list) and isinstance(live, list):
        shape, items = cast("list[Any]", declared), cast("list[Any]", live)
        return [cut(shape[index], item) if index < len(shape) else item for index, item in enumerate(items)]
    return live
