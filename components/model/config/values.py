"""The kinds of single values that a stack file holds, each with what a user reads when a value is not of its kind.

A refusal has two texts: what is wrong with the value found, and what would be valid. Length budgets are rules, because
they are budgets of names derived from these.
"""

from __future__ import annotations

import ipaddress
import re
from abc import abstractmethod
from datetime import date
from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Struct
from pydantic_core import CoreSchema, core_schema

from components.model.facts import gke, quantities, versions

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import GetCoreSchemaHandler


class _Taking(Struct, frozen=True):
    """An annotation of text, by which pydantic takes it or refuses it."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The schema of the text, and a call of this after it."""
        return core_schema.no_info_after_validator_function(self, handler(source))

    @abstractmethod
    def __call__(self, value: str) -> str:
        """The value, if it is of the kind.

        Raises:
            ValueError: it is not; with what is wrong, and what would be valid.
        """


class Matching(_Taking, frozen=True):
    """Takes text that matches a pattern as a whole, and refuses every other."""

    pattern: str
    """A regular expression, in the part of the language that Python and JSON schemas have in common."""
    says: str
    """The fault of the value, as a clause that follows it."""
    valid: str
    """The valid values, as a sentence."""

    def __call__(self, value: str) -> str:
        """The value, if it matches."""
        if re.fullmatch(self.pattern, value) is None:
            raise ValueError(f'"{value}" {self.says}.', self.valid)
        return value


class ParsedBy(_Taking, frozen=True):
    """Takes text that a function can parse, and refuses every other."""

    parse: Callable[[str], object]
    """Raises ValueError."""
    says: str
    valid: str
    """Both as of Matching."""

    def __call__(self, value: str) -> str:
        """The value, if it can be parsed."""
        try:
            self.parse(value)
        except ValueError as error:
            raise ValueError(f'"{value}" {self.says}.', self.valid) from error
        return value


GcpName = Annotated[
    str,
    Matching(
        r"[a-z]([-a-z0-9]*[a-z0-9])?",
        "is not a name that Google Cloud takes",
        "Lower-case letters, digits and hyphens, beginning with a letter and ending with a letter or digit.",
    ),
]
KubernetesName = Annotated[
    str,
    Matching(
        r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?",
        "is not a name that Kubernetes takes in a label",
        "Up to 63 lower-case letters, digits and hyphens, beginning and ending with a letter or digit.",
    ),
]


def _ipv4_range(text: str) -> None:
    """Refuses a single address and a mask in four numbers, which ipaddress takes and Google Cloud does not."""
    if re.fullmatch(r"[0-9.]+/[0-9]{1,2}", text) is None:
        raise ValueError(text)
    ipaddress.IPv4Network(text)


Ipv4Range = Annotated[
    str,
    ParsedBy(
        _ipv4_range,
        "is not a range of IPv4 addresses",
        "Such as 10.0.0.0/20, in which only the first 20 bits may be set.",
    ),
]
Location = Annotated[
    str,
    Matching(
        r"[a-z]+-[a-z]+[0-9]+(-[a-z0-9]+)?",
        "is not a location",
        "A region such as us-west4, or a zone such as us-west4-a.",
    ),
]
Region = Annotated[
    str,
    Matching(r"[a-z]+-[a-z]+[0-9]+", "is not a region", "A region such as us-west4, without a zone."),
]
Zone = Annotated[str, Matching(r"[a-z]+-[a-z]+[0-9]+-[a-z0-9]+", "is not a zone", "A zone such as us-west4-a.")]


