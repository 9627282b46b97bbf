"""Kueue and JobSet as programs behind images: what their containers rely on, put on loopback.

Kueue and JobSet are controllers of one make: a configuration file names the addresses they bind, which in a container
is every interface, and in-cluster credentials lie at a fixed path. Here each gets its own loopback ports, a kubeconfig
with its ServiceAccount's token (so the chart's RBAC really applies) and its certificate folder; everything else in the
chart's configuration stays as it is.

Source: config APIs config.kueue.x-k8s.io/v1beta2 (Kueue 0.16.2) and config.jobset.x-k8s.io/v1alpha1 (JobSet 0.12.0).
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final, cast

import yaml

from components.kubeapi.documents import entries, section
from simulator.pods.programs import ImageError, ImageProgram, Invocation, ProgramError, Releases, Surroundings, split
from simulator.pods.volumes import write_files
from simulator.processes import go_variables

if TYPE_CHECKING:
    from pathlib import Path

    from components.kubeapi import Api

_WEBHOOK_PORT: Final = 9443
_HEALTH_ADDRESS: Final = ":8081"
_METRICS_ADDRESS: Final = ":8443"
"""The addresses of both controllers when their configuration names none."""
_PROFILING: Final = "pprofBindAddress"
_NOWHERE: Final = "0"
"""The address that turns a server off."""
_CERTIFICATES: Final = "/tmp/k8s-webhook-server/serving-certs"  # noqa: S108  a path inside the container
_CONFIG_FLAG: Final = "--config="
_GATES_FLAG: Final = "--feature-gates="


class Controller(ImageProgram):
    """A released controller; the tag of its image says which of the releases that were built."""

    def __init__(self, name: str) -> None:
        """`name` is that of the current release's tool and of the image: `kueue` or `jobset`."""
        self.name = name

    def is_behind(self, repository: str) -> bool:
        """Compare only the end of the repository, so that mirrors and staging registries match too."""
        return repository.endswith(f"/{self.name}/{self.name}")

    def check_tag(self, image: str, tag: str, releases: Releases) -> None:
        """Only a release that was built."""
        here = releases[self.name]
        if tag not in here:
            raise ImageError(f"the simulator runs {self.name} {' and '.join(here)}; image {image} is another version")

    def invocation(self, surroundings: Surroundings) -> Invocation:
        """The controller with its configuration on loopback.

        Raises:
            ProgramError: the container names no configuration file in a volume.
        """
        arguments = surroundings.arguments
        config = _configuration(arguments, surroundings)
        _bind_to_loopback(config, surroundings)
        if self.name == "kueue":
            arguments = _without_visibility(config, arguments)
        else:
            _issue_certificate(config, surroundings)
        path = surroundings.folder / "config.yaml"
        path.write_text(yaml.safe_dump(config))
        kept = [word for word in arguments if not word.startswith(_CONFIG_FLAG)]
        _, tag = split(str(surroundings.container["image"]))
        own = [f"{_CONFIG_FLAG}{path}", f"--kubeconfig={surroundings.kubeconfig}"]
        return Invocation(
            arguments=[str(surroundings.releases[self.name][tag]), *own, *kept],
            folder=surroundings.folder,
            environment={**go_variables(), **surroundings.environment},
        )


def _configuration(arguments: list[str], surroundings: Surroundings) -> dict[str, Any]:
    inside = next((word.removeprefix(_CONFIG_FLAG) for word in arguments if word.startswith(_CONFIG_FLAG)), None)
    path = None if inside is None else surroundings.volumes.path(surroundings.container, inside)
    if path is None or not path.is_file():
        raise ProgramError(f"the container names no configuration file in a mounted volume (found {inside})")
    try:
        config: object = yaml.safe_load(path.read_text())
    except yaml.YAMLError as error:
        raise ProgramError(f"configuration file {inside}: {error}") from error
    if not isinstance(config, dict):
        raise ProgramError(f"configuration file {inside} is not a mapping")
    return cast("dict[str, Any]", config)


def _bind_to_loopback(config: dict[str, Any], surroundings: Surroundings) -> None:
    """Bind every server to loopback; `surroundings` knows which of its ports replaces which of the container's."""
    health, metrics = config.setdefault("health", {}), config.setdefault("metrics", {})
    health["healthProbeBindAddress"] = _on_loopback(health.get("healthProbeBindAddress", _HEALTH_ADDRESS), surroundings)
    metrics["bindAddress"] = _on_loopback(metrics.get("bindAddress", _METRICS_ADDRESS), surroundings)
    if config.get(_PROFILING):
        config[_PROFILING] = _on_loopback(config[_PROFILING], surroundings)
    webhook = config.setdefault("webhook", {})
    webhook["host"] = "127.0.0.1"
    webhook["port"] = surroundings.port(int(webhook.get("port", _WEBHOOK_PORT)))
    webhook["certDir"] = str(_certificate_folder(surroundings))
    election = config.setdefault("leaderElection", {})
    # In a cluster the controller reads its namespace from the mounted ServiceAccount.
    election["resourceNamespace"] = surroundings.pod["metadata"]["namespace"]


def _on_loopback(address: object, surroundings: Surroundings) -> str:
    """The loopback address in the place of a listen address such as `:8081`."""
    if str(address) == _NOWHERE:
        return _NOWHERE
    return f"127.0.0.1:{surroundings.port(int(str(address).rpartition(':')[2]))}"


def _certificate_folder(surroundings: Surroundings) -> Path:
    return surroundings.volumes.path(surroundings.container, _CERTIFICATES) or surroundings.folder / "certificates"


def _without_visibility(config: dict[str, Any], arguments: list[str]) -> list[str]:
    """Turn off Kueue's visibility server, which loads in-cluster credentials and binds every interface."""
    if any(word.startswith(_GATES_FLAG) for word in arguments):
        return [f"{word},VisibilityOnDemand=false" if word.startswith(_GATES_FLAG) else word for word in arguments]
    config.setdefault("featureGates", {})["VisibilityOnDemand"] = False
    return arguments


def _issue_certificate(config: dict[str, Any], surroundings: Surroundings) -> None:
    """Replace JobSet's own certificate rotation, which writes to a fixed path of the machine."""
    management = config.setdefault("internalCertManagement", {})
    management["enable"] = False
    namespace = surroundings.pod["metadata"]["namespace"]
    service = management.get("webhookServiceName") or "jobset-webhook-service"
    pair = surroundings.authority.server("jobset-webhook", [f"{service}.{namespace}.svc", "127.0.0.1"])
    folder = surroundings.folder / "certificates"
    write_files(folder, {"tls.crt": pair.certificate.encode(), "tls.key": pair.key.encode()})
    config["webhook"]["certDir"] = str(folder)
    bundle = base64.b64encode(surroundings.authority.pair.certificate.encode()).decode()
    for kind in ("mutating", "validating"):
        _trust(surroundings.api, f"{kind}webhookconfigurations", f"jobset-{kind}-webhook-configuration", bundle)


def _trust(api: Api, plural: str, name: str, bundle: str) -> None:
    path = f"/apis/admissionregistration.k8s.io/v1/{plural}/{name}"
    found = api.find(path)
    if found is None:
        raise ProgramError(f"{plural} {name} does not exist, so JobSet's webhooks would never be called")
    webhooks = entries(found, "webhooks")
    for webhook in webhooks:
        section(webhook, "clientConfig")["caBundle"] = bundle
    api.merge(path, {"webhooks": webhooks})
