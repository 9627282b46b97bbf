"""A container's environment as a kubelet makes it: its own variables, those it takes from objects, those of Services.

There is no pod network here: the variables of a Service name the loopback address that leads to it
(`clusters/services.py`). Variables of the `kubernetes` Service are left out, because the credentials that go with them
lie at a fixed path of a container.

Source: Kubernetes 1.34, pkg/kubelet/kubelet_pods.go (order, missing objects) and pkg/kubelet/envvars (Services).
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, entries, section

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from components.kubeapi import Api

LOOPBACK: Final = "127.0.0.1"
_REFERENCE: Final = re.compile(r"\$\$|\$\((?P<name>[^()]*)\)")
_KEYED_FIELD: Final = re.compile(r"metadata\.(?P<map>labels|annotations)\['(?P<key>[^']+)'\]")


class ContainerConfigError(Exception):
    """A variable has no value (yet); the text is that of a kubelet."""


def expanded(text: str, variables: Mapping[str, str]) -> str:
    """`text` with every `$(NAME)` of a known variable replaced; `$$` stands for a dollar.

    >>> expanded("$(A) $(B) $$(A)", {"A": "1"})
    '1 $(B) $(A)'
    """

    def value(match: re.Match[str]) -> str:
        return "$" if match["name"] is None else variables.get(match["name"], match.group())

    return _REFERENCE.sub(value, text)


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentSource:
    """Where the variables of a pod's containers come from."""

    pod: Document
    address: str
    """The pod's IP."""
    api: Api
    service_port: Callable[[str, str, int], int]
    """The loopback port that leads to a port of a Service, by namespace and name."""

    def environment(self, container: Document) -> dict[str, str]:
        """The variables of a container of the pod.

        Raises:
            ContainerConfigError: an object or a key that a variable needs does not exist (yet), or it is taken from
                something that is not modelled.
            kubeapi.UnreachableError: the API server is gone.
        """
        services = self._services()
        found: dict[str, str] = {}
        for source in entries(container, "envFrom"):
            found |= self._whole_object(source)
        for variable in entries(container, "env"):
            if "valueFrom" in variable:
                value = self._taken(variable["name"], variable["valueFrom"])
            else:
                value = expanded(str(variable.get("value", "")), {**services, **found})
            if value is not None:
                found[variable["name"]] = value
        return {**services, **found}

    def _services(self) -> dict[str, str]:
        if section(self.pod, "spec").get("enableServiceLinks") is False:
            return {}
        found: dict[str, str] = {}
        for service in self.api.items(f"/api/v1/namespaces/{self._namespace}/services"):
            if service["metadata"]["name"] != "kubernetes":
                found |= dict(self._service(service))
        return found

    def _service(self, service: Document) -> Iterator[tuple[str, str]]:
        spec, name = section(service, "spec"), service["metadata"]["name"]
        ports = [port for port in entries(spec, "ports") if port.get("protocol", "TCP") == "TCP"]
        if spec.get("clusterIP") in (None, "", "None") or not ports:
            return
        prefix = _variable(name)
        yield f"{prefix}_SERVICE_HOST", LOOPBACK
        for index, port in enumerate(ports):
            here = str(self.service_port(self._namespace, name, port["port"]))
            if index == 0:
                yield f"{prefix}_SERVICE_PORT", here
                yield f"{prefix}_PORT", f"tcp://{LOOPBACK}:{here}"
            if port.get("name"):
                yield f"{prefix}_SERVICE_PORT_{_variable(port['name'])}", here
            link = f"{prefix}_PORT_{port['port']}_TCP"
            yield link, f"tcp://{LOOPBACK}:{here}"
            yield from ((f"{link}_PROTO", "tcp"), (f"{link}_PORT", here), (f"{link}_ADDR", LOOPBACK))

    def _whole_object(self, source: Document) -> dict[str, str]:
        kind = "secret" if "secretRef" in source else "configmap"
        reference = section(source, "secretRef" if kind == "secret" else "configMapRef")
        prefix = source.get("prefix", "")
        return {f"{prefix}{key}": value for key, value in self._object(kind, reference).items()}

    def _taken(self, name: str, source: Document) -> str | None:
        if "secretKeyRef" in source:
            return self._key("secret", source["secretKeyRef"])
        if "configMapKeyRef" in source:
            return self._key("configmap", source["configMapKeyRef"])
        if "fieldRef" in source:
            return self._field(source["fieldRef"]["fieldPath"])
        kind = ", ".join(sorted(source))
        raise ContainerConfigError(f"variable {name} is taken from {kind}, which the simulator does not model")

    def _key(self, kind: str, reference: Document) -> str | None:
        found = self._object(kind, reference)
        if reference["key"] in found:
            return found[reference["key"]]
        if reference.get("optional"):
            return None
        title = "Secret" if kind == "secret" else "ConfigMap"
        where = f"{title} {self._namespace}/{reference['name']}"
        raise ContainerConfigError(f"couldn't find key {reference['key']} in {where}")

    def _object(self, kind: str, reference: Document) -> dict[str, str]:
        """The data of an object; empty when an optional object does not exist."""
        name = reference["name"]
        found = self.api.find(f"/api/v1/namespaces/{self._namespace}/{kind}s/{name}")
        if found is None:
            if reference.get("optional"):
                return {}
            raise ContainerConfigError(f'{kind} "{name}" not found')
        data = section(found, "data")
        if kind == "secret":
            return {key: base64.b64decode(value).decode(errors="replace") for key, value in data.items()}
        return {key: str(value) for key, value in data.items()}

    def _field(self, path: str) -> str:
        metadata, spec = self.pod["metadata"], section(self.pod, "spec")
        keyed = _KEYED_FIELD.fullmatch(path)
        if keyed is not None:
            return str(section(metadata, keyed["map"]).get(keyed["key"], ""))
        known = {
            "metadata.name": metadata["name"],
            "metadata.namespace": metadata["namespace"],
            "metadata.uid": metadata["uid"],
            "spec.nodeName": spec.get("nodeName", ""),
            "spec.serviceAccountName": spec.get("serviceAccountName", "default"),
            "status.podIP": self.address,
            "status.podIPs": self.address,
        }
        if path not in known:
            raise ContainerConfigError(f"field {path} is not modelled by the simulator; it knows {', '.join(known)}")
        return str(known[path])

    @property
    def _namespace(self) -> str:
        return self.pod["metadata"]["namespace"]


def _variable(name: str) -> str:
    """A name in the form of a variable.

    >>> _variable("redis-leader")
    'REDIS_LEADER'
    """
    return name.upper().replace("-", "_")
