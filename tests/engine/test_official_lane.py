"""The lane of the official plugins, with doubles of them: `tests/official/double.py`."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from simulator.providers.plugins import plugin_version
from tests.harness import OF_MAKE
from tests.official.double import write_double
from tests.official.plugins import FOLDER_VARIABLE, Official
from tests.tracked import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def _ended(*command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    outer = {name: value for name, value in os.environ.items() if name not in OF_MAKE and "PYTEST" not in name}
    environment = {**outer, **variables}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=600)


def _lane(folder: Path, *tests: str) -> subprocess.CompletedProcess[str]:
    """Tests of the lane with the plugins in `folder`."""
    pytest_ = (sys.executable, "-m", "pytest", "-p", "no:xdist", "-p", "no:cacheprovider")
    return _ended(*pytest_, *(f"tests/official/{each}" for each in tests), **{FOLDER_VARIABLE: str(folder)})


def test_a_folder_without_plugins_is_refused_with_what_the_lane_needs(tmp_path: Path) -> None:
    done = _ended("make", "--no-print-directory", "test-official", f"PLUGINS={tmp_path}")
    assert done.returncode != 0, done.stdout
    for package in ("gcp", "kubernetes", "random"):
        version = plugin_version(f"pulumi-{package}")
        assert f"  plugins/resource-{package}-v{version}/pulumi-resource-{package}\n" in done.stdout
    assert "  bin/pulumi-language-python, and pulumi-language-python-exec beside it\n" in done.stdout


def test_what_a_folder_lacks_is_named_and_nothing_is_compared(tmp_path: Path) -> None:
    folder = write_double(tmp_path / "double")
    (folder / "bin" / "pulumi-language-python-exec").unlink()
    (plugin,) = folder.glob("plugins/resource-gcp-*/pulumi-resource-gcp")
    plugin.unlink()
    done = _ended(sys.executable, "-m", "tests.official", str(folder))
    assert done.returncode == 2, done.stderr
    *_, lacks, first, second = done.stdout.splitlines()
    assert lacks == f"{folder} lacks"
    assert first == "  plugins/resource-gcp-v*/pulumi-resource-gcp"
    assert second.startswith("  pulumi-language-python with pulumi-language-python-exec beside it, in bin or ")


def test_plugins_that_decide_alike_pass(tmp_path: Path) -> None:
    folder = write_double(tmp_path / "double")
    done = _lane(folder, "test_decisions.py", "test_previews.py::test_the_preview_is_that_of_the_stand_ins[multislice]")
    assert done.returncode == 0, done.stdout
    assert "decisions of the plugins: 533 alike, 7 not modelled, 0 others" in done.stdout
    assert "3 passed" in done.stdout


def test_a_folder_with_one_plugin_compares_what_it_serves(tmp_path: Path) -> None:
    """As the one that the toolchain builds."""
    folder = Official(write_double(tmp_path / "double")).only("kubernetes", tmp_path / "kubernetes")
    done = _lane(folder, "test_decisions.py", "test_previews.py::test_the_preview_is_that_of_the_stand_ins[multislice]")
    assert done.returncode == 0, done.stdout
    assert "decisions of the plugins: 288 alike, 0 not modelled, 0 others" in done.stdout


def test_what_plugins_decide_otherwise_is_named(tmp_path: Path) -> None:
    folder = write_double(tmp_path / "double", contrary=True)
    done = _lane(folder, "test_decisions.py", "test_previews.py::test_the_preview_is_that_of_the_stand_ins[multislice]")
    assert done.returncode == 1, done.stdout
    assert "3 failed" in done.stdout
    assert "gcp:compute/network:Network dev: mtu (update)" in done.stdout
    row = "kubernetes:scheduling.k8s.io/v1:PriorityClass urgent: change value: "
    assert f"{row}none, the stand-in update, the table update; []" in done.stdout
    assert "gcp:compute/network:Network::multislice: mtu (update)" in done.stdout


def test_a_lane_without_a_folder_is_skipped_with_what_it_needs() -> None:
    done = _ended(sys.executable, "-m", "pytest", "-p", "no:xdist", "tests/official/test_previews.py")
    assert done.returncode == 0, done.stdout
    assert "make test-official PLUGINS=folder" in done.stdout
    assert "passed" not in done.stdout
