"""Helm releases of other programs: the chart, its version, and the installed release of a controller."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from policies.objects.values import MalformedError, UndecidedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.facts.versions import Controller
    from policies.objects.world import Object, World

_EXACT: Final = re.compile(r"v?(\d{1,9}\.\d{1,9}\.\d{1,9})([-+][0-9A-Za-z.+-]+)?")
_LOCAL: Final = ("./", "../", "/", "~")


def chart_of(release: Object) -> str | None:
    """The chart's name, without its repository; None where none is stated."""
    chart = release.text("chart")
    return None if chart is None else chart.rstrip("/").rpartition("/")[2]


def is_fetched(release: Object) -> bool:
    """Whether the chart comes from a repository by name and version, and not from files or an address."""
    chart = release.string("chart")
    return bool(chart) and not chart.startswith(_LOCAL) and not chart.endswith(".tgz")


def exact_version(release: Object) -> str | None:
    """The version, such as `0.16.2`, where exactly one is stated."""
    match = _EXACT.fullmatch(release.string("version"))
    return None if match is None else match[1]


@lru_cache(maxsize=2)
def installed(world: World, controller: Controller) -> str | None:
    """The release of a controller that the objects install, or the stack file beside them: `0.16.2`.

    None where it is not known, and where several are installed. Every object of the controller asks for it.
    """
    found = {*_of_releases(world, controller), *_of_deployments(world, controller)}
    if controller.name in world.releases:
        found.add(world.releases[controller.name])
    return found.pop() if len(found) == 1 else None


def _of_releases(world: World, controller: Controller) -> Iterator[str]:
    """The release by its chart."""
    for each in world.known(kinds.RELEASE):
        try:
            version = exact_version(each) if chart_of(each) == controller.name else None
        except (UndecidedError, MalformedError):
            continue
        if version is not None:
            yield version


def _of_deployments(world: World, controller: Controller) -> Iterator[str]:
    """The releases of those who install it by manifests: the tags of its image, from whatever registry."""
    image = re.compile(rf"(?:.*/)?{re.escape(controller.image.partition('/')[2])}:v(\d+\.\d+\.\d+)")
    for each in world.known(kinds.DEPLOYMENT):
        try:
            images = [part.string("image") for part in each.parts("spec", "template", "spec", "containers")]
        except (UndecidedError, MalformedError):
            continue
        yield from (match[1] for match in map(image.fullmatch, images) if match is not None)
