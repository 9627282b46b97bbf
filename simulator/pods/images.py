"""Which images have a program on this machine. All others are simulated by their command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simulator.pods.controllers import Controller
from simulator.pods.redis_server import RedisServer
from simulator.pods.trainer import Trainer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.pods.programs import ImageProgram

PROGRAMS: Final[tuple[ImageProgram, ...]] = (Controller("kueue"), Controller("jobset"), RedisServer(), Trainer())


def program_of(image: str, versions: Mapping[str, str]) -> ImageProgram | None:
    """The program that stands for `image`, or None when the image is simulated.

    Args:
        image: reference as in the pod, with tag or digest.
        versions: version of each built program on this machine, with a `v`.

    Raises:
        ImageError: the image is of a program that runs here, in another version.
    """
    repository, tag = split(image)
    for program in PROGRAMS:
        if program.is_behind(repository):
            program.check_tag(image, tag, versions)
            return program
    return None


def split(image: str) -> tuple[str, str]:
    """Repository and tag of an image reference; the digest is left out, and without a tag it is `latest`.

    >>> split("registry:5000/team/sleep")
    ('registry:5000/team/sleep', 'latest')
    """
    name = image.partition("@")[0]
    repository, colon, tag = name.rpartition(":")
    return (repository, tag) if colon and "/" not in tag else (name, "latest")