def _day(text: str) -> None:
    """Refuses a day that its month does not have; what is not of the form at all is refused elsewhere."""
    if form := re.match(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T", text):
        date(*map(int, form.groups()))


Timestamp = Annotated[
    str,
    ParsedBy(_day, "is not a day of the calendar", "A date that exists."),
    Matching(
        r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z",
        "is not a time in UTC",
        'Written in quotes, such as "2026-12-20T00:00:00Z".',
    ),
]
"""Moments in this one form are in the order of their texts."""
ServiceName = Annotated[
    str,
    Matching(
        r"[a-z][-a-z0-9]*",
        "is not the short name of a Google Cloud API",
        "Its name before .googleapis.com, such as container.",
    ),
]
AccountEmail = Annotated[
    str,
    Matching(
        r"[^@\s]+@[^@\s]+\.gserviceaccount\.com",
        "is not the address of a service account",
        "Such as nodes@my-project.iam.gserviceaccount.com.",
    ),
]
BucketName = Annotated[
    str,
    Matching(
        r"(?!goog)(?!.*g[o0][o0]g[l1]e)[a-z0-9][-_a-z0-9]{1,61}[a-z0-9]",
        "is not a name that Cloud Storage takes",
        "3 to 63 lower-case letters, digits, hyphens and underscores, beginning and ending with a letter or digit. "
        "It must not begin with goog, nor contain google or a spelling like g00gle.",
    ),
]
"""Source: Cloud Storage documentation "About Cloud Storage buckets", read 2026-11. Names with dots are left out:
they belong to domains."""
StorageLocation = Annotated[
    str,
    Matching(
        r"[A-Za-z]+(-[a-z]+[0-9]+)?|[A-Z]+[0-9]",
        "is not a location of buckets",
        "A region such as us-central1, or one of US, EU and ASIA.",
    ),
]
ShareName = Annotated[
    str,
    Matching(
        r"[A-Za-z][A-Za-z0-9_]{0,15}",
        "is not a name that Filestore takes for a share",
        "Up to 16 letters, digits and underscores, beginning with a letter.",
    ),
]
FilesystemName = Annotated[
    str,
    Matching(
        r"[A-Za-z][A-Za-z0-9]{0,7}",
        "is not a name that Managed Lustre takes for a file system",
        "Up to 8 letters and digits, beginning with a letter.",
    ),
]
BillingKey = Annotated[
    str,
    Matching(
        r"[a-z][-_a-z0-9]{0,62}",
        "is not a key that Google Cloud takes for a label",
        "Up to 63 lower-case letters, digits, hyphens and underscores, beginning with a letter.",
    ),
]
BillingValue = Annotated[
    str,
    Matching(
        r"[-_a-z0-9]{0,63}",
        "is not a value that Google Cloud takes in a label",
        "Up to 63 lower-case letters, digits, hyphens and underscores.",
    ),
]
QUALIFIED_NAME: Final = r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?"
NodeLabelKey = Annotated[
    str,
    Matching(
        QUALIFIED_NAME,
        "is not a key that Kubernetes takes for a label",
        "Such as team, or example.com/team.",
    ),
]
NodeLabelValue = Annotated[
    str,
    Matching(
        r"([A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?)?",
        "is not a value that Kubernetes takes in a label",
        "Up to 63 letters, digits, hyphens, underscores and dots, beginning and ending with a letter or digit.",
    ),
]
GkeVersion = Annotated[str, ParsedBy(gke.parse_version, "is not a full GKE version", "Such as 1.33.0-gke.1712000.")]
AmountText = Annotated[
    str,
    ParsedBy(quantities.parse, "is not an amount", "Such as 24, 500m or 10Gi, in quotes if it is a number."),
]
ResourceName = Annotated[
    str,
    Matching(
        r"cpu|memory|ephemeral-storage|[a-z0-9]([-.a-z0-9]*[a-z0-9])?/[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?",
        "is not a resource",
        "cpu, memory, ephemeral-storage, or a device such as nvidia.com/gpu.",
    ),
]
VariableName = Annotated[
    str,
    Matching(
        r"[A-Za-z_][A-Za-z0-9_]*",
        "is not the name of an environment variable",
        "Letters, digits and underscores, not beginning with a digit.",
    ),
]
MountPath = Annotated[
    str,
    Matching(r"(/[^/:]+)+", "is not a path to mount at", "An absolute path such as /mnt/fileserver."),
]
ReleaseNumber = Annotated[str, ParsedBy(versions.parse_release, "is not a release", "Three numbers, such as 0.19.2.")]
NOT_BLANK: Final = Matching(r"[\s\S]*\S[\s\S]*", "is blank", "Give it a value, or leave an optional key out.")
Text = Annotated[str, NOT_BLANK]
"""Whatever is not blank."""
_HOST_PART: Final = "[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?"
_PATH_PART: Final = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_TAG: Final = ":[A-Za-z0-9_][-.A-Za-z0-9_]{0,127}"
_DIGEST: Final = "@(?:sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128})"
_HOST: Final = rf"(?:{_HOST_PART}(?:\.{_HOST_PART})*|\[[0-9a-fA-F:]+\])(?::[0-9]+)?"
ImageReference = Annotated[
    str,
    NOT_BLANK,
    Matching(
        rf"(?:{_HOST}/)?{_PATH_PART}(?:/{_PATH_PART})*(?:{_TAG})?(?:{_DIGEST})?",
        "is not a reference to an image",
        "Such as us-docker.pkg.dev/project/repository/image:1.0, in lower case except for the host and the tag.",
    ),
]
"""Sources: github.com/distribution/reference 0.6.0 and opencontainers/go-digest 1.0.0, by which a kubelet reads it."""
