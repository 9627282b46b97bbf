"""Rules about images: what runs tomorrow is what ran today."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.findings import Finding, Severity
from components.model.rule import Family
from components.model.rules.command import installation_in
from components.model.rules.image import REGISTRIES, is_pinned, meant_registry
from policies.objects.judging import object_rule
from policies.objects.pods import MAKERS, pod_groups

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.objects.world import Object

_IMAGES: Final = 'Kubernetes documentation "Images", read 2026-11'


@object_rule(
    "image-is-pinned",
    summary="images have a tag that is not moved",
    why="What ran yesterday may not be what runs after a restart.",
    source=_IMAGES,
    family=Family.GUARDRAILS,
    kinds=MAKERS,
    severity=Severity.WARNING,
)
def _image_is_pinned(owner: Object) -> Iterator[Finding]:
    for container in (each for group in pod_groups(owner) for each in group.all_containers):
        image = container.text("image")
        if image is not None and not is_pinned(image):
            yield Finding(
                place=container.place.at("image"),
                says=f"{image} names no fixed version.",
                remedy="Add the tag of a release, or a digest.",
            )


@object_rule(
    "registry-exists",
    summary="images name no misspelt host of a public registry",
    why="Nodes find no such host, and every pod waits in ImagePullBackOff while its slice is billed.",
    source=REGISTRIES,
    family=Family.GUARDRAILS,
    kinds=MAKERS,
    severity=Severity.WARNING,
)
def _registry_exists(owner: Object) -> Iterator[Finding]:
    for container in (each for group in pod_groups(owner) for each in group.all_containers):
        image = container.text("image")
        meant = None if image is None else meant_registry(image)
        if image is not None and meant is not None:
            yield Finding(
                place=container.place.at("image"),
                says=f"{image} is of {image.partition('/')[0]}, which is not a public registry.",
                remedy=f"Write {meant}, if that is meant.",
            )


@object_rule(
    "packages-are-in-the-image",
    summary="containers install no packages when they start",
    why="Each host of a slice, at each restart, may get other versions, or none where nodes have no way out.",
    source=_IMAGES,
    family=Family.GUARDRAILS,
    kinds=MAKERS,
    severity=Severity.WARNING,
)
def _packages_are_in_the_image(owner: Object) -> Iterator[Finding]:
    for container in (each for group in pod_groups(owner) for each in group.all_containers):
        for key in ("command", "args"):
            installs = installation_in(container.texts(key))
            if installs is not None:
                yield Finding(
                    place=container.place.at(key),
                    says=f"it runs {installs} in each container that starts.",
                    remedy="Build an image with the packages, and name it by its tag.",
                )


RUN_IMAGE_RULES: Final = (_image_is_pinned, _registry_exists, _packages_are_in_the_image)
