"""Rules about images: what runs tomorrow is what ran today."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.rules.command import installing, packages_are_in_the_image
from components.model.rules.image import image_is_pinned, misspelt, registry_exists, unpinned
from policies.objects.judging import read_in_object
from policies.objects.pods import MAKERS, pod_groups

if TYPE_CHECKING:
    from collections.abc import Iterator

    from components.model.findings import Finding
    from components.model.places import Place
    from policies.objects.values import Part
    from policies.objects.world import Object


def _containers(owner: Object) -> Iterator[Part]:
    for group in pod_groups(owner):
        yield from group.all_containers


def _images(owner: Object) -> Iterator[tuple[str, Place]]:
    for container in _containers(owner):
        image = container.text("image")
        if image is not None:
            yield image, container.place.at("image")


@read_in_object(image_is_pinned, kinds=MAKERS)
def _image_is_pinned(owner: Object) -> Iterator[Finding]:
    for image, place in _images(owner):
        yield from unpinned(image, place)


@read_in_object(registry_exists, kinds=MAKERS)
def _registry_exists(owner: Object) -> Iterator[Finding]:
    for image, place in _images(owner):
        yield from misspelt(image, place)


@read_in_object(packages_are_in_the_image, kinds=MAKERS)
def _packages_are_in_the_image(owner: Object) -> Iterator[Finding]:
    for container in _containers(owner):
        for key in ("command", "args"):
            yield from installing(container.texts(key), container.place.at(key))


RUN_IMAGE_RULES: Final = (_image_is_pinned, _registry_exists, _packages_are_in_the_image)
