"""Steps that somebody must take by hand before an update that upgrades a controller.

Helm installs what a chart has in its folder `crds/` and never changes it again. JobSet's definition lies there; Kueue's
are templates, so that its release changes them. docs/operations.md has all steps of an upgrade.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from components.model.facts import kinds, versions
from policies.objects.releases import chart_of, exact_version
from policies.objects.values import MalformedError, UndecidedError
from policies.report.blocks import Block, Group, Paragraph, Verbatim, plain
from policies.report.events import Op, Preview

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.world import Object
    from policies.report.sides import Side, Sides


class _First(Struct, frozen=True):
    """The steps before an upgrade; in both texts the releases can be named."""

    says: str
    command: str


_FIRST: Final = {
    versions.JOBSET: _First(
        "JobSet is upgraded from {before} to {after}: it restarts, which ends no work. Helm does not upgrade its "
        "CustomResourceDefinition: apply the new one first.",
        f"helm show crds {versions.JOBSET.chart} --version {{after}} "
        "| kubectl apply --server-side --force-conflicts -f -",
    ),
    versions.KUEUE: _First(
        "Kueue is upgraded from {before} to {after}: it restarts, which ends no work. First check whether objects are "
        "stored in an older version of its API.",
        "tpu migrate",
    ),
}


def blocks(preview: Preview, sides: Sides) -> Iterator[Block]:
    """For each controller that the update upgrades, what comes before it."""
    if sides.before is None or sides.after is None:
        return
    found: list[Block] = []
    for step in preview.of(Op.UPDATE):
        before, after = _released(sides.before, step.urn), _released(sides.after, step.urn)
        if before is not None and after is not None and before[0] == after[0]:
            found += _steps(before[0], before[1], after[1])
    if found:
        yield Group("What to do before the update", tuple(found), is_wide=True, is_needed=True)


def _steps(controller: versions.Controller, before: str, after: str) -> Iterator[Block]:
    if versions.parse_release(after) > versions.parse_release(before):
        first = _FIRST[controller]
        yield Paragraph(plain(first.says.format(before=before, after=after)))
        yield Verbatim(first.command.format(after=after), "sh")


def _released(side: Side, urn: str) -> tuple[versions.Controller, str] | None:
    """The controller that a release installs and its version; None for any other resource, or where it is not known."""
    seen = side.named.get(urn)
    if seen is None or seen.object.kind is not kinds.RELEASE:
        return None
    try:
        return _read(seen.object)
    except (MalformedError, UndecidedError):
        return None


def _read(release: Object) -> tuple[versions.Controller, str] | None:
    chart, version = chart_of(release), exact_version(release)
    found = next((each for each in _FIRST if each.name == chart), None)
    return None if found is None or version is None else (found, version)
