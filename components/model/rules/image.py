"""Rules about images: that a registry can have them, and that what runs tomorrow is what ran today."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from components.model.findings import Finding, Severity
from components.model.plan.workloads import RedisPlan
from components.model.rule import Family, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.places import Place
    from components.model.plan import Plan

FAMILY: Final = Family.GUARDRAILS

_IMAGES: Final = 'Kubernetes documentation "Images", read 2026-11'
_REGISTRIES: Final = 'Google documentation "Repository and image names", read 2026-11'
_KNOWN: Final = (
    (re.compile(r"[a-z0-9-]+-docker\.pkg"), "dev"),
    (re.compile(r"(?:(?:us|eu|asia)\.)?gcr"), "io"),
    (re.compile(r"ghcr|quay|registry\.k8s"), "io"),
)
"""Hosts of public registries: what comes before the last dot, and what after it."""
_PRIVATE: Final = frozenset({"corp", "home", "internal", "lan", "local", "localdomain", "private"})
"""Top-level domains that networks of companies use for themselves: a mirror may be called so."""


def is_pinned(image: str) -> bool:
    """Whether an image is named by a tag that is not moved, or by a digest.

    >>> is_pinned("localhost:5000/jax:0.7.2"), is_pinned("localhost:5000/jax")
    (True, False)
    """
    _, _, tag = image.rpartition("/")[2].partition(":")
    return tag not in ("", "latest")


def _images(plan: Plan) -> Iterator[tuple[str, Place]]:
    """The images of all containers."""
    for work in (*plan.programs, *plan.redises):
        for container in (work, *(() if isinstance(work, RedisPlan) else work.pod.sidecars)):
            yield container.image, container.place.at("image")


@rule(
    summary="images have a tag that is not moved",
    why="What ran yesterday may not be what runs after a restart.",
    source=_IMAGES,
    severity=Severity.ADVICE,
)
def image_is_pinned(plan: Plan) -> Iterator[Finding]:
    """Checks the images of a stack file."""
    for image, place in _images(plan):
        yield from unpinned_image(image, place)


def unpinned_image(image: str, place: Place) -> Iterator[Finding]:
    """The image, which is named at the place, has no fixed version."""
    if not is_pinned(image):
        yield Finding(
            place=place,
            says=f"{image} names no fixed version.",
            remedy="Add the tag of a release, or a digest.",
        )


def meant_registry(image: str) -> str | None:
    """The host of the public registry that is meant where only the end of an image's host is another; else None.

    >>> meant_registry("us-docker.pkg.staging/lab/train:1.0"), meant_registry("us-docker.pkg.dev/lab/train:1.0")
    ('us-docker.pkg.dev', None)
    """
    host, slash, _ = image.partition("/")
    name, dot, domain = host.partition(":")[0].rpartition(".")
    if not (slash and dot) or domain in _PRIVATE:
        return None
    ends = [end for known, end in _KNOWN if known.fullmatch(name)]
    return f"{name}.{ends[0]}" if ends and ends[0] != domain else None


@rule(
    summary="images name no misspelt host of a public registry",
    why="Nodes find no such host, and every pod waits in ImagePullBackOff while its slice is billed.",
    source=_REGISTRIES,
    severity=Severity.WARNING,
)
def registry_exists(plan: Plan) -> Iterator[Finding]:
    """Checks the images of a stack file."""
    for image, place in _images(plan):
        yield from misspelt_registry(image, place)


def misspelt_registry(image: str, place: Place) -> Iterator[Finding]:
    """The name of the image at the place has a misspelt registry."""
    meant = meant_registry(image)
    if meant is not None:
        yield Finding(
            place=place,
            says=f"{image} is of {image.partition('/')[0]}, which is not a public registry.",
            remedy=f"Write {meant}, if that is meant.",
        )
