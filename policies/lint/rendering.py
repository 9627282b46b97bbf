"""The output of Helm and Kustomize for charts and kustomizations among the files, if the tools are installed."""

from __future__ import annotations

import posixpath
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from policies.lint.files import File, absolute
from policies.lint.left_out import RENDERED, Kustomization, Layout

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


_KUSTOMIZE: Final = (("kustomize", "build", "--", "{folder}"), ("kubectl", "kustomize", "--", "{folder}"))
_HELM: Final = (("helm", "template", "--", "{name}", "{folder}"),)
"""After `--`, the name of a folder is not an option."""
_SECONDS: Final = 60
"""The seconds that one command may take; a kustomization may load resources from elsewhere."""


def rendered(files: Sequence[File], *, is_asked: bool) -> Iterator[File]:
    """The files, then one for each kustomization that no other one includes and, if `is_asked`, for each chart.

    A file that a rendered kustomization takes in is left out: what the command made of it is checked. If `is_asked`,
    what cannot be rendered is a file that cannot be read, and says why. Else a kustomization stays as it is if it
    cannot be built, or names an address, a plugin, or a path that is neither a file nor a kustomization among the
    files: lint loads nothing from elsewhere without `--render`. Kustomize itself refuses files outside of its folders.
    """
    layout = Layout(each for each in files if is_asked or not each.is_neighbour)
    known = layout.kustomizations
    names = {absolute(posixpath.dirname(each.name)): posixpath.dirname(each.name) for each in files}
    roots = [each for each in known if each not in layout.resources and (is_asked or _is_here(each, known))]
    with ThreadPoolExecutor() as threads:
        built = list(threads.map(_made, [names.get(each, each) for each in roots], repeat(_KUSTOMIZE)))
    made = [
        replace(each, made_of=tuple(() if each.problem else _taken(root, known)))
        for root, each in zip(roots, built, strict=True)
    ]
    taken = {path for each in made for path in each.made_of}
    for each in files:
        yield replace(each, left_out=RENDERED) if absolute(each.name) in taken and not each.left_out else each
    yield from (each for each in made if is_asked or not each.problem)
    for folder in sorted(layout.charts) if is_asked else ():
        if layout.chart_of(folder) is None:  # a chart within a chart is a part of it
            yield _made(names.get(folder, folder), _HELM)


def _inner(root: str, known: Mapping[str, Kustomization]) -> list[Kustomization]:
    """A kustomization and all that it includes, each once."""
    found = [root]
    for here in found:
        found += [each for each in dict.fromkeys(known[here].resources) if each in known and each not in found]
    return [known[each] for each in found]


def _taken(root: str, known: Mapping[str, Kustomization]) -> Iterator[str]:
    """Every file that a kustomization takes in."""
    return (path for each in _inner(root, known) for path in each.resources if path not in known)


def _is_here(root: str, known: Mapping[str, Kustomization]) -> bool:
    """Whether a kustomization names only files and other kustomizations of the call: no address, no plugin."""
    every = _inner(root, known)
    named = (path for each in every for path in (*each.resources, *each.patches, *each.configuration))
    return all(each.is_simple for each in every) and all(path in known or _is_file(path) for path in named)


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except OSError:  # such as a name that is too long
        return False


def _made(folder: str, commands: tuple[tuple[str, ...], ...]) -> File:
    """The output of the first command that is installed."""
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
