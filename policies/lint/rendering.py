"""What Helm and Kustomize make of the charts and kustomizations among the files, where these tools are installed."""

from __future__ import annotations

import posixpath
import shutil
import subprocess
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from policies.lint.files import File
from policies.lint.kustomizations import roots, taken_in
from policies.lint.left_out import RENDERED, Layout, absolute

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_KUSTOMIZE: Final = (("kustomize", "build", "{folder}"), ("kubectl", "kustomize", "{folder}"))
_HELM: Final = (("helm", "template", "{name}", "{folder}"),)
_SECONDS: Final = 60
"""How long one command may take; a kustomization may load resources from elsewhere."""


def rendered(files: Sequence[File]) -> Iterator[File]:
    """The files, and one more for each chart and each kustomization that no other one includes.

    A file that a rendered kustomization takes in is left out: what the command made of it is checked. What cannot be
    rendered is a file that cannot be read, and says why.
    """
    layout = Layout(files)
    names = {absolute(posixpath.dirname(each.name)): posixpath.dirname(each.name) for each in files}
    taken = set[str]()
    for folder in roots(layout.kustomizations):
        made = _made(names.get(folder, folder), _KUSTOMIZE)
        taken.update(() if made.problem else taken_in(folder, layout.kustomizations))
        yield made
    for folder in sorted(layout.charts):
        if layout.chart_of(folder) is None:  # a chart within a chart is a part of it
            yield _made(names.get(folder, folder), _HELM)
    for each in files:
        yield replace(each, left_out=RENDERED) if absolute(each.name) in taken and not each.left_out else each


def _made(folder: str, commands: tuple[tuple[str, ...], ...]) -> File:
    """What the first command prints that is installed."""
    here = posixpath.normpath(folder)
    words = next((each for each in commands if shutil.which(each[0])), None)
    if words is None:
        return File(here, b"", is_walked=True, problem=f"{' or '.join(each[0] for each in commands)} is not installed")
    name = posixpath.basename(absolute(here))
    command = [word.format(folder=here, name=name) for word in words]
    shown = posixpath.join(here, f"({' '.join(words[:2])})")
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_SECONDS, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as error:
        return File(shown, b"", is_walked=True, problem=str(error))
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        return File(shown, b"", is_walked=True, problem=said[-1] if said else f"exit code {done.returncode}")
    return File(shown, done.stdout, is_walked=True)
