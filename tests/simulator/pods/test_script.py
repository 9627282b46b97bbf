"""The output, the time and the exit code of a container's command."""

from __future__ import annotations

import math
from typing import Final

import pytest

from components.model.facts.pathways import PROXY_REPOSITORY, SERVER_REPOSITORY
from simulator.pods.script import (
    TRAINING_START_SECONDS,
    TRAINING_STEP_SECONDS,
    Script,
    Step,
    longest,
    read_script,
)
from tests.simulator.pods.podspecs import a_pod

_COUNTS: Final = {"jax.device_count": 8, "jax.local_device_count": 4}


def read(*command: str, image: str = "busybox:1", args: tuple[str, ...] = ()) -> Script:
    """The steps of a container with that command."""
    return read_script(a_pod().container(image, *command, args=args).document["spec"]["containers"][0], _COUNTS)


def bash(script: str, *options: str) -> Script:
    """The steps of a shell script."""
    return read("bash", *options, "-c", script)


def printed(script: Script) -> list[str]:
    """The lines that it prints."""
    return [step.output for step in script.steps if step.output is not None]


@pytest.mark.parametrize(
    ("command", "seconds", "lines", "code"),
    [
        (("sleep", "60"), 60.0, [], 0),
        (("/bin/sleep", "1.5m", "2s"), 92.0, [], 0),
        (("sleep", "infinity"), math.inf, [], 0),
        (("sleep", "$N"), 0.0, ["[simulator] not run: sleep $N"], 0),
        (("sleep",), 0.0, ["[simulator] not run: sleep"], 0),
        (("echo", "a", "b"), 0.0, ["a b"], 0),
        (("echo", "-e", "a\\nb"), 0.0, ["[simulator] not run: echo -e a\\nb"], 0),
        (("true",), 0.0, [], 0),
        (("false",), 0.0, [], 1),
        (("nvidia-smi", "-L"), 0.0, ["[simulator] not run: nvidia-smi -L"], 0),
        (("sh", "script.sh"), 0.0, ["[simulator] not run: sh script.sh"], 0),
    ],
)
def test_a_single_command(command: tuple[str, ...], seconds: float, lines: list[str], code: int) -> None:
    script = read(*command)
    assert (script.seconds, printed(script), script.exit_code) == (seconds, lines, code)


@pytest.mark.parametrize(
    ("text", "seconds", "lines", "code"),
    [
        ("echo start; sleep 60; echo end", 60.0, ["start", "end"], 0),
        ("sleep 5 # a while\necho done", 5.0, ["done"], 0),
        ("echo one\nexit 3\necho two", 0.0, ["one"], 3),
        ("false\nexit", 0.0, [], 1),
        ("false; sleep 5", 5.0, [], 0),
        ("sleep 5; false", 5.0, [], 1),
        ("false && sleep 5; true || sleep 7; sleep 1", 1.0, [], 0),
        ("false || echo saved", 0.0, ["saved"], 0),
        ("exec sleep 5; echo never", 5.0, [], 0),
        (
            "echo -e 'a\\nb' | cat; x=$(nvidia-smi); echo \"<$x>\"",
            0.0,
            ["a", "b", "[simulator] not run: nvidia-smi", "<>"],
            0,
        ),
        ("mkdir -p a || exit 1", 0.0, ["[simulator] not run: mkdir -p a"], 0),
        ("set -e; false || sleep 1; false; sleep 5", 1.0, [], 1),
        ("set -euo pipefail\nfalse\necho no", 0.0, [], 1),
        ("echo quiet > /dev/null; sleep 2 > /dev/null", 2.0, [], 0),
        ("echo $JOB", 0.0, ["[simulator] not known here: $JOB", ""], 0),
        ("for i in 1 2; do\n  sleep 9\ndone; echo after", 18.0, ["after"], 0),
        ("sleep 60 & sleep 20; wait; echo after", 60.0, ["after"], 0),
        ("sleep infinity; echo never", math.inf, [], 0),
        ("while true; do sleep 60; done", math.inf, [], 0),
        ("echo 'open", 0.0, ["bash:1:6: reached EOF without closing quote `'`"], 2),
        ("cat <(echo a)", 0.0, ["[simulator] not run: a script with <(...) or >(...)"], 0),
        ("sh -c 'sleep 3; exit 4'", 3.0, [], 4),
        ("", 0.0, [], 0),
    ],
)
def test_a_shell_script(text: str, seconds: float, lines: list[str], code: int) -> None:
    script = bash(text)
    assert (script.seconds, printed(script), script.exit_code) == (seconds, lines, code)


