"""Stack files that are wrong, met by a user: one clear error, nothing made, nothing left behind."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from tests.harness import Done, Simulator, project_with
from tests.stacks import stack_file
from tests.tracked import ROOT

if TYPE_CHECKING:
    from pathlib import Path

STACK: Final = "bad"
GIT: Final = shutil.which("git") or "git"
GOOD: Final = stack_file("multislice")
SLICES: Final = "- {name: nodepool, slices: 3, machine_type: ct5lp-hightpu-4t, topology: 2x4, zone: us-west4-a}"
HEAD: Final = "config:\n  gcp:project: tpu-sandbox\n  tpu-platform:platform:"


class Bad(NamedTuple):
    """A stack file and what the user must be told."""

    text: str
    told: tuple[str, ...]
    """Texts that stand in the message; `LINE` is the number of the line that holds the last edit's mark."""
    mark: str = ""
    """Text on the line that the message must point to; empty when the engine speaks first and names none."""


def _edited(old: str, new: str) -> str:
    assert GOOD.count(old) >= 1, old
    return GOOD.replace(old, new, 1)


BAD: Final = {
    "an unknown key": Bad(
        _edited("release_channel: RAPID", "release_chanel: RAPID"),
        ("cluster.release_chanel: unknown key.", "Did you mean release_channel?"),
        "release_chanel",
    ),
    "3x4 on v5e": Bad(
        _edited("topology: 2x4, zone", "topology: 3x4, zone"),
        ("tpu_slices[0].topology:", "makes no 3x4 slices", "Nearest: 2x4 (8 chips) and 4x4 (16 chips)"),
        "topology: 3x4",
    ),
    "a machine that does not make the topology": Bad(
        GOOD.replace(SLICES, SLICES.replace("ct5lp-hightpu-4t", "ct5lp-hightpu-1t")),
        ("ct5lp-hightpu-1t", "2x4"),
        "ct5lp-hightpu-1t",
    ),
    "two pools of one name": Bad(
        _edited(SLICES, f"{SLICES}\n      {SLICES.replace('slices: 3, ', '').replace('nodepool', 'nodepool2')}"),
        ("nodepool2",),
        "name: nodepool2",
    ),
    "text where a number of chips belongs": Bad(
        _edited("- name: vlp-24 #", '- name: vlp-24\n            chips: "24" #'),
        ("queues[0].flavors[0].chips",),
        'chips: "24"',
    ),
    "a workload that asks for 4 slices of 3": Bad(
        _edited("slices: 3\n", "slices: 4\n"),
        ("workloads[0].slices", "24", "32"),
        "slices: 4",
    ),
    "a queue that does not exist": Bad(
        _edited("queue: multislice-queue", "queue: multislice-que"),
        ("workloads[0].queue", "multislice-queue"),
        "queue: multislice-que",
    ),
    "a ComputeClass beside a queue": Bad(
        _edited("flavor: vlp-24", "compute_class: any-v5e"),
        (
            "workloads[0].compute_class: Kueue decides which machines the workloads of multislice-queue get.",
            "workloads[0].compute_class: no ComputeClass is named any-v5e.",
        ),
        "compute_class: any-v5e",
    ),
    "a kind of workload that a manifest has": Bad(
        _edited("kind: jobset\n", "kind: pathways\n"),
        ("workloads[0].kind: pathways is not supported here.",),
        "kind: pathways",
    ),
    "an empty platform": Bad(f"{HEAD} {{}}\n", ("cluster",), "tpu-platform:platform"),
    "a misspelt namespace": Bad(
        GOOD.replace("tpu-platform:platform:", "tpu-platfrom:platform:"),
        ("tpu-platfrom:platform", "Did you mean tpu-platform:platform?"),
        "tpu-platfrom",
    ),
    "an empty file": Bad("", ("Pulumi.bad.yaml", "tpu-platform:platform")),
    "tabs": Bad(GOOD.replace("    network:", "\tnetwork:"), ("line 6: found character that cannot start any token",)),
    "duplicate keys": Bad(_edited("    priorities:", "    queues: []\n\n    priorities:"), ("queues", "already")),
    "a platform that is text": Bad(f"{HEAD} nothing\n", ("platform",)),
    "a file over 100 KiB": Bad(
        GOOD + "".join(f"# {'x' * 1000} {number}\n" for number in range(110)), ("Pulumi.bad.yaml", "102400")
    ),
}


def _line_of(bad: Bad) -> int:
    return next(number for number, line in enumerate(bad.text.splitlines(), 1) if bad.mark in line)


def _previewed(simulator: Simulator, folder: Path, text: str) -> Done:
    project = project_with(folder / "project", {STACK: text})
    done = Simulator(simulator.home, project).pulumi("preview", "--stack", STACK, code=None)
    assert (project / f"Pulumi.{STACK}.yaml").read_text() == text
    assert sorted(path.name for path in project.iterdir() if path.name != "__pycache__") == sorted(
        [".venv", "Pulumi.yaml", "__main__.py", "examples", f"Pulumi.{STACK}.yaml"]
    )
    return done


@pytest.mark.parametrize("name", BAD)
def test_a_bad_stack_file_gives_one_clear_error_and_makes_nothing(
    simulator: Simulator, tmp_path: Path, name: str
) -> None:
    bad = BAD[name]
    done = _previewed(simulator, tmp_path, bad.text)
    assert done.code != 0
    shown = done.text.partition("Diagnostics:")[2] or done.text  # what comes before is the running display
    assert shown.count("error: ") == 1
    for told in bad.told:
        assert told in done.text
    if bad.mark:
        assert f"Pulumi.{STACK}.yaml:{_line_of(bad)}:" in done.text
    assert "Traceback" not in done.text
    assert "gcp:" not in done.text.replace("gcp:project", "").replace("gcp:...", "")
    assert "to create" not in done.text.replace("+ 1 to create", "")
    assert simulator.client.call("cloud.list", kind="compute.network") == []


def test_the_good_file_passes_the_same_way(simulator: Simulator, tmp_path: Path) -> None:
    done = _previewed(simulator, tmp_path, GOOD)
    assert done.code == 0
    assert "+ 41 to create" in done.text


def test_git_sees_nothing_after_a_command_in_a_clone(simulator: Simulator, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run([GIT, "clone", "--quiet", str(ROOT), str(clone)], check=True)
    (clone / ".venv").symlink_to(ROOT / ".venv")
    inside = Simulator(simulator.home, clone)
    inside.pulumi("preview", "--stack", "multislice")
    inside.pulumi("stack", "ls")
    inside.pulumi("stack", "rm", "--yes", "multislice")
    status = subprocess.run([GIT, "status", "--porcelain"], cwd=clone, capture_output=True, text=True, check=True)
    assert status.stdout == ""
