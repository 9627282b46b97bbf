"""Which images have a program on this machine. All others are simulated by their command."""

from __future__ import annotations

from typing import Final

from simulator.pods.controllers import Controller
from simulator.pods.programs import ImageProgram, Releases, split
from simulator.pods.redis_server import RedisServer
from simulator.pods.trainer import Trainer

PROGRAMS: Final[tuple[ImageProgram, ...]] = (Controller("kueue"), Controller("jobset"), RedisServer(), Trainer())


def program_of(image: str, releases: Releases) -> ImageProgram | None:
    """The program that runs for `image`, or None when the image is simulated.

    Args:
        image: reference as in the pod, with tag or digest.
        releases: those of each program that is built here.

    Raises:
        ImageError: the image is a release that was not built of a program that runs here.
    """
    repository, tag = split(image)
    for program in PROGRAMS:
        if program.is_behind(repository):
            program.check_tag(image, tag, releases)
            return program
    return None
