"""The Go toolchain that builds the tools: is it there, is it new enough, and in which environment it runs."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Final

from simulator.toolchain.tool import Tool, ToolchainError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_RELEASE: Final = re.compile(r"go(?P<major>\d+)\.(?P<minor>\d+)(?:\.(?P<patch>\d+))?")
_ARCHITECTURES: Final = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
_INSTALL: Final = "Install it from https://go.dev/dl (or with the system's package manager), then run this again."
_MAJOR: Final = re.compile(r"v\d+")
_VERSION_SECONDS: Final = 60
COMPILER_ENVIRONMENT: Final = {"GOGC": "off", "GOMEMLIMIT": "4GiB"}
"""The variables of `go build`, which do not change its result. The compiler collects no garbage below this much memory:
a seventh less processor time than with GOGC=400."""
DOWNLOAD_ENVIRONMENT: Final = {"GOMAXPROCS": "16"}
"""The variables of `go list`: it downloads so many modules at once (cmd/go/internal/modload/load.go, Go 1.26)."""
_TO_COMPILE: Final = "{{if and .Stale (not .Standard)}}{{.ImportPath}}{{end}}"
_NO_DEBUG_DATA: Final = "-dwarf=false"
"""Makes the compiler leave out the data for a debugger, which the linker would strip anyway (`-s -w`)."""


def platform_name() -> str:
    """The platform that the tools are built for, in Go's words: `linux/amd64`."""
    machine = platform.machine().lower()
    return f"{sys.platform}/{_ARCHITECTURES.get(machine, machine)}"


def go_environment() -> dict[str, str]:
    """The variables that a build sets over the user's own; the module proxy and checksum database stay as they are.

    cgo is off, as in the releases of these tools: the binaries need no C library and no C compiler.
    """
    system, _, architecture = platform_name().partition("/")
    return {
        "CGO_ENABLED": "0",
        "GOARCH": architecture,
        "GOFLAGS": "-mod=readonly",
        "GOOS": system,
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
    }


def find_go(tools: Iterable[Tool]) -> str:
    """The path of a `go` that can build `tools`.

    Raises:
        ToolchainError: there is no Go on the PATH, or it is older than a go.mod asks for.
    """
    tools = list(tools)
    needed = max((tool.pin.go for tool in tools), key=_numbers)
    wanted = f"Go {needed} or later is needed to build {', '.join(tool.name for tool in tools)}"
    path = shutil.which("go")
    if path is None:
        raise ToolchainError(f"{wanted}, and there is no go on the PATH. {_INSTALL}")
    found = _version(path)
    if _RELEASE.search(found) is None:
        raise ToolchainError(f"{wanted}, and {path} does not say its version: {found!r}. {_INSTALL}")
    if _numbers(found) < _numbers(needed):
        raise ToolchainError(f"{wanted}, and {path} is {found.removeprefix('go')}. {_INSTALL}")
    return path


def _version(path: str) -> str:
    environment = {**os.environ, **go_environment()}
    command = [path, "env", "GOVERSION"]
    try:
        answer = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=_VERSION_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolchainError(f"{path} cannot be run: {error}. {_INSTALL}") from error
    return answer.stdout.strip() or answer.stderr.strip()


def _numbers(release: str) -> tuple[int, int, int]:
    match = _RELEASE.search(release if release.startswith("go") else f"go{release}")
    if match is None:
        return (0, 0, 0)
    return (int(match["major"]), int(match["minor"]), int(match["patch"] or 0))


def module_folders_arguments(modules: Iterable[str]) -> list[str]:
    """Arguments of `go` that print each module and where its files are, one module a line."""
    return ["list", "-m", "-f", "{{.Path}} {{.Dir}}", *modules]


def download_arguments(modules: Iterable[str]) -> list[str]:
    """Arguments of `go` that download the files of modules."""
    return ["mod", "download", *modules]


def list_arguments(tools: Sequence[Tool]) -> list[str]:
    """Arguments of `go` that print the packages that a build of `tools` compiles, without the standard library's."""
    return ["list", "-deps", "-f", _TO_COMPILE, *_settings(tools), *_packages(tools)]


def compile_arguments(tools: Sequence[Tool], folder: Path | None) -> list[str]:
    """Arguments of `go` that build `tools`, which are of one module, into `folder`; None gives those for the key.

    One call for all of them: packages that they share are compiled once, and links run beside other work.
    """
    target = [] if folder is None else ["-o", f"{folder}/"]
    return ["build", "-v", *_settings(tools), *target, *_packages(tools)]


def _settings(tools: Sequence[Tool]) -> list[str]:
    flags = dict.fromkeys(f"-ldflags={package}={tool.ldflags}" for tool in tools for package in tool.packages)
    return ["-trimpath", "-buildvcs=false", f"-gcflags=all={_NO_DEBUG_DATA}", *flags]


def _packages(tools: Sequence[Tool]) -> list[str]:
    """The packages of all commands. Tools of one package are one program, which chooses by the name of its file."""
    return list(dict.fromkeys(package for tool in tools for package in tool.packages))


def executable(package: str) -> str:
    """The name that `go build` gives a command: the last part of its package's path that is not a major version."""
    *_, before, last = package.split("/")
    return before if _MAJOR.fullmatch(last) else last
