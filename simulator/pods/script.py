"""The steps of a container's command, read without running it: its output, its time and its exit code.

Without a shell it reads `sleep`, `echo`, `true` and `false`, the arguments of sleep images, in `python -c` the
statements `print` and `time.sleep` with literals and JAX's device counts, and MaxText's trainer, which takes a fixed
time for every step. A shell's script is interpreted (`shell.py`) without files, and no time passes. The output reports
any other command as not run; such a command takes no time and counts as done: the simulator never pretends to have
computed anything.
"""

from __future__ import annotations

import ast
import functools
import math
import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from components.kubeapi.documents import Document, entries, section
from components.model.facts import pathways
from simulator.pods.container_environment import expanded
from simulator.pods.images import split
from simulator.pods.shell import Shell

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_SHELLS: Final = frozenset({"sh", "bash", "ash", "dash"})
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)?")
_UNIT_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, None: 1.0}
_GO_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|s|m|h))+")
_SLEEP_IMAGES: Final = ("k8s-staging-perf-tests/sleep",)
"""Images whose arguments are one duration to sleep, such as `["60s"]`."""
_SERVERS: Final = (pathways.SERVER_REPOSITORY, pathways.PROXY_REPOSITORY)
"""Images whose program serves until it is stopped, as the workers of Pathways do."""
_TRAINER: Final = "MaxText/train.py"
_TRAINER_STEPS = re.compile(r"steps=(\d+)")
TRAINING_START_SECONDS: Final = 180.0
"""How long a training run takes before its first step: its slices find each other and the step is compiled."""
TRAINING_STEP_SECONDS: Final = 0.05
"""How long a step of training takes. A real step takes seconds: a hundredth of that lets you follow a run of days to
its end."""
READING_SECONDS: Final = 3.0
"""Real seconds after which a script that is read counts as endless; a webhook has ten."""
_STEPS: Final = 500
"""Steps after which it counts as endless too."""
_SCRIPTS: Final = 1024
"""Scripts whose steps are kept."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that the command does."""

    seconds: float = 0.0
    """How long it takes, unscaled."""
    output: str | None = None
    """The line that it prints when it is done."""
    is_error: bool = False
    """Whether it prints the line as an error."""


@dataclass(frozen=True, slots=True)
class Script:
    """The steps of a container from start to end."""

    steps: tuple[Step, ...]
    exit_code: int = 0
    needs_machine: bool = False
    """Whether the steps are a guess: a shell is endless, or uses files, variables or signals of a pod that runs."""

    @property
    def seconds(self) -> float:
        """How long the whole takes, unscaled."""
        return sum(step.seconds for step in self.steps)


def read_script(container: Document, device_counts: Mapping[str, int]) -> Script:
    """The steps of `container` (of a pod spec).

    Args:
        container: name, image, command, args and the variables with a value of their own are read.
        device_counts: values of JAX's counting functions, such as `jax.device_count`.
    """
    variables = variables_of(container)
    command = command_of(container, variables)
    image = split(str(container.get("image", "")))[0]
    if not container.get("command") and image.endswith(_SLEEP_IMAGES):
        return Script(tuple(Step(go_seconds(word)) for word in command if _GO_DURATION.fullmatch(word)))
    if not container.get("command") and image in _SERVERS:
        return Script((*_not_run(f"the entrypoint of {image}").steps, Step(math.inf)))
    if not command:
        return _not_run(f"the entrypoint of {image}")
    if is_shell(command):
        return _read_shell(tuple(command), tuple(variables.items()), tuple(device_counts.items()))
    return read_command(command, device_counts)


def is_shell(command: Sequence[str]) -> bool:
    """Whether a command is a shell with its script."""
    return PurePosixPath(command[0]).name in _SHELLS


def _read_shell(
    command: tuple[str, ...], variables: tuple[tuple[str, str], ...], device_counts: tuple[tuple[str, int], ...]
) -> Script:
    try:
        return _read_whole(command, variables, device_counts)
    except _UnfinishedError as unfinished:
        return Script((*unfinished.steps, Step(math.inf)), needs_machine=True)


@functools.lru_cache(_SCRIPTS)
def _read_whole(
    command: tuple[str, ...], variables: tuple[tuple[str, str], ...], device_counts: tuple[tuple[str, int], ...]
) -> Script:
    recorder = _Recorder(dict(device_counts))
    try:
        code = Shell(command, dict(variables), {}, seconds=READING_SECONDS).run(recorder)
        if code is None:
            raise _UnfinishedError(recorder.steps)
    except _EndlessError:
        code = 0
        recorder.steps.append(Step(math.inf))
    return Script(tuple(recorder.steps), code, needs_machine=recorder.needs_machine or recorder.has_trap)


class _EndlessError(Exception):
    """The script sleeps for ever, or has more steps than are kept."""


class _UnfinishedError(Exception):
    """The shell used up its real seconds or crashed: the next time it may get further, so no result is kept."""

    def __init__(self, steps: Sequence[Step]) -> None:
        super().__init__(f"not finished after {len(steps)} steps")
        self.steps = steps


