"""What the language host says of an environment, and how it makes one."""

from __future__ import annotations

import hashlib
import re
import sys
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.engine.language_host.conftest import Project


def test_about_tells_the_interpreter_and_the_dependencies(project: Project) -> None:
    project.write("")
    (project.folder / "requirements.txt").write_text("pulumi-random>=4\nPyYAML\n")
    about = project.run("about")
    (project.folder / "requirements.txt").unlink()
    version = ".".join(str(part) for part in sys.version_info[:3])
    assert about.code == 0
    assert f"This project is written in python: executable='{sys.executable}' version='{version}'" in about.output
    listed = about.output.partition("\nDependencies:\n")[2].split("\n\n")[0].splitlines()
    assert [line.split()[0] for line in listed] == ["NAME", "pulumi-random", "pyyaml"]
    assert re.search(r"^resource +gcp +10\.", about.output, re.MULTILINE)


def test_install_makes_the_environment_and_demands_the_hashes_of_the_requirements(project: Project) -> None:
    project.write("", project="name: tried\nruntime: {name: python, options: {virtualenv: .made, toolchain: pip}}\n")
    wheel = project.folder / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny.py", "")
        archive.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        archive.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("tiny-1.0.dist-info/RECORD", "")
    requirements = project.folder / "requirements.txt"
    requirements.write_text(f"tiny @ file://{wheel} --hash=sha256:{'0' * 64}\n")
    refused = project.run("install", "--no-plugins")
    assert refused.code != 0
    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in refused.output
    assert f"Installing {requirements}: program exited with non-zero exit code: 1" in refused.output
    requirements.write_text(f"tiny @ file://{wheel} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n")
    done = project.run("install", "--no-plugins")
    requirements.unlink()
    assert done.code == 0, done.output
    assert "Successfully installed tiny-1.0" in done.output
    assert (
        project.folder / ".made" / "lib" / f"python3.{sys.version_info.minor}" / "site-packages" / "tiny.py"
    ).exists()
