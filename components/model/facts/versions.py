"""Which releases of JobSet and Kueue are installed unless the stack file says otherwise: the tested ones.

Charts come from the projects' published OCI references. Their image values are pinned as well: a chart taken from the
source tree points at a staging image that is rebuilt under the same tag.

Source: the two charts' `Chart.yaml` and `values.yaml` at these releases, read 2026-11.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from components.model.facts.apis.fields import parse_minor
from components.model.facts.apis.served import RELEASES


class Controller(Struct, frozen=True, kw_only=True):
    """A controller that is installed by Helm."""

    name: str
    """Name of its Helm release."""
    title: str
    """As people write it."""
    chart: str
    """OCI reference of the chart, without version."""
    image: str
    """Image repository; the tag is `v` and the version."""
    version: str
    """The tested release."""
    namespace: str
    has_templated_crds: bool
    """Whether its CRDs are templates of the chart. Helm installs others once, and never changes or removes them."""
    minimum_version: str | None
    """Oldest release that understands what we write, where there is a known one."""
    why_minimum: str
    """The reason, as a clause that can follow a colon; empty without a minimum."""
    oldest: str
    """The oldest supported minor release: a test compares what we write with what each release from it on serves."""

    def supports(self, release: str) -> bool:
        """Whether a release such as `0.16.2` is of a minor release from the oldest one to the tested one."""
        return parse_minor(self.oldest) <= parse_minor(release) <= parse_minor(self.version)


JOBSET: Final = Controller(
    name="jobset",
    title="JobSet",
    chart="oci://registry.k8s.io/jobset/charts/jobset",
    image="registry.k8s.io/jobset/jobset",
    version="0.12.0",
    namespace="jobset-system",
    has_templated_crds=False,
    minimum_version=None,
    why_minimum="",
    oldest=RELEASES["jobset"].oldest,
)

KUEUE: Final = Controller(
    name="kueue",
    title="Kueue",
    chart="oci://registry.k8s.io/kueue/charts/kueue",
    image="registry.k8s.io/kueue/kueue",
    version="0.19.2",
    namespace="kueue-system",
    has_templated_crds=True,
    minimum_version="0.15.0",
    why_minimum="everything here is written in kueue.x-k8s.io/v1beta2, which it was the first to serve",
    oldest=RELEASES["kueue"].oldest,
)


def parse_release(text: str) -> tuple[int, ...]:
    """A release such as `0.19.2` as numbers that compare in the order of the releases.

    >>> parse_release("0.9.1") < parse_release("0.19.2")
    True

    Raises:
        ValueError: `text` is not three numbers joined by dots.
    """
    parts = text.split(".")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):  # noqa: PLR2004  major, minor, patch
        raise ValueError(f"{text} is not a release such as 0.19.2")
    return tuple(int(part) for part in parts)
