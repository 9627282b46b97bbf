"""The table of tools against the pins that it points at."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from simulator.providers.plugins import plugin_version
from simulator.toolchain.tool import TOOLCHAIN, Pin, Tool, ToolchainError, read_pin
from simulator.toolchain.tools import TOOLS, find_tool

if TYPE_CHECKING:
    from pathlib import Path

MODULES = TOOLCHAIN / "modules"
# Typed by hand, so that a pin does not change unseen: what the documentation promises and the simulator was tried with.
RELEASES = {
    "pulumi": "v3.250.0",
    "kube-apiserver": "v1.36.4",
    "kube-controller-manager": "v1.36.4",
    "kube-scheduler": "v1.36.4",
    "etcd": "v3.6.16",
    "kwok": "v0.8.0",
    "jobset": "v0.12.0",
    "kueue": "v0.19.2",
    "autoscaling-definitions": "v0.0.0-20240830133931-adfbe7e45277",
    "controller-apis": "v0.19.2",
    "helm": "v3.21.4",
    "rehearse": "v0.19.2",
    "pod-shell": "v3.14.1",
    "pulumi-language-yaml": "v1.38.0",
    "actionlint": "v1.7.12",
    "pulumi-resource-kubernetes": "v4.0.0-20260115033456-f47bc2d6f199",
    "older-jobset": "v0.11.0",
    "older-kueue": "v0.16.2",
}


def test_each_version_is_read_from_the_pin() -> None:
    assert {tool.name: tool.version for tool in TOOLS} == RELEASES


def test_every_module_is_used_and_pins_every_package_that_is_built_from_it() -> None:
    assert {tool.module for tool in TOOLS} == {folder.name for folder in MODULES.iterdir()}
    for module in {tool.module for tool in TOOLS}:
        pinned = re.findall(r'^\t_ "(.*)"$', (MODULES / module / "tools.go").read_text(), re.MULTILINE)
        packages = [each for tool in TOOLS if tool.module == module and tool.is_command for each in tool.packages]
        assert sorted(pinned) == sorted(each for each in packages if not each.startswith("tpu-platform/"))


def test_a_command_of_this_project_has_its_sources_below_its_module() -> None:
    own = [tool for tool in TOOLS if tool.sources]
    kubernetes = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"]
    assert [tool.name for tool in own] == [
        "pulumi",
        *kubernetes,
        "kwok",
        "rehearse",
        "pod-shell",
        "pulumi-resource-kubernetes",
    ]
    for tool in own:
        assert f"{_module_path(tool)}/{tool.sources}" in tool.packages
        assert "main.go" in {path.name for path in tool.source_files}


def test_tools_of_one_package_are_linked_alike() -> None:
    """Go would link them by the last flags alone: an API server of kwok's release, which Kueue cannot work with."""
    package = find_tool("kube-apiserver").package
    linked = [tool for tool in TOOLS if tool.package == package]
    assert "kwok" in {tool.name for tool in linked}
    [flags] = {tool.ldflags for tool in linked}
    assert f"gitVersion={RELEASES['kube-apiserver']} " in flags


def _module_path(tool: Tool) -> str:
    return (tool.folder / "go.mod").read_text().splitlines()[0].removeprefix("module ")


def test_the_host_of_yaml_is_built_with_the_libraries_of_the_cli() -> None:
    engine = find_tool("pulumi")
    for library in ("pkg", "sdk"):
        module = f"github.com/pulumi/pulumi/{library}/v3"
        assert f"\nreplace {module} => {module} {engine.version}\n" in (MODULES / "pulumi-yaml" / "go.mod").read_text()


def test_the_kubernetes_plugin_calls_itself_what_the_sdk_asks_for() -> None:
    """The engine warns of a plugin that is older than the SDK."""
    (main,) = find_tool("pulumi-resource-kubernetes").source_files
    assert f'\nconst sdk = "{plugin_version("pulumi-kubernetes")}"\n' in main.read_text()


def test_no_python_file_of_the_package_states_a_version_again() -> None:
    stated = {version.removeprefix("v") for version in RELEASES.values()}
    sources = {path: path.read_text() for path in TOOLCHAIN.rglob("*.py")}
    # A docstring may show what a version looks like; those examples are Kubernetes' and Go's.
    repeated = {
        (path.name, version) for path, text in sources.items() for version in stated - {"1.36.4"} if version in text
    }
    assert repeated == set()


def test_the_kubernetes_binaries_carry_the_version_that_their_clients_parse() -> None:
    flags = find_tool("kube-apiserver").ldflags.split(" -X ")
    assert flags[0] == "-s -w"
    assert "k8s.io/component-base/version.gitVersion=v1.36.4" in flags
    assert "k8s.io/client-go/pkg/version.gitMajor=1" in flags
    assert "k8s.io/client-go/pkg/version.gitMinor=36" in flags


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_stamp_and_artefact_belongs_to_a_pinned_module(tool: Tool) -> None:
    for variable, _ in tool.stamps:
        assert tool.pin.version_of(variable.rpartition(".")[0])
    for artefact in tool.artefacts:
        assert artefact.module in tool.pin.requires


def test_an_unknown_tool_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ToolchainError) as refused:
        find_tool("kubeadm")
    assert str(refused.value) == f"kubeadm is not a tool of this project. There are: {', '.join(RELEASES)}."


def test_a_pin_knows_the_module_of_a_package_by_the_longest_path(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text(
        "module x\n\ngo 1.26.8\n\nrequire a.io/b v1.0.0 // the outer one\n\n"
        "require (\n\ta.io/b/c/v2 v2.1.0\n\ta.io/d v0.3.0 // indirect\n)\n\nreplace a.io/d => ../d\n"
    )
    pin = read_pin(tmp_path)
    assert pin == Pin("1.26.8", {"a.io/b": "v1.0.0", "a.io/b/c/v2": "v2.1.0", "a.io/d": "v0.3.0"})
    assert pin.version_of("a.io/b/c/v2/cmd") == "v2.1.0"
    assert pin.version_of("a.io/b/c") == "v1.0.0"
    with pytest.raises(KeyError):
        pin.version_of("a.io/bc")


def test_a_pin_without_a_go_release_is_refused(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module x\n")
    with pytest.raises(ValueError, match="has no go directive"):
        read_pin(tmp_path)
