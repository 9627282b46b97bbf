"""Builds with a `go` that compiles nothing: what ends up in the cache, and what does not."""

from __future__ import annotations

import io
import os
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from simulator.toolchain import cache
from simulator.toolchain.__main__ import usual
from simulator.toolchain.golang import platform_name
from simulator.toolchain.progress import Progress
from simulator.toolchain.provision import ensure, locate, releases
from simulator.toolchain.tool import ToolchainError
from simulator.toolchain.tools import API_RAY_DEFINITIONS, CHART, DEFINITIONS, PROVISIONING_REQUESTS, TOOLS, find_tool
from tests.eventually import eventually

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.toolchain.conftest import Machine


ETCD, KWOK, KUEUE, OLDER_KUEUE, HELM, ACTIONLINT = (
    find_tool(name).version for name in ("etcd", "kwok", "kueue", "older-kueue", "helm", "actionlint")
)


def build(*names: str) -> str:
    """Build `names` here and return what was shown."""
    shown = io.StringIO()
    ensure(names, Progress(shown))
    return shown.getvalue()


def processes_under(folder: Path) -> list[str]:
    """The command lines of the processes that were started from `folder`."""
    found: list[str] = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(entry.read_bytes().replace(b"\0", b" ").decode())
        except OSError:  # it ended meanwhile
            continue
    return [line for line in found if str(folder) in line]


def test_a_missing_tool_is_built_once_and_then_found(machine: Machine) -> None:
    shown = build("etcd")
    assert build("etcd") == ""
    binary = locate(["etcd"]).binary("etcd")
    assert binary.is_relative_to(machine.cache / "tools")
    assert machine.kept == [binary.parent.parent.name]
    assert len(machine.builds("etcd")) == 1
    assert shown == f"etcd {ETCD}: downloading modules\netcd {ETCD}: built in 0 s\n"


