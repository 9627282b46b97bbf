"""The keys of a stack file that pods of every kind of workload have, as listed pods have them.

What the stack would write otherwise, such as volumes of other names, is found when both documents are compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from adopt.listings import Item, entries, section
from components.model.config.pods import SCRATCH
from components.model.facts import gke
from components.model.facts.pods import owner_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DEVICES: Final = (gke.RESOURCE_TPU, gke.RESOURCE_GPU)
"""Resources that other keys state."""
_GRACE: Final = 30
"""Seconds that Kubernetes gives a pod that states none."""
_SHELL: Final = ("bash", "-c")


class InexpressibleError(Exception):
    """The stack file cannot state the run; the text says which part."""


def pod_keys(item: Item, template: Item) -> dict[str, Any]:
    """The keys of a run, from its object and the template of its pods.

    Raises:
        InexpressibleError: a variable or a volume is of a kind that no stack file states.
    """
    pod = section(template, "spec")
    written = dict(_container(entries(pod, "containers")[0], pod))
    account = pod.get("serviceAccountName")
    if account not in (None, "", "default"):
        written["service_account"] = account
    sidecars = [each for each in entries(pod, "initContainers") if each.get("restartPolicy") == "Always"]
    if sidecars:
        written["sidecars"] = [_sidecar(each, pod) for each in sidecars]
    if pod.get("terminationGracePeriodSeconds") not in (None, _GRACE):
        written["grace_seconds"] = pod["terminationGracePeriodSeconds"]
    pull = [each.get("name") for each in entries(pod, "imagePullSecrets")]
    if pull:
        written["image_pull_secrets"] = pull
    for kind in ("labels", "annotations"):
        of_pods = section(template, "metadata", kind)
        of_object = section(item, "metadata", kind)
        both = {key: each for key, each in of_object.items() if of_pods.get(key) == each and owner_of(key) is None}
        if both:
            written[kind] = both
    return written


def _container(container: Item, pod: Item) -> Iterator[tuple[str, Any]]:
    env = {each.get("name"): _value(each) for each in entries(container, "env")}
    if env:
        yield "env", env
    volumes = {each.get("name"): each for each in entries(pod, "volumes")}
    mounts = [_mount(each, volumes.get(each.get("name"), {})) for each in entries(container, "volumeMounts")]
    if mounts:
        yield "mounts", mounts
    amounts = {key: value for key, value in section(container, "resources", "limits").items() if key not in _DEVICES}
    if amounts:
        yield "resources", amounts


def _sidecar(container: Item, pod: Item) -> dict[str, Any]:
    written: dict[str, Any] = {"name": container.get("name"), "image": container.get("image")}
    return {**written, **program(container), **dict(_container(container, pod))}


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


def _mount(mount: Item, volume: Mapping[str, Any]) -> dict[str, Any]:
    written = {**_source(volume), "path": mount.get("mountPath")}
    if mount.get("readOnly") is True:
        written["read_only"] = True
    if mount.get("subPath"):
        written["sub_path"] = mount["subPath"]
    return written


def _source(volume: Mapping[str, Any]) -> dict[str, Any]:
    """What a mount of the volume names."""
    match volume:
        case {"persistentVolumeClaim": {"claimName": name}}:
            return {"claim": name}
        case {"name": name, "emptyDir": {"sizeLimit": size, **others}}:
            named = {} if name == SCRATCH else {"name": name}
            return {"ephemeral": size, **named, **({"in_memory": True} if others.get("medium") == "Memory" else {})}
        case {"secret": {"secretName": name}}:
            return {"secret": name}
        case {"configMap": {"name": name}}:
            return {"config_map": name}
        case _:
            kinds = [key for key in volume if key != "name"]
            raise InexpressibleError(
                f"it mounts a volume of kind {', '.join(kinds) or 'none'}, which a stack file does not state so"
            )
