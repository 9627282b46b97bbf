"""The cluster that a stack file asks for, known before a program has read the file."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Final

from components.model.project import KEY, PROJECT
from components.model.stack_file.text import StackText
from components.model.stack_file.yaml_nodes import YamlTextError
from simulator.cloud.api import Kind
from simulator.cloud.machines import ClusterSpec
from simulator.cloud.names import api_name

if TYPE_CHECKING:
    from pathlib import Path

_PLATFORM: Final = ("config", f"{PROJECT}:{KEY}")
_CLUSTER: Final = (*_PLATFORM, "cluster")
_NETWORK: Final = (*_PLATFORM, "network")
_VALUES: Final = (
    ("config", "gcp:project"),
    (*_CLUSTER, "location"),
    (*_CLUSTER, "name"),
    (*_CLUSTER, "mode"),
    (*_NETWORK, "pods_cidr"),
    (*_NETWORK, "services_cidr"),
)


def expected_cluster(stack_file: Path) -> ClusterSpec | None:
    """The cluster that the stack file creates in a network that it creates.

    None where the file does not say it all, or cannot be read: the engine or the program reports that.
    """
    try:
        stack = StackText.parse(stack_file.name, stack_file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, YamlTextError):
        return None
    texts = [value for value in map(stack.value, _VALUES) if isinstance(value, str)]
    if len(texts) < len(_VALUES) or not all(map(_is_range, texts[-2:])):
        return None
    project, location, name, mode, pods, services = texts
    return ClusterSpec(
        name=api_name(Kind.CLUSTER, project=project, location=location, name=name),
        is_autopilot=mode == "autopilot",
        pod_range=pods,
        service_range=services,
    )


def _is_range(text: str) -> bool:
    try:
        return ipaddress.IPv4Network(text).num_addresses > 1
    except ValueError:
        return False
