"""The kinds of single values that a stack file holds, each with what a user reads when a value is not of its kind.

A refusal has two texts: what is wrong with the value found, and what would be valid. Length budgets are rules, because
they are budgets of names derived from these.
"""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator

from components.model import gke, quantities, versions

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
Timestamp = Annotated[
    str,
    AfterValidator(
        _matching(
            r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ",
            "is not a moment in UTC",
            'Written in quotes, such as "2026-12-20T00:00:00Z".',
        )
    ),
]
"""Moments in this one form are in the order of their texts."""
ServiceName = Annotated[
    str,
    AfterValidator(
        _matching(
            r"[a-z][-a-z0-9]*",
            "is not the short name of a Google Cloud API",
            "Its name before .googleapis.com, such as container.",
        )
    ),
]
AccountEmail = Annotated[
    str,
    AfterValidator(
        _matching(
            r"[^@\s]+@[^@\s]+\.gserviceaccount\.com",
            "is not the address of a service account",
            "Such as nodes@my-project.iam.gserviceaccount.com.",
        )
    ),
]
BucketName = Annotated[
    str,
    AfterValidator(
        _matching(
            r"[a-z0-9][-_a-z0-9]{1,61}[a-z0-9]",
            "is not a name that Cloud Storage takes",
            "3 to 63 lower-case letters, digits, hyphens and underscores, beginning and ending with a letter or digit.",
        )
    ),
]
StorageLocation = Annotated[
    str,
    AfterValidator(
        _matching(
            r"[A-Za-z]+(-[a-z]+\d+)?|[A-Z]+\d",
            "is not a location of buckets",
            "A region such as us-central1, or one of US, EU and ASIA.",
        )
    ),
]
ShareName = Annotated[
    str,
    AfterValidator(
        _matching(
            r"[A-Za-z][A-Za-z0-9_]{0,15}",
            "is not a name that Filestore takes for a share",
            "Up to 16 letters, digits and underscores, beginning with a letter.",
        )
    ),
]
BillingKey = Annotated[
    str,
    AfterValidator(
        _matching(
            r"[a-z][-_a-z0-9]{0,62}",
            "is not a key that Google Cloud takes for a label",
            "Up to 63 lower-case letters, digits, hyphens and underscores, beginning with a letter.",
        )
    ),
]
BillingValue = Annotated[
    str,
    AfterValidator(
        _matching(
            r"[-_a-z0-9]{0,63}",
            "is not a value that Google Cloud takes in a label",
            "Up to 63 lower-case letters, digits, hyphens and underscores.",
        )
    ),
]
NodeLabelKey = Annotated[
    str,
    AfterValidator(
        _matching(
            r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?",
            "is not a key that Kubernetes takes for a label",
            "Such as team, or example.com/team.",
        )
    ),
]
NodeLabelValue = Annotated[
    str,
    AfterValidator(
        _matching(
            r"([A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?)?",
            "is not a value that Kubernetes takes in a label",
            "Up to 63 letters, digits, hyphens, underscores and dots, beginning and ending with a letter or digit.",
        )
    ),
]
GkeVersion = Annotated[
    str, AfterValidator(_parsed_by(gke.parse_version, "is not a full GKE version", "Such as 1.33.0-gke.1712000."))
]
AmountText = Annotated[
    str,
    AfterValidator(
        _parsed_by(quantities.parse, "is not an amount", "Such as 24, 500m or 10Gi, in quotes if it is a number.")
    ),
]
ResourceName = Annotated[
    str,
    AfterValidator(
        _matching(
            r"cpu|memory|ephemeral-storage|[a-z0-9]([-.a-z0-9]*[a-z0-9])?/[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?",
            "is not a resource",
            "cpu, memory, ephemeral-storage, or a device such as nvidia.com/gpu.",
        )
    ),
]
VariableName = Annotated[
    str,
    AfterValidator(
        _matching(
            r"[A-Za-z_][A-Za-z0-9_]*",
            "is not the name of an environment variable",
            "Letters, digits and underscores, not beginning with a digit.",
        )
    ),
]
MountPath = Annotated[
    str,
    AfterValidator(_matching(r"(/[^/:]+)+", "is not a path to mount at", "An absolute path such as /mnt/fileserver.")),
]
ReleaseNumber = Annotated[
    str, AfterValidator(_parsed_by(versions.parse_release, "is not a release", "Three numbers, such as 0.16.2."))
]
Text = Annotated[
    str, AfterValidator(_matching(r"(?s).*\S.*", "is blank", "Give it a value, or leave an optional key out."))
]
