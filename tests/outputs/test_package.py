"""The reader as a package of its own: what another team installs from this repository's folder."""

from __future__ import annotations

import shutil
import zipfile
from email.parser import Parser
from typing import TYPE_CHECKING, Final

import pytest
from hatchling.builders.wheel import WheelBuilder

from platform_outputs import READS
from tests.tracked import ROOT, tracked

if TYPE_CHECKING:
    from email.message import Message
    from pathlib import Path

SOURCE: Final = ROOT / "platform_outputs"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(SOURCE, folder / "source", ignore=shutil.ignore_patterns("__pycache__"))
    (made,) = WheelBuilder(str(folder / "source")).build(directory=str(folder / "dist"), versions=["standard"])
    return folder / "dist" / made


def _metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith("/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


def test_the_package_holds_the_modules_of_the_folder(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    modules = {
        f"platform_outputs/{path.name}" for path in tracked("platform_outputs/*.py", "platform_outputs/py.typed")
    }
    assert packed == modules


def test_it_needs_pulumi_alone_and_its_number_is_that_of_the_contract(wheel: Path) -> None:
    metadata = _metadata(wheel)
    needed = [str(each) for each in metadata.get_all("Requires-Dist", [])]
    assert [each for each in needed if "extra ==" not in each] == ["pulumi<4,>=3.272"]
    assert [each.partition("<")[0] for each in needed if "extra ==" in each] == ["pulumi-kubernetes"]
    assert int(str(metadata["Version"]).partition(".")[0]) == READS[-1]


def test_the_package_of_the_whole_project_holds_the_data_that_it_reads(tmp_path: Path) -> None:
    (made,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(made) as archive:
        packed = set(archive.namelist())
    read = {path.relative_to(ROOT).as_posix() for path in tracked("components/**/*.json", "policies/**/*.json")}
    assert "components/model/facts/apis/kueue.json" in read
    assert read <= packed
