"""The kinds of single values that a stack file holds, each with the text a user reads when a value is not of its kind.

The texts follow the value: `"My_Net" is not a name here: ...`. Length budgets are rules, because they are budgets of
names derived from these.
"""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator

from components.model import gke, versions

if TYPE_CHECKING:
    from collections.abc import Callable


def _matching(pattern: str, otherwise: str) -> Callable[[str], str]:
    compiled = re.compile(pattern)

    def check(value: str) -> str:
        if compiled.fullmatch(value) is None:
            raise ValueError(f'"{value}" {otherwise}')
        return value

    return check


def _ipv4_range(value: str) -> str:
    try:
        ipaddress.IPv4Network(value)
    except ValueError as error:
        raise ValueError(f'"{value}" is not an IPv4 range: {error}. Such as 10.0.0.0/20.') from error
    return value


def _gke_version(value: str) -> str:
    gke.parse_version(value)
    return value


def _release_number(value: str) -> str:
    versions.parse_release(value)
    return value


GcpName = Annotated[
    str,
    AfterValidator(
        _matching(
            r"[a-z]([-a-z0-9]*[a-z0-9])?",
            "is not a name that Google Cloud takes: lower-case letters, digits and hyphens, beginning with a letter "
            "and ending with a letter or digit.",
        )
    ),
]
KubernetesName = Annotated[
    str,
    AfterValidator(
        _matching(
            r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?",
            "is not a name that Kubernetes takes in a label: up to 63 lower-case letters, digits and hyphens, "
            "beginning and ending with a letter or digit.",
        )
    ),
]
Ipv4Range = Annotated[str, AfterValidator(_ipv4_range)]
Location = Annotated[
    str,
    AfterValidator(
        _matching(r"[a-z]+-[a-z]+\d+(-[a-z0-9]+)?", "is not a region such as us-west4, nor a zone such as us-west4-a.")
    ),
]
Zone = Annotated[str, AfterValidator(_matching(r"[a-z]+-[a-z]+\d+-[a-z0-9]+", "is not a zone such as us-west4-a."))]
GkeVersion = Annotated[str, AfterValidator(_gke_version)]
ReleaseNumber = Annotated[str, AfterValidator(_release_number)]
Text = Annotated[str, AfterValidator(_matching(r"(?s).*\S.*", "is empty; leave the key out or give it a value."))]
