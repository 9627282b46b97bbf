"""Rules about the images, commands and secrets of containers. No finding repeats a secret.

A Secret is not checked: it is where secrets belong, and nobody can see in it whether its text was encrypted before. So
it is with what a program keeps encrypted and hands to a chart, which makes a Secret of it. In a pod, a ConfigMap or the
metadata of nodes it is in clear all the same, encrypted as it may be in the state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.model.facts import kinds
from components.model.rules.command import (
    package_installation,
    packages_are_in_the_image,
    secret_in_clear,
    secret_is_not_in_clear,
)
from components.model.rules.image import image_is_pinned, misspelt_registry, registry_exists, unpinned_image
from components.model.secret_forms import secret_in, secret_in_argument
from policies.objects.judging import read_in_object
from policies.objects.pods import MAKERS, pod_groups
from policies.objects.values import SECRET, Leaf, Part, UndecidedError, Unknown, leaves, variables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from components.model.findings import Finding
    from components.model.places import Place
    from policies.objects.world import Object

_POD_REMEDY: Final = "Take it from a Secret: env.valueFrom.secretKeyRef, or a file of Secret Manager's CSI driver."


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
        yield from unpinned_image(image, place)


@read_in_object(registry_exists, kinds=MAKERS)
def _registry_exists(owner: Object) -> Iterator[Finding]:
    for image, place in _images(owner):
        yield from misspelt_registry(image, place)


@read_in_object(packages_are_in_the_image, kinds=MAKERS)
def _packages_are_in_the_image(owner: Object) -> Iterator[Finding]:
    for container in _containers(owner):
        for key in ("command", "args"):
            yield from package_installation(container.texts(key), container.place.at(key))


@read_in_object(secret_is_not_in_clear, kinds=(*MAKERS, kinds.CONFIG_MAP, kinds.RELEASE, kinds.NODE_POOL))
def _secret_is_not_in_clear(each: Object) -> Iterator[Finding]:
    unknown: list[Place] = []
    for place, what, remedy in _secrets(each, unknown):
        yield secret_in_clear(place, what, remedy=remedy)
    if unknown:
        raise UndecidedError(unknown[0])


def _secrets(each: Object, unknown: list[Place]) -> Iterator[tuple[Place, str, str]]:
    """Where secrets are, what they are, and where they belong; what is not known yet is noted."""
    if each.kind is kinds.CONFIG_MAP:
        remedy = "Put it into a Secret, filled from a secret of the stack's configuration or from Secret Manager."
        yield from _seen(each, leaves(each, "data"), secret_in, remedy, unknown)
    elif each.kind is kinds.RELEASE:
        remedy = "Let the chart read an existing Secret, or make it a secret of the stack's configuration."
        yield from _seen(each, leaves(each, "values"), secret_in, remedy, unknown)
    elif each.kind is kinds.NODE_POOL:
        remedy = "Let the node's account read it from Secret Manager."
        yield from _seen(each, leaves(each, "nodeConfig", "metadata"), secret_in, remedy, unknown)
    else:
        for group in pod_groups(each):
            for container in group.all_containers:
                yield from _seen(container, _variables(container), secret_in, _POD_REMEDY, unknown)
                for key in ("command", "args"):
                    yield from _seen(container, _words(container, key), secret_in_argument, _POD_REMEDY, unknown)


def _seen(
    part: Part,
    found: Iterator[Leaf],
    look: Callable[[str, str], str | None],
    remedy: str,
    unknown: list[Place],
) -> Iterator[tuple[Place, str, str]]:
    for path, name, value in found:
        what = look(name, value) if isinstance(value, str) else None
        if isinstance(value, Unknown):
            unknown.extend(() if value is SECRET else (part.place.at(*path),))
        elif what is not None:
            yield part.place.at(*path), what, remedy


def _variables(container: Part) -> Iterator[Leaf]:
    for index, (name, value) in enumerate(variables(container)):
        yield ("env", index, "value"), name, value


def _words(container: Part, key: str) -> Iterator[Leaf]:
    """The words of a command, each named by the option before it, if there is one."""
    option = ""
    for path, _, word in leaves(container, key):
        is_option = isinstance(word, str) and word.startswith("-")
        yield path, "" if is_option else option, word
        option = word if is_option and isinstance(word, str) else ""
