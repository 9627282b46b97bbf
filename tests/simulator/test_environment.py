"""What a command inside the simulator finds around it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

import pytest

from components.kubeapi import connection_from
from simulator.environment import COMMAND_TOOLS, environment, prepare
from simulator.home import Home
from simulator.kubeconfig import Entry, kubeconfig
from simulator.providers.plugins import Others, launcher
from simulator.toolchain.provision import Place, Toolchain

if TYPE_CHECKING:
    from pathlib import Path

_PLUGIN: Final = "gke-gcloud-auth-plugin"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A folder with characters that a shell takes for its own."""
    return Home(tmp_path / "it's $HOME")


@pytest.fixture
def tools(tmp_path: Path) -> Toolchain:
    """Tools in folders of their own."""
    for name in COMMAND_TOOLS:
        path = tmp_path / name / "bin" / name
        path.parent.mkdir(parents=True)
        path.write_text(f"#!/bin/sh\necho {name}\n")
        path.chmod(0o755)
    return Toolchain({name: Place(binary=tmp_path / name / "bin" / name, built=True) for name in COMMAND_TOOLS})


def test_what_leads_to_a_real_cloud_or_cluster_is_taken_out(home: Home, tools: Toolchain) -> None:
    outer = dict.fromkeys(
        (
            "GOOGLE_APPLICATION_CREDENTIALS",
            "GOOGLE_OAUTH_ACCESS_TOKEN",
            "CLOUDSDK_CORE_PROJECT",
            "GCLOUD_PROJECT",
            "HELM_NAMESPACE",
            "PULUMI_ACCESS_TOKEN",
            "PULUMI_CONFIG_PASSPHRASE",
        ),
        "theirs",
    )
    inner = environment(
        home, tools, {**outer, "LANG": "C.UTF-8", "GOGC": "50", "PULUMI_BACKEND_URL": "theirs", "KUBECONFIG": "theirs"}
    )
    assert "theirs" not in inner.values()
    assert (inner["LANG"], inner["GOGC"]) == ("C.UTF-8", "50")


def test_everything_points_into_the_folder(home: Home, tools: Toolchain) -> None:
    inner = environment(home, tools, {"PATH": "/usr/bin"})
    assert {name: value for name, value in inner.items() if name not in ("PATH", "PULUMI_PYTHON_CMD")} == {
        "TPU_SIMULATOR_HOME": str(home.root),
        "KUBECONFIG": f"{home.root}/kubeconfig",
        "WATCH_CLOCK": f"{home.root}/clock.jsonl",
        "PULUMI_HOME": f"{home.root}/pulumi",
        "PULUMI_BACKEND_URL": f"file://{home.root}/state?metadata=skip&dir_file_mode=448",
        "PULUMI_CONFIG_PASSPHRASE_FILE": f"{home.root}/passphrase",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_IGNORE_AMBIENT_PLUGINS": "true",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "HELM_CACHE_HOME": f"{home.root}/helm/cache",
        "HELM_CONFIG_HOME": f"{home.root}/helm/config",
        "HELM_DATA_HOME": f"{home.root}/helm/data",
    }


def test_the_simulators_tools_go_before_those_on_path(home: Home, tools: Toolchain, tmp_path: Path) -> None:
    folders = environment(home, tools, {"PATH": "/usr/bin:/bin"})["PATH"].split(os.pathsep)
    assert folders[:2] == [str(home.bin), str(tmp_path / "pulumi" / "bin")]
    assert folders[2] == os.path.dirname(sys.executable)  # noqa: PTH120  pathlib would resolve nothing either
    assert folders[3:] == ["/usr/bin", "/bin"]


