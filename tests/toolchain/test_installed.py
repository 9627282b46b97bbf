"""Which installed tools serve in place of a build. The executables here double installed ones: they print a version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator.toolchain.installed import installed
from simulator.toolchain.provision import locate
from simulator.toolchain.tool import ToolchainError
from simulator.toolchain.tools import find_tool

if TYPE_CHECKING:
    from tests.toolchain.conftest import Machine

CONTROL_PLANE = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")


@pytest.mark.parametrize(
    ("name", "says", "serves"),
    [
        pytest.param("etcd", "etcd Version: 3.6.9", True, id="a later patch release of etcd"),
        pytest.param("etcd", "etcd Version: 3.5.21", False, id="another minor release of etcd"),
        pytest.param("kwok", "kwok version v0.8.0 go1.26 (linux/amd64)", True, id="the pinned kwok"),
        pytest.param("kwok", "kwok version v0.9.0", False, id="a later minor release of kwok"),
        pytest.param("helm", "v3.21.9+g123abc", True, id="helm with a build number"),
        pytest.param("helm", "v4.0.1", False, id="the next major helm"),
        pytest.param("helm", "unknown", False, id="helm that says no version"),
        pytest.param("kueue", "v0.19.2", False, id="kueue, which cannot be asked"),
    ],
)
def test_an_installed_tool_serves_when_its_release_fits(
    machine: Machine,
    name: str,
    says: str,
    serves: bool,  # noqa: FBT001  a column of the table
) -> None:
    program = machine.install(name, says)
    assert installed(find_tool(name)) == (program if serves else None)


@pytest.mark.parametrize(
    ("says", "serves"),
    [("v3.250.0", True), ("v3.301.2", True), ("v3.249.9", False), ("v4.0.0", False)],
)
def test_pulumi_serves_from_the_pinned_release_up_to_the_next_major(
    machine: Machine,
    says: str,
    serves: bool,  # noqa: FBT001  a column of the table
) -> None:
    program = machine.install("pulumi", says)
    machine.install("pulumi-language-python", "")
    language_exec = machine.install("pulumi-language-python-exec", "")
    assert installed(find_tool("pulumi")) == (program if serves else None)
    if serves:
        assert locate(["pulumi"]).language_exec == language_exec


def test_pulumi_without_its_python_host_does_not_serve(machine: Machine) -> None:
    machine.install("pulumi", "v3.250.0")
    assert installed(find_tool("pulumi")) is None


def test_pulumi_that_is_linked_onto_the_path_serves_with_the_host_beside_the_original(machine: Machine) -> None:
    home = machine.root / "opt"
    home.mkdir()
    for name, says in (("pulumi", "v3.250.0"), ("pulumi-language-python", ""), ("pulumi-language-python-exec", "")):
        machine.install(name, says).rename(home / name)
    link = machine.root / "bin" / "pulumi"
    link.symlink_to(home / "pulumi")
    assert installed(find_tool("pulumi")) == link
    assert locate(["pulumi"]).language_exec == home / "pulumi-language-python-exec"


def test_the_control_plane_is_taken_whole_or_not_at_all(machine: Machine) -> None:
    for name in CONTROL_PLANE[:2]:
        machine.install(name, "Kubernetes v1.36.6")
    assert [installed(find_tool(name)) for name in CONTROL_PLANE] == [None, None, None]
    machine.install(CONTROL_PLANE[2], "Kubernetes v1.35.0")
    assert [installed(find_tool(name)) for name in CONTROL_PLANE] == [None, None, None]
    machine.install(CONTROL_PLANE[2], "Kubernetes v1.36.0")
    assert [installed(find_tool(name)) for name in CONTROL_PLANE] == [
        machine.root / "bin" / name for name in CONTROL_PLANE
    ]


def test_a_program_that_cannot_run_does_not_serve(machine: Machine) -> None:
    machine.install("helm", "v3.20.0").write_text("#!/nowhere\n")
    assert installed(find_tool("helm")) is None
    machine.install("helm", "v3.20.0").write_text("#!/bin/sh\necho v3.20.0\nexit 1\n")
    assert installed(find_tool("helm")) is None


def test_nothing_is_asked_when_nothing_is_installed(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **_: object) -> None:
        raise AssertionError(arguments)

    monkeypatch.setenv("PATH", str(machine.root / "bin"))
    monkeypatch.setattr("subprocess.run", refuse)
    machine.install("kube-apiserver", "Kubernetes v1.34.1")  # alone, it would not serve whatever it said
    assert [installed(find_tool(name)) for name in ("pulumi", "kube-apiserver", "etcd", "helm")] == [None] * 4


def test_detection_can_be_turned_off(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.install("helm", "v3.20.0")
    monkeypatch.setenv("TPU_PLATFORM_TOOLS", "build")
    assert installed(find_tool("helm")) is None
    monkeypatch.setenv("TPU_PLATFORM_TOOLS", "always")
    with pytest.raises(ToolchainError) as refused:
        installed(find_tool("helm"))
    assert str(refused.value) == (
        "TPU_PLATFORM_TOOLS is 'always'. It is auto (use installed tools that fit) or build (use none)."
    )
