"""The environment of a program: which one, what it has installed, and how `pulumi install` makes one."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import venv
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.engine.language_host.conftest import Project

RELEASE = f"python3.{sys.version_info.minor}"


def project_file(**options: str) -> str:
    """A project file with runtime options."""
    return f"name: tried\nruntime: {json.dumps({'name': 'python', 'options': options})}\n"


def write_wheel(folder: Path, name: str) -> Path:
    """A wheel of a package without dependencies, in release 99."""
    wheel = folder / f"{name}-99.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{name}.py", "")
        for part, text in (
            ("METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 99.0\n"),
            ("WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
            ("RECORD", ""),
        ):
            archive.writestr(f"{name}-99.0.dist-info/{part}", text)
    return wheel


def test_about_tells_the_interpreter_and_the_dependencies(project: Project) -> None:
    project.write("")
    about = project.run("about")
    version = ".".join(str(part) for part in sys.version_info[:3])
    assert about.code == 0
    assert f"This project is written in python: executable='{sys.executable}' version='{version}'" in about.output
    listed = about.output.partition("\nDependencies:\n")[2].split("\n\n")[0].splitlines()
    names = [line.split()[0] for line in listed]
    assert names[0] == "NAME"
    assert "pulumi-random" in names
    assert "grpcio" not in names  # pulumi requires it
    assert re.search(r"^resource +gcp +10\.", about.output, re.MULTILINE)


def test_install_makes_the_environment_and_demands_the_hashes_of_the_requirements(
    project: Project, tmp_path: Path
) -> None:
    project.write("", project=project_file(virtualenv=".made", toolchain="pip"))
    for name in ("setuptools", "wheel"):  # the SDK updates them, here from this folder
        write_wheel(tmp_path, name)
    offline = project.with_variables(PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path), PIP_CONFIG_FILE=os.devnull)
    wheel = write_wheel(tmp_path, "tiny")
    requirements = project.folder / "requirements.txt"
    requirements.write_text(f"tiny @ file://{wheel} --hash=sha256:{'0' * 64}\n")
    refused = offline.run("install", "--no-plugins")
    assert refused.code != 0
    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in refused.output
    assert "installing dependencies via" in refused.output
    requirements.write_text(f"tiny @ file://{wheel} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n")
    done = offline.run("install", "--no-plugins")
    requirements.unlink()
    assert done.code == 0, done.output
    assert "Successfully installed tiny-99.0" in done.output
    assert (project.folder / ".made" / "lib" / RELEASE / "site-packages" / "tiny.py").exists()


def test_the_packages_of_an_environment_name_the_plugins_that_the_engine_needs(
    project: Project, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    venv.create(made, symlinks=True)
    packages = made / "lib" / RELEASE / "site-packages"
    for distribution, plugin in (
        ("pulumi_tried-1.2rc4", None),
        ("pulumi_older-5.1.0.post2", None),
        ("pulumi_unversioned-nightly", None),
        ("pulumi_policy-1.20.0", None),
        ("requests-2.0", None),
        (
            "acme-2.0",
            {"resource": True, "name": "stated", "version": "v3.1.0", "server": "https://plugins.acme.example"},
        ),
        ("pulumi_quiet-1.0.0", {"resource": False}),
    ):
        (packages / f"{distribution}.dist-info").mkdir()
        if plugin is not None:
            module = packages / distribution.partition("-")[0]
            module.mkdir()
            (module / "pulumi-plugin.json").write_text(json.dumps(plugin))
    project.write("", project=project_file(virtualenv=str(made)))
    about = json.loads(project.run("about", "--json").output)
    found = {each["name"]: each["version"] for each in about["plugins"] if each["kind"] == "resource"}
    assert found == {"tried": "1.2.0-rc.4", "older": "5.1.0+post2", "stated": "3.1.0"}
    (packages / "acme" / "pulumi-plugin.json").write_text("{")
    refused = project.run("preview")
    assert refused.code != 0
    assert "json.decoder.JSONDecodeError" in refused.output


def test_uv_runs_a_program(project: Project) -> None:
    project.write("import sys; print(sys.prefix)", project=project_file(toolchain="uv", virtualenv=sys.prefix))
    (uv,) = Path(sys.prefix).glob("bin/uv")
    done = project.with_variables(PATH=f"{uv.parent}:/usr/bin:/bin").run("preview")
    assert done.code == 0, done.output
    assert done.diagnostics == sys.prefix


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"toolchain": "conda"}, "runtime option toolchain is conda; it must be pip, poetry or uv"),
        (
            {"typechecker": "mypy"},
            "runtime option typechecker is mypy, and this language host runs no type checker",
        ),
        ({"virtualenv": ".missing"}, """The 'virtualenv' option in Pulumi.yaml is set to ".missing", but"""),
    ],
    ids=["toolchain", "typechecker", "virtualenv"],
)
def test_an_option_that_cannot_be_followed_is_one_clear_error(
    project: Project, options: dict[str, str], said: str
) -> None:
    project.write("", project=project_file(**options))
    done = project.run("preview")
    assert done.code != 0
    (error,) = [line for line in done.output.splitlines() if line.startswith("error:")]
    assert said in error