@dataclass
class _Recorder:
    """The machine of a script that is read: no time passes, and every step is kept."""

    device_counts: Mapping[str, int]
    steps: list[Step] = field(default_factory=list[Step])
    needs_machine: bool = False
    has_trap: bool = False

    def say(self, line: str) -> None:
        """Keep a line."""
        self._keep(Step(output=line))

    def sleep(self, seconds: float, *, until_signal: bool) -> bool:
        """Keep the time."""
        del until_signal
        self._keep(Step(seconds))
        return False

    def need(self) -> None:
        """Note that the steps are a guess."""
        self.needs_machine = True

    def play(self, words: Sequence[str]) -> Script:
        """The steps of a command."""
        return read_command(words, self.device_counts)

    def _keep(self, step: Step) -> None:
        if len(self.steps) == _STEPS or step.seconds == math.inf:
            self.needs_machine |= step.seconds < math.inf
            raise _EndlessError
        self.steps.append(step)


def command_of(container: Document, variables: Mapping[str, str]) -> list[str]:
    """The container's command and arguments, with the values of variables."""
    words = (*(container.get("command") or ()), *(container.get("args") or ()))
    return [expanded(str(word), variables) for word in words]


def variables_of(container: Document) -> dict[str, str]:
    """The variables of a container that have a value of their own.

    >>> variables_of({"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "$(A)$(C)"}]})
    {'A': '1', 'B': '1$(C)'}
    """
    found: dict[str, str] = {}
    for each in entries(container, "env"):
        if "valueFrom" not in each:
            found[str(each["name"])] = expanded(str(each.get("value", "")), found)
    return found


def longest(pod: Document, device_counts: Mapping[str, int]) -> Script:
    """The script that decides when the pod ends: that of its failing container, else of its slowest one."""
    scripts = [read_script(container, device_counts) for container in entries(section(pod, "spec"), "containers")]
    return max(scripts, key=lambda script: (script.exit_code != 0, script.seconds), default=Script(()))


def go_seconds(text: str) -> float:
    """Seconds in a Go duration such as `1m30s`.

    >>> go_seconds("1m30s")
    90.0
    """
    return sum(float(number) * _UNIT_SECONDS[unit or None] for number, unit in _DURATION.findall(text))


def read_command(words: Sequence[str], device_counts: Mapping[str, int]) -> Script:
    """The steps of one command that is not a shell's; the counts are as of `read_script`."""
    readers: dict[str, Callable[[], Script | None]] = {
        "sleep": lambda: _sleep(words[1:]),
        "echo": lambda: None if words[1:] and words[1].startswith("-") else _prints(" ".join(words[1:])),
        "true": lambda: Script(()),
        "false": lambda: Script((), 1),
    }
    program = PurePosixPath(words[0]).name
    read = (lambda: _python(words[1:], device_counts)) if program.startswith("python") else readers.get(program)
    found = None if read is None else read()
    return _not_run(" ".join(words)) if found is None else found


def _not_run(what: str) -> Script:
    """Report that something was not run; counts as success."""
    return Script((Step(output=f"[simulator] not run: {' '.join(what.split())}", is_error=True),))


def _prints(line: str) -> Script:
    return Script((Step(output=line),))


def _sleep(words: Sequence[str]) -> Script | None:
    if list(words) in (["infinity"], ["inf"]):
        return Script((Step(math.inf),))
    times = [_DURATION.fullmatch(word) for word in words]
    if not times or None in times:
        return None
    return Script((Step(sum(float(time[1]) * _UNIT_SECONDS[time[2]] for time in times if time is not None)),))


def _python(words: Sequence[str], device_counts: Mapping[str, int]) -> Script | None:
    if words and words[0].endswith(_TRAINER):
        return _training(words[1:])
    if "-c" not in words[:-1]:
        return None
    try:
        module = ast.parse(words[list(words).index("-c") + 1])
    except SyntaxError as error:
        return Script((Step(output=f"SyntaxError: {error.msg}", is_error=True),), 1)
    statements = [each for each in module.body if not isinstance(each, ast.Import | ast.ImportFrom)]
    return Script(tuple(step for each in statements for step in _statement(each, device_counts).steps))


def _training(settings: Sequence[str]) -> Script | None:
    """A run of MaxText, which takes its settings as `key=value`; the length of a run without steps is unknown."""
    given = [found[1] for word in settings if (found := _TRAINER_STEPS.fullmatch(word))]
    if not given:
        return None
    steps = int(given[-1])
    return Script(
        (
            Step(TRAINING_START_SECONDS, f"[simulator] trains nothing: {steps} steps pass"),
            Step(steps * TRAINING_STEP_SECONDS, f"[simulator] {steps} steps have passed"),
        )
    )


def _statement(statement: ast.stmt, device_counts: Mapping[str, int]) -> Script:
    match statement:
        case ast.Expr(ast.Call(ast.Name("print"), args, keywords)) if {k.arg for k in keywords} <= {"flush"}:
            values = [_value(argument, device_counts) for argument in args]
            if None not in values:
                return _prints(" ".join(str(value) for value in values))
        case ast.Expr(ast.Call(ast.Attribute(ast.Name("time"), "sleep"), [ast.Constant(int() | float() as seconds)])):
            return Script((Step(float(seconds)),))
        case _:
            pass
    return _not_run(ast.unparse(statement))


def _value(node: ast.expr, device_counts: Mapping[str, int]) -> str | int | float | None:
    match node:
        case ast.Constant(str() | int() | float() as value):
            return value
        case ast.Call(ast.Attribute(ast.Name(module), function), []):
            return device_counts.get(f"{module}.{function}")
        case _:
            return None
