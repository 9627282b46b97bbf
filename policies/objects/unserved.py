"""Kinds that no release serves, and what somebody meant by them: `kind: Jobset`, or a Job in `v1`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from components.model.facts.apis.served import groups
from components.model.findings import listing, nearest

_CORE: Final = "the core group"
_LIST: Final = "List"
_OF_PROGRAMS: Final = ("", "cloud.google.com", "monitoring.googleapis.com")
"""Groups in which programs have files of their own, such as the `v1` of kubectl's, or that have more kinds."""
_OF_THEIRS: Final = {("", "Config"), ("", "Template")}
"""Kinds of files of other programs that look like objects: kubectl's configuration, and OpenShift's templates."""
_OF_KUBERNETES: Final = ".k8s.io"
_OF_PROJECTS: Final = ".x-k8s.io"
"""How groups of Kubernetes itself end, and those of projects beside it, which borrow names: `scheduling.x-k8s.io`."""
_ALPHA: Final = re.compile(r"v[0-9]+alpha[0-9]+")


class Unserved(NamedTuple):
    """Why nobody serves a kind, and what would be served."""

    key: str
    """The one of the two fields that is wrong."""
    says: str
    remedy: str


@lru_cache(maxsize=256)
def unserved(api_version: str, kind: str) -> Unserved | None:
    """Why no release serves a kind; None where one does, and where nobody here knows the group.

    >>> unserved("jobset.x-k8s.io/v1alpha2", "Jobset")
    Unserved(key='kind', says='jobset.x-k8s.io has no kind Jobset.', remedy='Write JobSet.')
    >>> unserved("v1", "Job").remedy
    'Write batch/v1.'
    """
    group, _, version = api_version.rpartition("/")
    if (group, kind) in _OF_THEIRS:
        return None
    known = groups().get(group)
    if known is None:
        return _in_no_group(group, kind)
    versions = known.get(kind, known.get(kind.removesuffix(_LIST)))
    if versions is None:
        return _of_no_kind(group, kind)
    if version in versions or _is_on_its_way(group, version, versions):
        return None
    return Unserved("apiVersion", f"there is no {kind} of version {version}.", f"Write {_named(group, versions)}.")


def _is_on_its_way(group: str, version: str, known: tuple[str, ...]) -> bool:
    """Whether a kind of Kubernetes that was an alpha in every release known here may have left that state since."""
    is_alpha = all(_ALPHA.fullmatch(each) for each in known)
    return is_alpha and _is_of_kubernetes(group) and re.fullmatch("v[0-9]+(beta[0-9]+)?", version) is not None


def _is_of_kubernetes(group: str) -> bool:
    return group.endswith(_OF_KUBERNETES) and not group.endswith(_OF_PROJECTS)


def _of_no_kind(group: str, kind: str) -> Unserved | None:
    """A kind that its group does not have."""
    says = f"{_CORE if group == '' else group} has no kind {kind}."
    elsewhere = _elsewhere(kind)
    if elsewhere is not None:
        return Unserved("apiVersion", says, elsewhere)
    near = nearest(kind, groups()[group])
    if near is not None:
        return Unserved("kind", says, f"Write {near}.")
    return None if group in _OF_PROGRAMS else Unserved("kind", says, f"Kinds: {listing(list(groups()[group]))}.")


def _in_no_group(group: str, kind: str) -> Unserved | None:
    """A kind in a group that nobody here knows: one without a domain is Kubernetes' own, and there is none like it."""
    having = [name for name, known in groups().items() if kind in known]
    borrows = group.endswith(_OF_PROJECTS)
    near = nearest(group, [name for name in having if not (borrows and _is_of_kubernetes(name))])
    says = f"there is no API group {group}."
    if near is not None:
        return Unserved("apiVersion", says, f"Write {_named(near, groups()[near][kind])}.")
    if "." in group or not having:
        return None
    return Unserved("apiVersion", says, f"Write {_named(having[0], groups()[having[0]][kind])}.")


def _elsewhere(kind: str) -> str | None:
    """What to write for a kind that exactly one other group has."""
    having = [(group, known[kind]) for group, known in groups().items() if kind in known]
    return f"Write {_named(*having[0])}." if len(having) == 1 else None


def _named(group: str, versions: tuple[str, ...]) -> str:
    return listing([f"{group}/{version}" if group else version for version in versions], "or")
