"""Which Python runs a program or a plugin: the `virtualenv` option of its project file, else the host's own.

The options are those of `runtime:` in Pulumi.yaml, PulumiPolicy.yaml and PulumiPlugin.yaml. Only pip environments are
known here; any other option is refused, because it would change what runs. `preload` and `types` are options of this
host alone.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolchain.language_host.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pulumi.runtime.proto.language_pb2 import ProgramInfo

_PLUGIN_DEFAULT: Final = "venv"
"""The folder that the official host uses for a plugin without the option."""
_LATE: Final = "late"


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python and the environment it belongs to."""

    path: Path
    virtualenv: Path | None
    """None for the host's own."""
    preload: str | None = None
    """An installed module that may be imported before the program has its configuration, because it asks for none."""
    late_types: bool = False
    """Whether the types of generated SDKs may be made when one is asked for (`sparing.py`)."""

    @property
    def exists(self) -> bool:
        """Whether there is such an interpreter."""
        return self.path.is_file()

    def environment(self, base: Mapping[str, str]) -> dict[str, str]:
        """`base` with the virtual environment activated, as its `activate` script would do."""
        activated = dict(base)
        if self.virtualenv is not None:
            found = activated.get("PATH", "")
            activated["PATH"] = f"{self.path.parent}{os.pathsep}{found}" if found else str(self.path.parent)
            activated["VIRTUAL_ENV"] = str(self.virtualenv)
            activated.pop("PYTHONHOME", None)
        return activated

    @property
    def package_folders(self) -> list[Path]:
        """Where its packages are installed, found without starting it."""
        if self.virtualenv is None:
            return [Path(entry) for entry in sys.path if Path(entry).is_dir()]
        return sorted(self.virtualenv.glob("lib/python3.*/site-packages"))


def interpreter_for(info: ProgramInfo, *, plugin: bool = False) -> Interpreter:
    """The interpreter that `info` asks for, which need not exist yet.

    Raises:
        HostError: this host does not support an option.
    """
    root = Path(info.root_directory)
    virtualenv = _option(info, "virtualenv")
    _refuse_others(info)
    if virtualenv is None and plugin and (root / _PLUGIN_DEFAULT).is_dir():
        virtualenv = _PLUGIN_DEFAULT
    preload, types = _option(info, "preload"), _option(info, "types")
    if types not in (None, _LATE):
        raise HostError(f"runtime option types is {types}. It must be {_LATE}, or be left out.")
    folder = None if virtualenv is None else Path(os.path.normpath(root / virtualenv))
    path = Path(sys.executable) if folder is None else folder / "bin" / "python"
    return Interpreter(path, folder, preload, late_types=types == _LATE)


def existing_interpreter_for(info: ProgramInfo, *, plugin: bool = False) -> Interpreter:
    """As `interpreter_for`, but it must exist.

    Raises:
        HostError: the virtual environment is missing or is something else, or as `interpreter_for`.
    """
    interpreter = interpreter_for(info, plugin=plugin)
    if not interpreter.exists:
        folder = interpreter.virtualenv
        wrong = "is not a virtual environment: it has no bin/python" if folder and folder.exists() else "does not exist"
        raise HostError(
            f"runtime option virtualenv: {folder} {wrong}. Create it with `make venv` or `pulumi install`, "
            f"in {info.root_directory}."
        )
    return interpreter


def _option(info: ProgramInfo, name: str) -> str | None:
    """The text of an option; None when it is absent or empty."""
    if name not in info.options.fields:
        return None
    kind = str(info.options.fields[name].WhichOneof("kind")).removesuffix("_value")
    if kind != "string":
        raise HostError(f"runtime option {name} is a {kind}; it must be a string.")
    return info.options.fields[name].string_value or None


def _refuse_others(info: ProgramInfo) -> None:
    toolchain = _option(info, "toolchain")
    if toolchain not in (None, "pip"):
        raise HostError(f"runtime option toolchain is {toolchain}. This language host knows pip only.")
    typechecker = _option(info, "typechecker")
    if typechecker is not None:
        raise HostError(
            f"runtime option typechecker is {typechecker}. This language host runs no type checker: "
            "remove the option and run the checker by itself."
        )