def test_the_packages_that_are_compiled_are_counted(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulator.toolchain.progress.PLAIN_SECONDS", 0.0)
    assert build("etcd").splitlines()[1:-1] == [
        f"etcd {ETCD}: 1 of 2 packages compiled",
        f"etcd {ETCD}: 2 of 2 packages compiled",
    ]
    assert len(machine.builds("etcd")) == 1


def test_the_build_is_pinned_to_this_go_and_this_platform(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOFLAGS", "-mod=mod")
    monkeypatch.setenv("GOOS", "plan9")
    build("etcd")
    _, platform, flags, toolchain = machine.builds("etcd")[0].split()
    assert (platform, flags, toolchain) == (platform_name(), "-mod=readonly", "local")


def test_locate_names_what_is_missing_and_the_command_that_builds_it(machine: Machine) -> None:
    build("etcd")
    with pytest.raises(ToolchainError) as missing:
        locate(["etcd", "kwok", "kueue"])
    assert str(missing.value) == f"not built yet: kwok {KWOK}, kueue {KUEUE}. Build with: tpu tools build kwok kueue"
    assert len(machine.kept) == 1


def test_a_controllers_chart_comes_out_of_its_module_and_can_be_changed(machine: Machine) -> None:
    source = machine.go / "modules" / "sigs.k8s.io" / "kueue" / "charts" / "kueue"
    (source / "templates").mkdir(parents=True)
    (source / "Chart.yaml").write_text("name: kueue\n")
    (source / "templates" / "a.yaml").write_text("a: 1\n")
    for path in [*source.rglob("*"), source]:
        path.chmod(0o555 if path.is_dir() else 0o444)  # as the module cache has it
    build("kueue")
    chart = locate(["kueue"]).artefact("kueue", CHART)
    assert (chart / "Chart.yaml").read_text() == "name: kueue\n"
    assert (chart / "templates" / "a.yaml").read_text() == "a: 1\n"
    assert all(os.access(path, os.W_OK) and path.stat().st_mode & 0o200 for path in [chart, *chart.rglob("*")])
    for path in [*source.rglob("*"), source]:
        path.chmod(0o755)


def test_the_releases_of_a_controller_that_are_there_begin_with_the_current_one(machine: Machine) -> None:
    for part in ("Chart.yaml", "templates/a.yaml"):
        path = machine.go / "modules" / "sigs.k8s.io" / "kueue" / "charts" / "kueue" / part
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("name: kueue\n")
    build("older-kueue")
    assert list(releases("kueue")) == [OLDER_KUEUE]
    build("kueue")
    found = releases("kueue")
    assert list(found) == [KUEUE, OLDER_KUEUE]
    assert [each.binary.name for each in found.values()] == ["kueue", "older-kueue"]
    assert found[OLDER_KUEUE].artefact(CHART) == locate(["older-kueue"]).artefact("older-kueue", CHART)
    assert releases("jobset") == {}


def test_older_releases_and_official_plugins_are_built_by_name_alone() -> None:
    every, by_name = {tool.name for tool in TOOLS}, {"older-jobset", "older-kueue", "pulumi-resource-kubernetes"}
    assert every - set(usual(with_tests=True)) == by_name
    on_demand = {"actionlint", "controller-apis", "pulumi-language-yaml", "rehearse"}
    assert every - set(usual(with_tests=False)) == by_name | on_demand


def test_definitions_come_out_of_their_module_and_nothing_is_compiled(machine: Machine) -> None:
    source = machine.go / "modules" / "k8s.io" / "autoscaler" / "cluster-autoscaler" / "apis" / "config" / "crd"
    source.mkdir(parents=True)
    (source / "autoscaling.x-k8s.io_provisioningrequests.yaml").write_text("kind: CustomResourceDefinition\n")
    kinds = (
        machine.go / "modules" / "github.com" / "ray-project" / "kuberay" / "ray-operator" / "config" / "crd" / "bases"
    )
    kinds.mkdir(parents=True)
    (kinds / "ray.io_rayjobs.yaml").write_text("kind: CustomResourceDefinition\n")
    build(DEFINITIONS)
    assert build(DEFINITIONS) == ""
    assert locate([DEFINITIONS]).artefact(DEFINITIONS, f"{API_RAY_DEFINITIONS}/ray.io_rayjobs.yaml").is_file()
    found = locate([DEFINITIONS]).artefact(DEFINITIONS, PROVISIONING_REQUESTS)
    assert found.read_text() == "kind: CustomResourceDefinition\n"
    assert (machine.go / "downloads").read_text() == "k8s.io/autoscaler/cluster-autoscaler/apis\n"
    (asked,) = (machine.go / "asks").read_text().splitlines()
    assert asked == " ".join(find_tool(DEFINITIONS).modules_of_artefacts)
    assert [path.name for path in machine.go.glob("builds-*")] == []


def test_a_tool_without_a_chart_says_so(machine: Machine) -> None:  # noqa: ARG001  the fake Go
    build("etcd")
    with pytest.raises(ToolchainError, match=r"^etcd has no chart\.$"):
        locate(["etcd"]).artefact("etcd", CHART)


def test_the_language_host_lies_beside_the_cli(machine: Machine) -> None:
    sdk = machine.go / "modules" / "github.com" / "pulumi" / "pulumi" / "sdk" / "v3" / "python"
    for part in ("cmd/pulumi-language-python-exec", "dist/pulumi-resource-pulumi-python"):
        (sdk / part).parent.mkdir(parents=True)
        (sdk / part).write_text(f"{part}\n")
    build("pulumi")
    tools = locate(["pulumi"])
    beside = {path.name for path in tools.binary("pulumi").parent.iterdir()}
    assert beside == {
        "pulumi",
        "pulumi-language-python",
        "pulumi-language-python-exec",
        "pulumi-resource-pulumi-python",
    }
    assert os.access(tools.language_exec, os.X_OK)
    assert tools.language_exec.read_text() == "cmd/pulumi-language-python-exec\n"


def test_the_key_changes_with_each_part_of_the_pin(
    machine: Machine,  # noqa: ARG001  the cache
    modules: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    etcd = find_tool("etcd")
    keys = [cache.key(etcd)]
    for name in ("go.mod", "go.sum", "tools.go"):
        with (modules / "control-plane" / name).open("a") as file:
            file.write("// changed\n")
        keys.append(cache.key(etcd))
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    keys.append(cache.key(etcd))
    assert len(set(keys)) == len(keys)
    assert cache.key(etcd) == keys[-1]


def test_the_key_of_a_command_of_this_project_changes_with_its_sources(
    machine: Machine,  # noqa: ARG001  the cache
    modules: Path,
) -> None:
    own = find_tool("rehearse")
    folder = modules / "control-plane" / own.sources
    folder.mkdir()
    keys = [cache.key(own)]
    for text in ("package main\n", "package main // changed\n"):
        (folder / "main.go").write_text(text)
        keys.append(cache.key(own))
    assert len(set(keys)) == len(keys)


def test_a_changed_pin_is_another_folder_and_the_old_one_stays(machine: Machine, modules: Path) -> None:
    build("etcd")
    with (modules / "control-plane" / "go.sum").open("a") as file:
        file.write("example.com/a v1.0.0 h1:x\n")
    with pytest.raises(ToolchainError, match="not built yet: etcd"):
        locate(["etcd"])
    build("etcd")
    assert len(machine.kept) == len(machine.builds("etcd")) == 2


def test_a_failed_build_shows_the_last_of_gos_output_and_leaves_nothing(machine: Machine) -> None:
    (machine.go / "fail-server").touch()
    with pytest.raises(ToolchainError) as failed:
        build("etcd")
    assert str(failed.value) == (
        f"etcd {ETCD} was not built: go build exited with 1.\n  # example.com/a\n  a.go:1:2: undefined: b"
    )
    assert machine.kept == []


def test_tools_of_one_module_are_built_by_one_call_and_the_modules_after_each_other(machine: Machine) -> None:
    shown = build("actionlint", "kwok", "etcd")
    assert machine.calls == [
        "go.etcd.io/etcd/server/v3 tpu-platform/toolchain/controlplane/kubernetes",
        "github.com/rhysd/actionlint/cmd/actionlint",
    ]
    assert len(machine.kept) == 3
    found = locate(["actionlint", "kwok", "etcd"])
    assert [found.binary(name).name for name in ("actionlint", "kwok", "etcd")] == ["actionlint", "kwok", "etcd"]
    ends = [line.partition(": built in")[0] for line in shown.splitlines() if "built in" in line]
    assert ends == ["control-plane (2 tools)", f"actionlint {ACTIONLINT}"]


def test_tools_of_one_package_are_one_file(machine: Machine) -> None:
    names = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"]
    build(*names)
    assert [call.rpartition("/")[2] for call in machine.calls] == ["kubernetes"]
    binaries = [locate(names).binary(name) for name in names]
    assert [each.name for each in binaries] == names
    assert len({each.stat().st_ino for each in binaries}) == 1


def test_what_is_built_of_a_module_is_not_built_again_with_the_rest(machine: Machine) -> None:
    build("etcd")
    build("etcd", "kwok")
    assert machine.calls == ["go.etcd.io/etcd/server/v3", "tpu-platform/toolchain/controlplane/kubernetes"]


def test_a_failed_build_ends_the_command_and_what_was_built_stays(machine: Machine) -> None:
    gate = machine.go / "gate-actionlint"
    for file in (gate, machine.go / "fail-actionlint"):
        file.touch()
    builder = machine.start("build", "etcd", "actionlint")
    eventually(lambda: cache.is_built(find_tool("etcd")), what="etcd is built")
    gate.unlink()
    _, said = builder.communicate()
    assert builder.returncode == 1
    assert f"toolchain: actionlint {ACTIONLINT} was not built" in said
    assert machine.kept == [locate(["etcd"]).binary("etcd").parent.parent.name]
    assert processes_under(machine.root) == []


def test_a_damaged_tool_is_built_again(machine: Machine) -> None:
    build("etcd")
    locate(["etcd"]).binary("etcd").unlink()
    build("etcd")
    assert locate(["etcd"]).binary("etcd").exists()
    assert len(machine.kept) == 1


def test_what_a_killed_builder_left_is_swept_by_the_next(machine: Machine) -> None:
    gate = machine.go / "gate-server"
    gate.touch()
    killed = machine.start("build", "etcd")
    eventually(lambda: machine.builds("etcd"))
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert len(machine.kept) == 1  # half-made, and not taken for a tool
    with pytest.raises(ToolchainError, match="not built yet"):
        locate(["etcd"])
    gate.unlink()
    eventually(lambda: not processes_under(machine.go))  # the orphaned Go has ended
    build("etcd")
    assert machine.kept == [locate(["etcd"]).binary("etcd").parent.parent.name]


def assert_interrupted(builder: subprocess.Popen[str], machine: Machine) -> None:
    """The command has said that it was interrupted, and nothing of it is left."""
    _, said = builder.communicate()
    assert builder.returncode == 130
    assert said.splitlines()[-1] == "toolchain: interrupted; nothing half-made is left"
    assert "Traceback" not in said
    assert machine.kept == []
    eventually(lambda: not processes_under(machine.go), what="Go has ended")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_build_leaves_nothing(machine: Machine, number: signal.Signals) -> None:
    (machine.go / "gate-server").touch()
    builder = machine.start("build", "etcd")
    eventually(lambda: machine.builds("etcd"))
    builder.send_signal(number)
    assert_interrupted(builder, machine)


def test_a_build_that_is_interrupted_twice_leaves_nothing(machine: Machine) -> None:
    for name in ("gate-server", "stubborn"):
        (machine.go / name).touch()
    builder = machine.start("build", "etcd")
    eventually(lambda: machine.builds("etcd"))
    builder.send_signal(signal.SIGINT)
    eventually((machine.go / "interrupted").exists)
    builder.send_signal(signal.SIGTERM)
    assert_interrupted(builder, machine)


def test_a_build_that_is_interrupted_while_it_lists_leaves_nothing(machine: Machine) -> None:
    (machine.go / "gate-list").touch()
    builder = machine.start("build", "etcd", "actionlint")
    eventually((machine.go / "lists").exists)
    builder.send_signal(signal.SIGINT)
    assert_interrupted(builder, machine)


def test_an_interrupt_while_go_is_being_started_leaves_no_go(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    (machine.go / "gate-list").touch()
    start: Callable[..., None] = subprocess.Popen.__init__

    def start_and_interrupt(process: subprocess.Popen[str], arguments: list[str], **settings: object) -> None:
        start(process, arguments, **settings)
        if "-deps" in arguments:  # the process runs, and nothing knows of it yet
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(subprocess.Popen, "__init__", start_and_interrupt)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # other tests may have let it be ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            build("etcd")
    finally:
        signal.signal(signal.SIGINT, before)
    assert machine.kept == []
    eventually(lambda: not processes_under(machine.go), what="Go has ended")


def test_two_builders_of_one_tool_build_it_once(machine: Machine) -> None:
    gate = machine.go / "gate-server"
    gate.touch()
    first = machine.start("build", "etcd")
    eventually(lambda: machine.builds("etcd"))
    second = machine.start("build", "etcd")
    assert second.stderr is not None
    waiting = [next(second.stderr) for _ in range(2)][-1]
    gate.unlink()
    said = [process.communicate()[1] for process in (first, second)]
    assert waiting == f"etcd {ETCD}: waiting for process {first.pid}, which is building it\n"
    assert [first.returncode, second.returncode] == [0, 0], said
    assert said[0].splitlines()[-1].startswith(f"etcd {ETCD}: built in ")
    assert said[1] == f"etcd {ETCD}: another process has built it\n"
    assert len(machine.builds("etcd")) == 1
    assert len(machine.kept) == 1


def test_without_go_the_error_says_what_to_install(machine: Machine) -> None:
    (machine.go / "go").unlink()
    with pytest.raises(ToolchainError) as refused:
        build("etcd", "kwok")
    assert str(refused.value) == (
        "Go 1.26.0 or later is needed to build etcd, kwok, and there is no go on the PATH. "
        "Install it from https://go.dev/dl (or with the system's package manager), then run this again."
    )


def test_the_highest_release_of_the_needed_modules_counts(machine: Machine, modules: Path) -> None:
    pin = modules / "actionlint" / "go.mod"
    pin.write_text(pin.read_text().replace("\ngo 1.26.0\n", "\ngo 1.200.1\n"))
    (machine.go / "version").write_text("go1.200.0\n")
    with pytest.raises(ToolchainError) as refused:
        build("etcd", "actionlint")
    assert str(refused.value) == (
        f"Go 1.200.1 or later is needed to build etcd, actionlint, and {machine.go / 'go'} is 1.200.0. "
        "Install it from https://go.dev/dl (or with the system's package manager), then run this again."
    )
    build("etcd")
    assert len(machine.kept) == 1


def test_a_cache_that_cannot_be_written_is_one_clear_error(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    (machine.root / "file").touch()
    monkeypatch.setenv("TPU_PLATFORM_CACHE", str(machine.root / "file"))
    with pytest.raises(ToolchainError, match=f"^etcd {ETCD} was not built: .*Not a directory"):
        build("etcd")


def test_a_folder_for_temporary_files_that_is_not_there_is_one_clear_error(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(machine.root / "none"))
    with pytest.raises(ToolchainError, match=f"^etcd {ETCD} was not built: .*No such file or directory"):
        build("etcd")


def test_list_says_the_state_of_every_tool(machine: Machine) -> None:
    build("etcd")
    machine.install("helm", f"{HELM}+g0123456")
    said, _ = machine.start("list").communicate()
    lines = {line.split()[0]: line.split()[1:] for line in said.splitlines()}
    assert lines["etcd"] == [ETCD, "built", str(locate(["etcd"]).binary("etcd"))]
    assert lines["helm"] == [HELM, "installed", str(machine.root / "bin" / "helm")]
    assert lines["kwok"][:2] == [KWOK, "missing"]
