"""The program behind an image that really runs here, and its surroundings in the place of a container.

A kind of program is a subclass of `ImageProgram`, listed in `images.py`. It says which images are its own and how its
container's command, arguments and environment become a process of this machine: bound to loopback ports, with the pod's
volumes as folders. `host_pod.py` has what is the same for all of them.
"""

from __future__ import annotations

import posixpath
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Protocol, TypeAlias

from simulator.pods.container_environment import expanded

if TYPE_CHECKING:
    from collections.abc import Callable

    from components.kubeapi import Api
    from components.kubeapi.documents import Document
    from simulator.certificates import Authority
    from simulator.pods.volumes import Volumes


Releases: TypeAlias = Mapping[str, Mapping[str, Path]]
"""By the name of a program that is built here: its executable by release, such as `v0.19.2`, the current one first."""


class ImageError(Exception):
    """The image cannot be run; the text is what `kubectl describe pod` shows."""


class ProgramError(Exception):
    """The pod's container cannot be started as a program here; the text says why."""


class Check(Protocol):
    """One question to a running program, asked again and again."""

    def answers(self) -> bool:
        """Whether the answer is good now."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The surroundings that a program is started in."""

    pod: Document
    container: Document
    folder: Path
    """The pod's folder, for files that the program needs."""
    volumes: Volumes
    kubeconfig: Path
    port: Callable[[int], int]
    """The loopback port in the place of a container port."""
    api: Api
    """The API server as its administrator."""
    authority: Authority
    """The cluster's certificate authority."""
    releases: Releases
    environment: Mapping[str, str]
    """The container's variables, those of Services included."""

    @property
    def command(self) -> list[str]:
        """The container's command, which replaces its image's entry point; empty to keep the entry point."""
        return [expanded(str(word), self.environment) for word in self.container.get("command") or ()]

    @property
    def arguments(self) -> list[str]:
        """The container's arguments."""
        return [expanded(str(word), self.environment) for word in self.container.get("args") or ()]

    def path(self, inside: str) -> Path:
        """Where a path inside the container is on this machine.

        What lies in no volume is below the pod's own folder, as it would be in the container's own file system; no `..`
        leads out of either.
        """
        whole = posixpath.normpath(f"/{inside.lstrip('/')}")
        mounted = self.volumes.path(self.container, whole)
        if mounted is not None:
            return mounted
        return self.folder / "root" / PurePosixPath(whole).relative_to("/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """A process to start in the place of a container."""

    arguments: list[str]
    """The executable first."""
    folder: Path
    """Its working directory."""
    environment: Mapping[str, str]
    """Its variables, besides `PATH` and `HOME`."""


class ImageProgram(ABC):
    """A program that runs here for every container of its images."""

    name: str
    """Its name in status lines."""

    @abstractmethod
    def is_behind(self, repository: str) -> bool:
        """Whether images of that repository run this program; mirrors count too."""

    @abstractmethod
    def check_tag(self, image: str, tag: str, releases: Releases) -> None:
        """Refuse an image whose tag promises another release than the program here.

        Args:
            image: the whole reference, for the message.
            tag: its tag.
            releases: those of each program that is built here.

        Raises:
            ImageError: the tag promises another release.
        """

    @abstractmethod
    def invocation(self, surroundings: Surroundings) -> Invocation:
        """The process for a container; files that it needs are written.

        Raises:
            ProgramError: the container asks for something that is not possible here.
        """

    def check(self, command: list[str], surroundings: Surroundings) -> Check:  # noqa: ARG002  most have none
        """The probe for an exec probe with that command.

        Raises:
            ProgramError: always, unless a program knows commands of its image.
        """
        raise ProgramError(f"the simulator does not run the probe's command {command} in a container of {self.name}")


def split(image: str) -> tuple[str, str]:
    """Repository and tag of an image reference; the digest is left out, and without a tag it is `latest`.

    >>> split("registry:5000/team/sleep")
    ('registry:5000/team/sleep', 'latest')
    """
    name = image.partition("@")[0]
    repository, colon, tag = name.rpartition(":")
    return (repository, tag) if colon and "/" not in tag else (name, "latest")