@pytest.mark.parametrize("options", [("-e",), ("-eux",), ("-euo", "pipefail"), ("--norc", "-e")])
def test_shell_options_are_not_the_script(options: tuple[str, ...]) -> None:
    script = bash("sleep 1; false; sleep 9", *options)
    assert (script.seconds, script.exit_code) == (1.0, 1)
    assert bash("false; sleep 9", "--norc").seconds == 9.0


_ENV: Final = [
    {"name": "SECONDS_OF_WORK", "value": "7"},
    {"name": "CODE", "value": "3"},
    {"name": "WHO", "value": 'you $and "me"'},
    {"name": "BOTH", "value": "$(CODE)-$(WHO)"},
    {"name": "EMPTY", "value": ""},
    {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "token"}}},
]


def _with_variables(*command: str, args: tuple[str, ...] = ()) -> Script:
    return read_script({"name": "c", "image": "img", "command": list(command), "args": list(args), "env": _ENV}, {})


@pytest.mark.parametrize(
    ("text", "seconds", "lines", "code"),
    [
        ("sleep $SECONDS_OF_WORK; exit ${CODE}", 7.0, [], 3),
        ('echo "hello $WHO" done', 0.0, ['hello you $and "me" done'], 0),
        ("echo '$CODE' \\$CODE", 0.0, ["$CODE $CODE"], 0),
        ('echo "$EMPTY"x', 0.0, ["x"], 0),
        ("echo $WHO", 0.0, ['you $and "me"'], 0),
        ("echo $EMPTY", 0.0, [""], 0),
        ("echo $TOKEN", 0.0, ["[simulator] not known here: $TOKEN", ""], 0),
        ("CODE=4; exit $CODE", 0.0, [], 4),
    ],
)
def test_a_script_sees_the_variables_of_its_container(text: str, seconds: float, lines: list[str], code: int) -> None:
    script = _with_variables("bash", "-c", text)
    assert (script.seconds, script.exit_code) == (seconds, code)
    assert [step.output for step in script.steps if step.output is not None] == lines


@pytest.mark.parametrize(
    ("text", "needs_machine"),
    [
        ("for i in 1 2; do sleep $i; read x; done; y=$CODE; echo $x $y $PWD $? $1 > /dev/null", False),
        ("echo $TOKEN", True),
        ("sleep ${TOKEN:-5}", True),
        ("sleep ${CODE:-5}", False),
        ("echo 1 > /ckpt/step", True),
        ("[ -f /ckpt/step ] || sleep 5", True),
        ("cat /ckpt/step", True),
        ("trap 'echo ended' TERM; sleep 5", True),
        ("pip install jax | tee log", True),
        ("sleep infinity", False),
        ("while true; do sleep 60; done", True),
    ],
)
def test_some_scripts_need_a_machine(text: str, *, needs_machine: bool) -> None:
    assert _with_variables("bash", "-c", text).needs_machine is needs_machine


def test_a_script_that_computes_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulator.pods.script.READING_SECONDS", 0.1)
    script = bash("while :; do :; done")
    assert math.isinf(script.seconds)
    assert script.needs_machine


def test_what_is_read_in_time_is_kept_and_what_is_not_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; sleep 3"
    monkeypatch.setattr("simulator.pods.script.READING_SECONDS", 0.001)
    assert math.isinf(bash(text).seconds)
    monkeypatch.setattr("simulator.pods.script.READING_SECONDS", 0.0)
    whole = bash(text)
    assert (whole.seconds, whole.needs_machine) == (3.0, False)
    assert bash(text) is whole


def test_commands_and_arguments_have_values_in_the_place_of_references() -> None:
    assert _with_variables("sleep", args=("$(SECONDS_OF_WORK)",)).seconds == 7.0
    said = [step.output for step in _with_variables("echo", args=("$(BOTH)", "$$(CODE)", "$(TOKEN)")).steps]
    assert said == ['3-you $and "me" $(CODE) $(TOKEN)']


def test_steps_are_in_the_order_of_the_script() -> None:
    assert bash("echo a; sleep 2; echo b").steps == (Step(output="a"), Step(2.0), Step(output="b"))


