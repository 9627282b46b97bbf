"""Which plugins and dependencies the language host reads out of an environment, without starting it."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import pulumi_policy.version
import pytest

from toolchain.language_host.errors import HostError
from toolchain.language_host.packages import (
    direct_dependencies,
    installed_in,
    plugin_version,
    policy_sdk_version,
    required_packages,
)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """An empty package folder."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    return folder


def put(site: Path, name: str, version: str, plugin: dict[str, Any] | str | None = None, requires: str = "") -> None:
    """Install a distribution that has nothing but what the host reads: its folders, plugin file and requirements."""
    information = site / f"{name}-{version}.dist-info"
    information.mkdir()
    stated = "".join(f"Requires-Dist: {requirement}\n" for requirement in requires.split(";;") if requirement)
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{stated}")
    (site / name).mkdir()
    if plugin is not None:
        text = plugin if isinstance(plugin, str) else json.dumps(plugin)
        (site / name / "pulumi-plugin.json").write_text(text)


def required(site: Path) -> list[tuple[str, str, str]]:
    """Name, version and server of each plugin that the packages in `site` need."""
    packages = required_packages(installed_in([site]))
    assert {package.kind for package in packages} <= {"resource"}
    return [(package.name, package.version, package.server) for package in packages]


def test_this_projects_environment_needs_the_three_providers_of_its_sdks() -> None:
    found = {name: version for name, version, _ in required(Path(sys.prefix, "lib", "python3.11", "site-packages"))}
    assert set(found) == {"gcp", "kubernetes", "random"}
    assert all(version.startswith("v") for version in found.values())


def test_packs_have_the_version_of_the_policy_sdk() -> None:
    installed = installed_in([Path(sys.prefix, "lib", "python3.11", "site-packages")])
    assert policy_sdk_version(installed) == pulumi_policy.version.VERSION
    assert policy_sdk_version(each for each in installed if each.name != "pulumi-policy") == ""


def test_a_version_of_the_policy_sdk_that_no_plugin_can_have_is_not_given(site: Path) -> None:
    put(site, "pulumi_policy", "1!2")
    assert policy_sdk_version(installed_in([site])) == ""


def test_a_package_says_name_version_and_server_itself(site: Path) -> None:
    put(site, "pulumi_gcp", "10.2.0", {"resource": True, "name": "gcp", "version": "10.2.0"})
    put(site, "acme_sdk", "1.0.0", {"resource": True, "name": "acme", "version": "v2.0.0", "server": "https://acme/x"})
    assert required(site) == [("acme", "v2.0.0", "https://acme/x"), ("gcp", "v10.2.0", "")]


def test_what_the_file_leaves_out_comes_from_the_package(site: Path) -> None:
    put(site, "pulumi_acme", "3.1", {"resource": True})
    put(site, "pulumi_old", "2.0.0b3")
    assert required(site) == [("acme", "v3.1.0", ""), ("old", "v2.0.0-beta.3", "")]


def test_what_needs_no_plugin_is_left_out(site: Path) -> None:
    put(site, "pulumi", "3.272.0")
    put(site, "pulumi_policy", "1.21.0", {"resource": False})
    put(site, "pulumi_esc_sdk", "0.1.0")
    put(site, "requests", "2.34.2")
    put(site, "pulumi_odd", "1!2.0")  # a version that no plugin can have
    assert required(site) == []


def test_parameterised_packages_keep_their_parameters(site: Path) -> None:
    value = {"name": "tail", "version": "0.2.0", "value": base64.b64encode(b"\x00x").decode()}
    put(
        site,
        "pulumi_tail",
        "0.2.0",
        {"resource": True, "name": "bridge", "version": "1.0.0", "parameterization": value},
    )
    put(site, "pulumi_more", "0.3.0", {"resource": True, "version": "1.0.0", "extensionParameterization": value})
    extended, replaced = required_packages(installed_in([site]))
    assert (replaced.parameterization.name, replaced.parameterization.value) == ("tail", b"\x00x")
    assert (extended.extension.name, extended.extension.version) == ("tail", "0.2.0")
    assert not extended.HasField("parameterization")


def test_an_unreadable_plugin_file_is_named(site: Path) -> None:
    put(site, "pulumi_gcp", "10.2.0", "{")
    with pytest.raises(HostError, match=r"pulumi-plugin\.json cannot be read: .*Install the package again\.$"):
        required(site)


@pytest.mark.parametrize(
    ("package", "plugin"),
    [
        ("10.2.0", "10.2.0"),
        ("1", "1.0.0"),
        ("1.2.3a4", "1.2.3-alpha.4"),
        ("1.2.3rc4", "1.2.3-rc.4"),
        ("1.2.3.post4", "1.2.3+post4"),
        ("1.2.3.dev5", "1.2.3+dev5"),
        ("1.2.3b1.post4.dev5", "1.2.3-beta.1+post4dev5"),
        ("1!2.0", None),
        ("1.2.3+local", None),
    ],
)
def test_plugin_versions_follow_package_versions(package: str, plugin: str | None) -> None:
    assert plugin_version(package) == plugin


def test_direct_dependencies_are_those_that_the_requirements_name(site: Path, tmp_path: Path) -> None:
    for name in ("pulumi_gcp", "PyYAML", "requests"):
        put(site, name, "1.0")
    requirements = tmp_path / "requirements.txt"
    requirements.write_text(
        "# a comment\n--require-hashes\nPulumi.GCP==1.0 \\\n    --hash=sha256:00\n    # via requests\n"
        "pyyaml>=1\nabsent==2\n"
    )
    names = [package.name for package in direct_dependencies(installed_in([site]), requirements)]
    assert names == ["pulumi-gcp", "pyyaml"]


def test_without_requirements_they_are_what_nothing_else_requires(site: Path, tmp_path: Path) -> None:
    put(site, "app", "1.0", requires="Pulumi_GCP (>=1);;pytest ; extra == 'dev'")
    put(site, "pulumi_gcp", "1.0", requires="requests")
    put(site, "requests", "1.0")
    put(site, "pytest", "1.0")
    names = [package.name for package in direct_dependencies(installed_in([site]), tmp_path / "requirements.txt")]
    assert names == ["app", "pytest"]