def test_a_kubeconfig_of_the_simulator_works_in_its_environment(
    home: Home, tools: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(home, tools)
    monkeypatch.setenv("PATH", environment(home, tools, os.environ)["PATH"])
    entry = Entry("projects/acme/locations/us-west4/clusters/tpus", "127.0.0.1:6443", "UEVN")
    connection = connection_from(json.dumps(kubeconfig([entry])))
    assert connection.token == home.token_file.read_text()
    assert (connection.server, connection.certificate_authority) == ("https://127.0.0.1:6443", "PEM")


def test_logs_that_pulumi_has_begun_stay(home: Home, tools: Toolchain) -> None:
    kept = home.pulumi_home / "logs" / "dev.log"
    kept.parent.mkdir(parents=True)
    kept.touch()
    prepare(home, tools)
    assert kept.exists()


def test_each_plugin_has_the_version_that_its_sdk_asks_for(home: Home, tools: Toolchain) -> None:
    prepare(home, tools)
    plugins = home.pulumi_home / "plugins"
    expected = {f"resource-{name}-v{version(f'pulumi-{name}')}" for name in ("gcp", "kubernetes", "random")}
    assert {path.name for path in plugins.iterdir()} == expected


def test_every_folder_is_for_this_user_alone_whatever_the_umask(home: Home, tools: Toolchain) -> None:
    before = os.umask(0)
    prepare(home, tools)
    assert os.umask(before) == 0, "the command that follows has the user's own"
    folders = [path for path in home.root.rglob("*") if path.is_dir()]
    assert len(folders) > 5
    assert {path.stat().st_mode & 0o777 for path in folders} == {0o700}


def test_a_launcher_starts_its_stand_in_in_this_folder(home: Home, tools: Toolchain, tmp_path: Path) -> None:
    fake = tmp_path / "python $(reboot)"
    fake.write_text('#!/bin/sh\necho "$TPU_SIMULATOR_HOME|$*"\n')
    fake.chmod(0o755)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "executable", str(fake))
        prepare(home, tools)
    launcher = next(home.pulumi_home.glob("plugins/resource-gcp-*/pulumi-resource-gcp"))
    done = subprocess.run([launcher, "127.0.0.1:99"], capture_output=True, text=True, check=True)
    assert done.stdout == f"{home.root}|-m simulator.providers gcp 127.0.0.1:99\n"


def test_another_plugin_takes_the_place_of_the_stand_in_of_its_package(
    home: Home, tools: Toolchain, tmp_path: Path
) -> None:
    outside = tmp_path / "official $(reboot)"
    for release in ("9.4.0", "9.35.0"):
        plugin = outside / "plugins" / f"resource-gcp-v{release}" / "pulumi-resource-gcp"
        plugin.parent.mkdir(parents=True)
        plugin.write_text(f'#!/bin/sh\necho "{release}|$HTTPS_PROXY|$GOOGLE_OAUTH_ACCESS_TOKEN|$(umask)|$*"\n')
        plugin.chmod(0o755)
    prepare(home, tools, Others(outside, {"HTTPS_PROXY": "http://127.0.0.1:1"}))
    done = subprocess.run([launcher(home, "gcp"), "127.0.0.1:99"], capture_output=True, text=True, check=True)
    assert done.stdout == "9.35.0|http://127.0.0.1:1|none|0077|127.0.0.1:99\n", "its files are private"
    assert "-m simulator.providers kubernetes" in launcher(home, "kubernetes").read_text()
    prepare(home, tools)
    assert "-m simulator.providers gcp" in launcher(home, "gcp").read_text()


def test_helm_is_the_pinned_one_also_after_it_has_moved(home: Home, tools: Toolchain, tmp_path: Path) -> None:
    prepare(home, tools)
    assert (home.bin / "helm").resolve() == tmp_path / "helm" / "bin" / "helm"
    (tmp_path / "helm" / "bin" / "helm").rename(tmp_path / "helm" / "bin" / "helm-2")
    moved = Toolchain({**tools.places, "helm": Place(binary=tmp_path / "helm" / "bin" / "helm-2", built=True)})
    prepare(home, moved)
    assert (home.bin / "helm").resolve() == tmp_path / "helm" / "bin" / "helm-2"


def test_preparing_twice_keeps_the_secrets(home: Home, tools: Toolchain) -> None:
    prepare(home, tools)
    secrets = (home.token_file.read_text(), home.passphrase_file.read_text())
    prepare(home, tools)
    assert (home.token_file.read_text(), home.passphrase_file.read_text()) == secrets


def test_the_form_of_the_backend_is_written_anew_when_it_is_broken(home: Home, tools: Toolchain) -> None:
    path = home.backend / ".pulumi" / "meta.yaml"
    prepare(home, tools)
    assert not path.exists(), "the engine makes it"
    path.parent.mkdir()
    for text in ("version: 1\n", "versi", "\0" * 11):
        path.write_text(text)
        prepare(home, tools)
        assert path.read_text().strip() == "version: 1"


def test_a_kubeconfig_has_a_context_per_cluster_and_the_last_is_current() -> None:
    entries = [
        Entry(f"projects/acme/locations/us-west4-a/clusters/{name}", f"127.0.0.1:{port}", "UEVN")
        for name, port in (("one", 1), ("two", 2))
    ]
    document = kubeconfig(entries)
    assert [context["name"] for context in document["contexts"]] == [
        "gke_acme_us-west4-a_one",
        "gke_acme_us-west4-a_two",
    ]
    assert document["current-context"] == "gke_acme_us-west4-a_two"
    assert document["users"][0]["user"]["exec"]["command"] == _PLUGIN
    assert kubeconfig([])["current-context"] == ""
