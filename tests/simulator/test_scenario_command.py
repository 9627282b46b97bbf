"""The files of scenarios, and the command that has them played."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest

from simulator import __main__ as command_line
from simulator.cloud.api import Kind
from simulator.commands import CommandError, scenario
from simulator.commands.scenario import Held, read
from simulator.home import Home
from simulator.scenario import Step
from simulator.scenarios import stacks
from tests.stacks import committed

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.cloud.cloud import Cloud
    from tests.simulator.conftest import World

_FILE = """
secrets: [{project: my-project, name: key, value: made up}]
steps: [{after: 600, workload: team/train, lose_slice: true}]
"""


class Daemon:
    """Doubles the daemon: writes down what it is asked to play."""

    def __init__(self) -> None:
        self.played: list[list[dict[str, Any]]] = []

    def call(self, method: str, *, steps: list[dict[str, Any]]) -> None:
        assert method == "scenario.play"
        self.played.append(steps)


@pytest.fixture
def daemon(world: World, monkeypatch: pytest.MonkeyPatch) -> Daemon:
    """A daemon whose cloud is in this process."""
    made = Daemon()

    def found(_: Home) -> Daemon:
        """Doubles the start of the daemon."""
        return made

    def own_cloud(_: Daemon) -> Cloud:
        """Doubles the cloud of the daemon."""
        return world.cloud

    monkeypatch.setattr(scenario, "ensure", found)
    monkeypatch.setattr(scenario, "RemoteCloud", own_cloud)
    return made


def test_the_command_line_plays_a_file(
    daemon: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "loss.yaml"
    file.write_text(_FILE)
    monkeypatch.setattr("sys.argv", ["simulator", "--home", str(tmp_path / "home"), "scenario", str(file)])
    command_line.main()
    assert capsys.readouterr().out.splitlines() == [
        "scenario: secret key of my-project has a value",
        "scenario: lose its slice 600 s after team/train runs",
    ]
    assert [[Step.of(each) for each in steps] for steps in daemon.played] == [read(str(file)).steps]


def test_a_secret_that_has_a_value_keeps_it(world: World, daemon: Daemon, tmp_path: Path) -> None:
    file = tmp_path / "loss.yaml"
    file.write_text(_FILE)
    home = Home(tmp_path / "home")
    first, second = (list(scenario.scenario(home, str(file))) for _ in range(2))
    assert [line for line in first if line not in second] == ["scenario: secret key of my-project has a value"]
    assert len(world.cloud.list(Kind.CONFIDENTIAL_VERSION)) == 1
    assert len(daemon.played) == 2


def test_a_stack_without_a_scenario_ends_the_one_before(daemon: Daemon, tmp_path: Path) -> None:
    assert list(scenario.scenario(Home(tmp_path / "home"), "multislice")) == []
    assert daemon.played == [[]]


def test_a_file_has_steps_and_secrets(tmp_path: Path) -> None:
    file = tmp_path / "loss.yaml"
    file.write_text("steps: [{after: 600, workload: team/train, lose: [slice-0]}]\n")
    assert read(str(file)).steps == [Step(workload="team/train", seconds=600, lose=("slice-0",))]
    file.write_text(
        "secrets: [{project: p, name: key, value: made up}]\n"
        "steps:\n"
        "- {after: 0, workload: team/train, out_of_stock: [tpu-v6e-slice], back_in_stock: [nvidia-l4]}\n"
        "- {after: 0, workload: team/train, lose_slice: true}\n"
    )
    script = read(str(file))
    shortage = Step(workload="team/train", seconds=0, out=("tpu-v6e-slice",), back=("nvidia-l4",))
    assert script.steps == [shortage, Step(workload="team/train", seconds=0, lose_slice=True)]
    assert script.secrets == [Held(project="p", name="key", value="made up")]
    assert [Step.of(asdict(step)) for step in script.steps] == script.steps


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("steps: [{after: -1, workload: w}]", "steps.0.after: Input should be greater than or equal to 0"),
        ("steps: [{after: 1, workload: w, loose: [x]}]", "steps.0.loose: Extra inputs are not permitted"),
        ("steps: [{after: .nan, workload: w}]", "steps.0.after: Input should be a finite number"),
        ("secrets: [{project: p, name: key}]", "secrets.0.value: Field required"),
        ("[]", "the file: Input should be a valid dictionary"),
        ("[", "is not YAML"),
    ],
)
def test_a_file_that_is_not_a_scenario_is_refused(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    with pytest.raises(CommandError) as refusal:
        read(str(file))
    assert says in str(refusal.value)


def test_a_file_that_is_missing_is_an_error_and_a_stack_without_one_has_no_steps(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        read(str(tmp_path / "none.yaml"))
    assert read("multislice").steps == []


@pytest.mark.parametrize("stack", stacks())
def test_the_scenario_of_a_stack_is_sound(stack: str) -> None:
    assert stack in committed()
    assert read(stack).steps
