"""Which images have a program on this machine. All others are simulated by their command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class ImageProgram:
    """An image whose program runs here as a process."""

    repository: str
    """The end of the image's repository, so that a mirror or a staging registry counts too."""
    program: str
    """Name of the program in the toolchain."""


PROGRAMS: Final = (
    ImageProgram("/kueue/kueue", "kueue"),
    ImageProgram("/jobset/jobset", "jobset"),
)


class ImageError(Exception):
    """The image cannot be run; the text is what `kubectl describe pod` shows."""


def program_of(image: str, versions: Mapping[str, str]) -> str | None:
    """Name of the program that stands for `image`, or None when the image is simulated.

    Args:
        image: reference as in the pod, with tag or digest.
        versions: version of each program on this machine, with a `v`.

    Raises:
        ImageError: the image is of a program that runs here, in another version.
    """
    repository, tag = split(image)
    for entry in PROGRAMS:
        if repository.endswith(entry.repository):
            version = versions[entry.program]
            if tag != version:
                raise ImageError(f"the simulator runs {entry.program} {version}; image {image} is another version")
            return entry.program
    return None


def split(image: str) -> tuple[str, str]:
    """Repository and tag of an image reference; the digest is left out, and without a tag it is `latest`.

    >>> split("registry:5000/team/sleep")
    ('registry:5000/team/sleep', 'latest')
    """
    name = image.partition("@")[0]
    repository, colon, tag = name.rpartition(":")
    return (repository, tag) if colon and "/" not in tag else (name, "latest")
