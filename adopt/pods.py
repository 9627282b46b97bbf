"""The keys of a stack file that pods of every kind of workload have, as listed pods have them.

What the stack would write otherwise, such as volumes of other names, is found when both documents are compared.
"""

from __future__ import annotations

from typing import Any, Final

from adopt.listings import InexpressibleError, Item, Listings, entries, section
from adopt.volumes import mount
from components.model.facts import failures, gcs_fuse, gke
from components.model.facts.pods import owner_of

_DEVICES: Final = (gke.RESOURCE_TPU, gke.RESOURCE_GPU)
"""Resources that other keys state."""
_OF_DRIVERS: Final = (gcs_fuse.ANNOTATION, *gcs_fuse.SIDECAR_LIMITS)
"""Annotations of pods that follow from their volumes."""
_SHELL: Final = ("bash", "-c")


def pod_keys(listings: Listings, namespace: str, item: Item, template: Item) -> dict[str, Any]:
    """The keys of a run, from its object and the template of its pods.

    A label of the user is on both; for pods beside the slices of a JobSet `item` is their template too.

    Raises:
        InexpressibleError: a variable or a volume is of a kind that no stack file states.
    """
    pod = section(template, "spec")
    written = _container(listings, namespace, pod, entries(pod, "containers")[0])
    account = pod.get("serviceAccountName")
    if account not in (None, "", "default"):
        written["service_account"] = account
    sidecars = [each for each in entries(pod, "initContainers") if each.get("restartPolicy") == "Always"]
    if sidecars:
        written["sidecars"] = [
            {**_named(each), **program(each), **_container(listings, namespace, pod, each)} for each in sidecars
        ]
    if pod.get("terminationGracePeriodSeconds") not in (None, failures.GRACE_SECONDS):
        written["grace_seconds"] = pod["terminationGracePeriodSeconds"]
    pull = [each.get("name") for each in entries(pod, "imagePullSecrets")]
    if pull:
        written["image_pull_secrets"] = pull
    users = {kind: _of_user(item, template, kind) for kind in ("labels", "annotations")}
    return {**written, **{kind: found for kind, found in users.items() if found}}


def _of_user(item: Item, template: Item, kind: str) -> dict[str, Any]:
    """Labels or annotations that the object and its pods have, and that nobody else sets."""
    of_pods = section(template, "metadata", kind)
    return {
        key: value
        for key, value in section(item, "metadata", kind).items()
        if of_pods.get(key) == value and owner_of(key) is None and key not in _OF_DRIVERS
    }


def _container(listings: Listings, namespace: str, pod: Item, container: Item) -> dict[str, Any]:
    volumes = {each.get("name"): each for each in entries(pod, "volumes")}
    written: dict[str, Any] = {
        "env": {each.get("name"): _value(each) for each in entries(container, "env")},
        "mounts": [
            mount(listings, namespace, each, volumes.get(each.get("name"), {}))
            for each in entries(container, "volumeMounts")
        ],
        "resources": {
            key: value for key, value in section(container, "resources", "limits").items() if key not in _DEVICES
        },
    }
    return {key: value for key, value in written.items() if value}


def _named(container: Item) -> dict[str, Any]:
    return {"name": container.get("name"), "image": container.get("image")}


def program(container: Item) -> dict[str, Any]:
    """The script, or the command and the arguments, of a container."""
    command, args = list(container.get("command") or ()), container.get("args")
    if tuple(command[:2]) == _SHELL and len(command) == len(_SHELL) + 1 and args is None:
        return {"script": command[2]}
    return {**({"command": command} if command else {}), **({} if args is None else {"args": args})}


def _value(variable: Item) -> object:
    """A variable's value, or where it is."""
    source = section(variable, "valueFrom")
    match source:
        case {"secretKeyRef": {"name": name, "key": key, **others}} if not others:
            return {"secret": name, "key": key}
        case {"configMapKeyRef": {"name": name, "key": key, **others}} if not others:
            return {"config_map": name, "key": key}
        case {"fieldRef": {"fieldPath": path}}:
            return {"field": path}
        case _ if source:
            raise InexpressibleError(
                f"its variable {variable.get('name')} comes from {', '.join(source)}, which a stack file does not state"
            )
        case _:
            return variable.get("value", "")