@pytest.mark.parametrize(
    ("code", "seconds", "lines", "exit_code"),
    [
        ('import jax; print("Devices:", jax.device_count(), jax.local_device_count())', 0.0, ["Devices: 8 4"], 0),
        ("import time\nprint('a', flush=True)\ntime.sleep(2.5)\nprint(1, 2.5)", 2.5, ["a", "1 2.5"], 0),
        ("print(jax.process_count())", 0.0, ["[simulator] not run: print(jax.process_count())"], 0),
        ("print('a', end='')", 0.0, ["[simulator] not run: print('a', end='')"], 0),
        ("print(f'{x}')\nx = 1", 0.0, ["[simulator] not run: print(f'{x}')", "[simulator] not run: x = 1"], 0),
        ("time.sleep(x)", 0.0, ["[simulator] not run: time.sleep(x)"], 0),
        ("print(", 0.0, ["SyntaxError: '(' was never closed"], 1),
    ],
)
def test_python_statements(code: str, seconds: float, lines: list[str], exit_code: int) -> None:
    script = read("python3", "-u", "-c", code)
    assert (script.seconds, printed(script), script.exit_code) == (seconds, lines, exit_code)


def test_python_without_a_statement_is_not_run() -> None:
    assert printed(read("python", "train.py", "--steps", "3")) == ["[simulator] not run: python train.py --steps 3"]
    assert printed(read("python", "-c")) == ["[simulator] not run: python -c"]


def test_a_training_run_takes_its_time_for_every_step() -> None:
    settings = ("MaxText/configs/base.yml", "model_name=llama2-7b", "run_name=steps=7", "steps=300")
    script = read("python3", "MaxText/train.py", *settings)
    assert script.seconds == TRAINING_START_SECONDS + 300 * TRAINING_STEP_SECONDS
    assert printed(script) == ["[simulator] trains nothing: 300 steps pass", "[simulator] 300 steps have passed"]
    in_a_folder = read("python3", "/deps/src/MaxText/train.py", *settings, "steps=30000")
    assert in_a_folder.seconds == TRAINING_START_SECONDS + 30000 * TRAINING_STEP_SECONDS
    assert read("bash", "-c", "python3 MaxText/train.py base.yml steps=10 && sleep 1").seconds == (
        TRAINING_START_SECONDS + 10 * TRAINING_STEP_SECONDS + 1
    )


def test_a_training_run_of_unknown_length_is_not_run() -> None:
    script = read("python3", "MaxText/train.py", "MaxText/configs/base.yml", "steps=many")
    assert printed(script) == ["[simulator] not run: python3 MaxText/train.py MaxText/configs/base.yml steps=many"]
    assert script.seconds == 0.0


def test_the_seeds_script_is_understood() -> None:
    script = bash("python3 -c 'import jax; print(\"Global device count:\", jax.device_count())'\nsleep 60\n")
    assert (printed(script), script.seconds, script.exit_code) == (["Global device count: 8"], 60.0, 0)


@pytest.mark.parametrize(
    ("image", "args", "seconds"),
    [
        ("gcr.io/k8s-staging-perf-tests/sleep:v0.1.0", ("60s",), 60.0),
        ("mirror:5000/k8s-staging-perf-tests/sleep@sha256:00", ("1m30s",), 90.0),
        ("mirror:5000/k8s-staging-perf-tests/sleep", ("250ms",), 0.25),
        ("gcr.io/k8s-staging-perf-tests/sleep:v0.1.0", ("--verbose",), 0.0),
    ],
)
def test_a_sleep_image_sleeps_for_its_argument(image: str, args: tuple[str, ...], seconds: float) -> None:
    assert read(image=image, args=args).seconds == seconds


@pytest.mark.parametrize("image", [SERVER_REPOSITORY, f"{PROXY_REPOSITORY}:20260128-jax_0.9.0"])
def test_the_servers_of_pathways_serve_until_they_are_stopped(image: str) -> None:
    script = read(image=image, args=("--server_port=29000",))
    assert printed(script) == [f"[simulator] not run: the entrypoint of {image.partition(':')[0]}"]
    assert math.isinf(script.seconds)


def test_a_command_goes_before_what_the_image_would_do() -> None:
    assert read("echo", "hi", image="gcr.io/k8s-staging-perf-tests/sleep:v1").steps == (Step(output="hi"),)
    assert read(args=("sleep", "4")).seconds == 4.0


def test_an_image_without_a_command_is_not_run() -> None:
    assert printed(read(image="registry:5000/team/nginx:1")) == [
        "[simulator] not run: the entrypoint of registry:5000/team/nginx"
    ]


def test_a_pod_ends_with_its_failing_or_else_its_slowest_container() -> None:
    pod = a_pod().container("a", "sleep", "5").container("b", "sleep", "9")
    assert longest(pod.document, {}) == Script((Step(9.0),))
    pod.container("c", "sh", "-c", "sleep 2; exit 1")
    assert longest(pod.document, {}) == Script((Step(2.0),), 1)
    assert longest(a_pod().document, {}) == Script(())
