"""The Secret Manager add-on: versions of secrets as files, by a SecretProviderClass.

A file keeps the value that the version had when the pod began; rotation is not modelled.

Source: GKE documentation of the add-on; the texts of kubernetes-sigs/secrets-store-csi-driver and of
GoogleCloudPlatform/secrets-store-csi-driver-provider-gcp as quoted in public issue reports, read 2026-11.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final, cast

import yaml

from components.kubeapi.documents import section
from simulator.cloud.api import CloudError
from simulator.files import write_whole
from simulator.pods.csi.request import Request, VolumeError, code_of

if TYPE_CHECKING:
    from pathlib import Path

NAME: Final = "secrets-store-gke.csi.k8s.io"
PROVIDER: Final = "gke"
_CLASSES: Final = "/apis/secrets-store.csi.x-k8s.io/v1/namespaces/{namespace}/secretproviderclasses/{name}"


def mount(request: Request) -> Path:
    """A folder with one file for each secret of the class.

    Raises:
        VolumeError: there is no such class, or one of its secrets does not exist or may not be read.
    """
    name = request.attributes.get("secretProviderClass", "")
    found = request.api.find(_CLASSES.format(namespace=request.namespace, name=name))
    if found is None:
        raise _failed(
            request,
            f"failed to get secretproviderclass {request.namespace}/{name}, error: "
            f'SecretProviderClass.secrets-store.csi.x-k8s.io "{name}" not found',
        )
    spec = section(found, "spec")
    if spec.get("provider") != PROVIDER:
        provider = spec.get("provider", "")
        raise _failed(request, f'error connecting to provider "{provider}": provider not found: provider "{provider}"')
    values = {path: _value(request, version) for path, version in _files(request, section(spec, "parameters")).items()}
    request.target.mkdir(parents=True, exist_ok=True, mode=0o700)
    for path, value in values.items():
        file = request.target / path
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not file.exists() or file.read_bytes() != value:
            write_whole(file, value)
    return request.target


def _files(request: Request, parameters: Any) -> dict[str, str]:  # noqa: ANN401  the user's object
    """The versions of secrets by the path of their file."""
    try:
        secrets: Any = yaml.safe_load(str(parameters.get("secrets", "")))
        found = {str(each["path"]): str(each["resourceName"]) for each in cast("list[dict[str, Any]]", secrets)}
    except (KeyError, TypeError, yaml.YAMLError) as error:
        text = f"rpc error: code = InvalidArgument desc = failed to unmarshal secrets attribute: {error}"
        raise _failed(request, text) from None
    for path in found:
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            raise _failed(request, f"rpc error: code = InvalidArgument desc = invalid path {path}")
    return found


def _value(request: Request, version: str) -> bytes:
    try:
        return request.storage.secret(version, request.identity)
    except CloudError as error:
        text = f"rpc error: code = {code_of(error)} desc = {error.message}"
        raise _failed(request, f"rpc error: code = Internal desc = {text}") from None


def _failed(request: Request, text: str) -> VolumeError:
    pod = f"{request.namespace}/{request.pod['metadata']['name']}"
    return request.failed("Unknown", f"failed to mount secrets store objects for pod {pod}, err: {text}")
