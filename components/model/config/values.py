"""The kinds of single values that a stack file holds, each with what a user reads when a value is not of its kind.

A refusal has two texts: what is wrong with the value found, and what would be valid. Length budgets are rules, because
they are budgets of names derived from these.
"""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator

from components.model import gke, versions

if TYPE_CHECKING:
    from collections.abc import Callable


def _matching(pattern: str, says: str, valid: str) -> Callable[[str], str]:
    compiled = re.compile(pattern)

    def check(value: str) -> str:
        if compiled.fullmatch(value) is None:
            raise ValueError(f'"{value}" {says}.', valid)
        return value

    return check


def _parsed_by(parse: Callable[[str], object], says: str, valid: str) -> Callable[[str], str]:
    def check(value: str) -> str:
        try:
            parse(value)
        except ValueError as error:
            raise ValueError(f'"{value}" {says}.', valid) from error
        return value

    return check


GcpName = Annotated[
    str,
    AfterValidator(
        _matching(
            r"[a-z]([-a-z0-9]*[a-z0-9])?",
            "is not a name that Google Cloud takes",
            "Lower-case letters, digits and hyphens, beginning with a letter and ending with a letter or digit.",
        )
    ),
]
KubernetesName = Annotated[
    str,
    AfterValidator(
        _matching(
            r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?",
            "is not a name that Kubernetes takes in a label",
            "Up to 63 lower-case letters, digits and hyphens, beginning and ending with a letter or digit.",
        )
    ),
]
Ipv4Range = Annotated[
    str,
    AfterValidator(
        _parsed_by(
            ipaddress.IPv4Network,
            "is not a range of IPv4 addresses",
            "Such as 10.0.0.0/20, in which only the first 20 bits may be set.",
        )
    ),
]
Location = Annotated[
    str,
    AfterValidator(
        _matching(
            r"[a-z]+-[a-z]+\d+(-[a-z0-9]+)?",
            "is not a location",
            "A region such as us-west4, or a zone such as us-west4-a.",
        )
    ),
]
Zone = Annotated[
    str, AfterValidator(_matching(r"[a-z]+-[a-z]+\d+-[a-z0-9]+", "is not a zone", "A zone such as us-west4-a."))
]
GkeVersion = Annotated[
    str, AfterValidator(_parsed_by(gke.parse_version, "is not a full GKE version", "Such as 1.33.0-gke.1712000."))
]
ReleaseNumber = Annotated[
    str, AfterValidator(_parsed_by(versions.parse_release, "is not a release", "Three numbers, such as 0.16.2."))
]
Text = Annotated[
    str, AfterValidator(_matching(r"(?s).*\S.*", "is blank", "Give it a value, or leave an optional key out."))
]
