"""API names: their form for each kind of resource, the way back to their parts, and the addresses made of them."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from typing import Final

from simulator.cloud.api import Kind, invalid

_IAM_MEMBER: Final = re.compile(r"(?P<resource>.+?)/iam/(?P<role>(?:projects/[^/]+/)?roles/[^/]+)/(?P<member>.+)")
_API_HOSTS: Final = {
    "compute": "https://www.googleapis.com/compute/v1/",
    "container": "https://container.googleapis.com/v1/",
}


@cache
def _pattern(kind: Kind) -> re.Pattern[str]:
    if kind is Kind.IAM_MEMBER:
        return _IAM_MEMBER
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", kind.form))


def api_name(kind: Kind, **parts: str) -> str:
    """The API name of a resource of `kind`.

    >>> api_name(Kind.NETWORK, project="p", name="n")
    'projects/p/global/networks/n'
    """
    return kind.form.format(**parts)


def parts_of(kind: Kind, name: str) -> dict[str, str]:
    """What `name` is made of, by the words in the form of its kind.

    Raises:
        CloudError: INVALID_ARGUMENT: `name` is not a name of that kind.
    """
    match = _pattern(kind).fullmatch(name)
    if match is None:
        raise invalid(f"{name} is not the name of a {kind}: {kind.form}.")
    return match.groupdict()


def kind_of(name: str) -> Kind | None:
    """The kind that names of this form belong to; None when there is no such form."""
    return next((kind for kind in Kind if _pattern(kind).fullmatch(name)), None)


def short_name(reference: str) -> str:
    """The last part of a name, an address or a short name."""
    return reference.rsplit("/", 1)[-1]


def project_number(project: str) -> str:
    """The number of a project, here drawn from its id.

    >>> project_number("my-project") == project_number("my-project"), len(project_number("my-project"))
    (True, 12)
    """
    return str(10**11 + int(hashlib.sha256(project.encode()).hexdigest()[:15], 16) % (9 * 10**11))


def self_link(kind: Kind, name: str) -> str:
    """The address under which the API serves the resource (Compute Engine and GKE only)."""
    return _API_HOSTS[kind.partition(".")[0]] + name


def from_reference(kind: Kind, reference: str, **parts: str) -> str:
    """The API name that a field of another resource refers to: an address, an API name or a short name.

    `parts` complete a short name, such as the project and the region.

    >>> from_reference(Kind.NETWORK, "https://www.googleapis.com/compute/v1/projects/p/global/networks/n")
    'projects/p/global/networks/n'
    """
    found = re.search(r"projects/.*", reference)
    if found:
        return found.group()
    return api_name(kind, name=reference, **parts)
