"""The trainer of batch-ml behind its image: the same program, `payloads.fraud_detection` of this checkout.

The simulator starts no other program for the image, whatever the container's command says. It runs on the Python of the
simulator, so the tag of the image does not matter here. Arguments that are paths in the container become paths of its
volumes or of its own folder on this machine. The users of images are not simulated: a pod's program runs as the user
who started the simulator, so `prepare` gives folders to that user instead of the image's.

Source: examples/trainer/payloads/fraud_detection/Dockerfile (entry point, command, variables, working directory) and
__main__.py (where the volume is expected), compared by a test.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import re
import sys
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from simulator.pods.programs import ImageProgram, Invocation, ProgramError, Releases, Surroundings

if TYPE_CHECKING:
    from collections.abc import Callable

MODULE: Final = "payloads.fraud_detection"
COMMAND: Final = ("work",)
"""The image's command, used when the container names none."""
VARIABLES: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""The image's variables; the container's own take precedence."""
WORKING_FOLDER: Final = "/opt/payloads"
SHARE_VARIABLE: Final = "SHARE_PATH"
SHARE: Final = "/mnt/fileserver"
"""Where the program expects the volume when that variable does not say otherwise."""

_REPOSITORY: Final = re.compile(r"(?:[^/]+/)*fraud-detection")
_PYTHON: Final = re.compile(r"python(?:3(?:\.\d+)?)?")
_PACKAGES: Final = ("redis", "sklearn")
_OF_THE_INTERPRETER: Final = ("DYLD_", "LD_", "PYTHON")
"""Beginnings of variables that change which program is run, whatever its name."""
_PATH_FLAGS: Final = ("--share", "--to")
_OWNER_FLAG: Final = "--owner"
_PREPARE: Final = "prepare"


class Trainer(ImageProgram):
    """The trainer, from any registry."""

    name = "fraud-detection"

    def is_behind(self, repository: str) -> bool:
        """An image that is called `fraud-detection`."""
        return _REPOSITORY.fullmatch(repository) is not None

    def check_tag(self, image: str, tag: str, releases: Releases) -> None:
        """Any tag: the trainer of this checkout runs."""

    def invocation(self, surroundings: Surroundings) -> Invocation:
        """The program with the container's arguments.

        Raises:
            ProgramError: the container starts something else, or a package that the program needs is not installed.
        """
        missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
        if missing:
            raise ProgramError(f"pods of {self.name} need {', '.join(missing)}: install requirements-dev.txt")
        inside = PurePosixPath("/", str(surroundings.container.get("workingDir", WORKING_FOLDER)))
        folder = surroundings.path(str(inside))
        folder.mkdir(parents=True, exist_ok=True)
        variables = surroundings.environment
        refused = [name for name in variables if name.startswith(_OF_THE_INTERPRETER)]
        if refused:
            raise ProgramError(f"{', '.join(refused)}: the simulator starts {self.name} on a Python of its own")
        shared = surroundings.path(variables.get(SHARE_VARIABLE, SHARE))
        # Modules come from the checkout, not from the working directory, which may be a folder of a volume.
        own = {SHARE_VARIABLE: str(shared), "PYTHONPATH": str(_modules()), "PYTHONSAFEPATH": "1"}
        words = _words(_program_words(surroundings), lambda path: str(surroundings.path(str(inside / path))))
        return Invocation(
            arguments=[sys.executable, "-m", MODULE, *words],
            folder=folder,
            environment={**VARIABLES, **variables, **own},
        )


def _modules() -> Path:
    """The folder of the program's modules, which are installed with the simulator."""
    found = importlib.util.find_spec(MODULE.partition(".")[0])
    if found is None or found.origin is None:
        raise ProgramError(f"the module {MODULE} is not installed: make venv")
    return Path(found.origin).parent.parent


def _program_words(surroundings: Surroundings) -> list[str]:
    """The container's arguments for the program; the image's own command when it has none."""
    command = surroundings.command
    if not command:
        return surroundings.arguments or list(COMMAND)
    python, *rest = command
    if _PYTHON.fullmatch(PurePosixPath(python).name) is None or rest[:2] != ["-m", MODULE]:
        raise ProgramError(
            f"the container's command is {' '.join(command)}; in the simulator an image fraud-detection runs "
            f"python -m {MODULE} with its arguments"
        )
    return [*rest[2:], *surroundings.arguments]


def _words(words: list[str], here: Callable[[str], str]) -> list[str]:
    """The program's arguments with paths and owners of this machine; `here` translates a path of the container."""
    found: list[str] = []
    left = iter(words)
    for word in left:
        flag, equals, value = word.partition("=")
        if flag in _PATH_FLAGS:
            found.append(flag)
            found += [here(path) for path in ([value] if equals else itertools.islice(left, 1))]
        elif flag == _OWNER_FLAG:
            next(left if not equals else iter(()), None)
        else:
            found.append(word)
    return [*found, _OWNER_FLAG, f"{os.getuid()}:{os.getgid()}"] if words[:1] == [_PREPARE] else found
