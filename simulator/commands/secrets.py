"""`secret`: a value for a secret of Secret Manager, which on Google Cloud its owner sets with gcloud."""

from __future__ import annotations

import base64
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.client import RemoteCloud, ensure
from simulator.cloud.api import CloudApi, CloudError, Kind
from simulator.cloud.names import api_name
from simulator.cloud.secrets import next_version
from simulator.commands import CommandError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from simulator.home import Home

_STANDARD_INPUT = "-"


def secret(home: Home, name: str, project: str, file: str) -> Iterator[str]:
    """Give a secret the content of a file as its newest version; a secret that does not exist yet is made.

    Args:
        home: the simulator's folder.
        name: the secret's name.
        project: its project.
        file: a path, or `-` for standard input.

    Raises:
        CommandError: the cloud refuses the secret, or the file cannot be read.
    """
    try:
        value = sys.stdin.buffer.read() if file == _STANDARD_INPUT else Path(file).read_bytes()
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}") from error
    version = add_version(RemoteCloud(ensure(home)), api_name(Kind.CONFIDENTIAL, project=project, name=name), value)
    yield f"created version {version.rpartition('/')[2]} of {version.rpartition('/versions/')[0]}"


def add_version(cloud: CloudApi, secret: str, value: bytes, labels: Mapping[str, str] | None = None) -> str:
    """Give a secret (an API name) a value: the API name of its version. A secret that is missing is made, with labels.

    Raises:
        CommandError: the cloud refuses the secret.
    """
    try:
        if all(each["apiName"] != secret for each in cloud.list(Kind.CONFIDENTIAL)):
            cloud.create(Kind.CONFIDENTIAL, secret, {"labels": dict(labels)} if labels else {})
        version = next_version(cloud, secret)
        cloud.create(Kind.CONFIDENTIAL_VERSION, version, {"payload": {"data": base64.b64encode(value).decode()}})
    except CloudError as error:
        raise CommandError(error.message) from error
    return version
