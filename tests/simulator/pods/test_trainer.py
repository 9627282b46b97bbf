"""The trainer behind its image: what is started for a container, and that nothing else ever is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from payloads.fraud_detection import __main__ as program

from simulator.pods.programs import Invocation, ProgramError
from simulator.pods.trainer import COMMAND, MODULE, SHARE, SHARE_VARIABLE, VARIABLES, WORKING_FOLDER, Trainer
from tests.simulator.pods.podspecs import PodBuilder, a_pod
from tests.simulator.pods.prepared import Preparation
from tests.simulator.pods.storage_double import StorageDouble

_ROOT: Final = Path(__file__).parent.parent.parent.parent
_PYTHON: Final = [sys.executable, "-m", MODULE]
_INSTEAD: Final = f"in the simulator an image fraud-detection runs python -m {MODULE} with its arguments"
_ME: Final = f"{os.getuid()}:{os.getgid()}"


@pytest.fixture
def prepared(tmp_path: Path) -> Preparation:
    """A folder for the pod, and a share that is a folder beside it."""
    (tmp_path / "share").mkdir()
    return Preparation(tmp_path / "pod", storage=StorageDouble(shares={("10.0.0.2", "/data"): tmp_path / "share"}))


def trainer(*arguments: str, **container: object) -> PodBuilder:
    """A pod of the trainer with those arguments that mounts the share; `container` are further fields of it."""
    pod = a_pod().container("registry.example/fraud-detection:1.0.0", args=arguments)
    pod.document["spec"]["containers"][0] |= container
    return pod.mounting("files", "/mnt/fileserver", {"nfs": {"server": "10.0.0.2", "path": "/data"}})


def started(prepared: Preparation, pod: PodBuilder) -> Invocation:
    """What is started for the pod."""
    return Trainer().invocation(prepared.surroundings(pod))


@pytest.mark.parametrize(
    ("pod", "words"),
    [
        (trainer(), ["work"]),
        (trainer("work", "--lease", "5"), ["work", "--lease", "5"]),
        (trainer("status", command=["python", "-m", MODULE]), ["status"]),
        (trainer("--json", command=["/opt/trainer/bin/python3.11", "-m", MODULE, "queue"]), ["queue", "--json"]),
    ],
)
def test_the_container_says_what_the_program_does(prepared: Preparation, pod: PodBuilder, words: list[str]) -> None:
    assert started(prepared, pod).arguments == [*_PYTHON, *words]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("generate", "--to", "/mnt/fileserver/datasets"), ["generate", "--to", "{share}/datasets"]),
        (("generate", "--to=/mnt/fileserver/a/../b"), ["generate", "--to", "{share}/b"]),
        (("generate", "--to", "made"), ["generate", "--to", "{own}/opt/payloads/made"]),
        (("results", "--share", "/data"), ["results", "--share", "{own}/data"]),
        (("prepare",), ["prepare", "--owner", _ME]),
        (("prepare", "--owner", "1:2", "--json"), ["prepare", "--json", "--owner", _ME]),
        (("prepare", "--owner=1:2"), ["prepare", "--owner", _ME]),
        (("generate", "--to"), ["generate", "--to"]),
    ],
)
def test_paths_and_owners_are_those_of_this_machine(
    prepared: Preparation, arguments: tuple[str, ...], words: list[str]
) -> None:
    share, own = prepared.folder / "volumes" / "files", prepared.folder / "root"
    expected = [word.format(share=share, own=own) for word in words]
    assert started(prepared, trainer(*arguments)).arguments == [*_PYTHON, *expected]


@pytest.mark.parametrize(
    "path", ["/mnt/fileserver/../../etc", "../../../../../../etc", "//etc", "/mnt/fileserver/../../../../../../etc"]
)
def test_no_path_leads_out_of_the_pod(prepared: Preparation, path: str) -> None:
    found = started(prepared, trainer("generate", "--to", path)).arguments[-1]
    assert found == str(prepared.folder / "root" / "etc")


def test_the_share_is_where_the_pod_mounts_it(prepared: Preparation) -> None:
    variables = started(prepared, trainer()).environment
    assert variables["SHARE_PATH"] == str(prepared.folder / "volumes" / "files")
    named = trainer(env=[{"name": "SHARE_PATH", "value": "/srv"}]).mounting("s", "/srv", {"emptyDir": {}})
    assert started(prepared, named).environment["SHARE_PATH"] == str(prepared.folder / "volumes" / "s")


def test_the_containers_variables_go_before_those_of_the_image(prepared: Preparation) -> None:
    variables = started(prepared, trainer(env=[{"name": "OMP_NUM_THREADS", "value": "2"}])).environment
    assert variables["OMP_NUM_THREADS"] == "2"
    assert variables["OPENBLAS_NUM_THREADS"] == "1"


@pytest.mark.parametrize(
    ("pod", "text"),
    [
        (
            trainer(command=["sh", "-c", "python -m payloads.fraud_detection work"]),
            f"the container's command is sh -c python -m {MODULE} work; {_INSTEAD}",
        ),
        (
            trainer(command=["python", "-m", "http.server"]),
            f"the container's command is python -m http.server; {_INSTEAD}",
        ),
        (
            trainer(command=["python", "-c", MODULE]),
            f"the container's command is python -c {MODULE}; {_INSTEAD}",
        ),
        (
            trainer(env=[{"name": "PYTHONPATH", "value": "/x"}, {"name": "LD_PRELOAD", "value": "/x"}]),
            "PYTHONPATH, LD_PRELOAD: the simulator starts fraud-detection on a Python of its own",
        ),
    ],
)
def test_anything_else_is_refused(prepared: Preparation, pod: PodBuilder, text: str) -> None:
    with pytest.raises(ProgramError) as caught:
        started(prepared, pod)
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize(
    "name", ["LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONSAFEPATH"]
)
def test_no_variable_changes_which_program_is_run(prepared: Preparation, name: str) -> None:
    with pytest.raises(ProgramError, match=f"^{name}: the simulator starts fraud-detection on a Python of its own$"):
        started(prepared, trainer(env=[{"name": name, "value": "/x"}]))


def test_a_program_of_that_name_in_the_working_folder_is_not_the_one(prepared: Preparation) -> None:
    theirs = prepared.folder.parent / "share" / "payloads" / "fraud_detection"
    theirs.mkdir(parents=True)
    for file in (theirs / "__init__.py", theirs.parent / "__init__.py"):
        file.write_text("raise SystemExit(7)\n")
    invocation = started(prepared, trainer("prepare", workingDir="/mnt/fileserver"))
    assert invocation.folder.resolve() == theirs.parent.parent
    done = subprocess.run(
        invocation.arguments,
        cwd=invocation.folder,
        env=dict(invocation.environment),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_image_is_as_its_dockerfile_says() -> None:
    text = (_ROOT / "examples" / "trainer" / "payloads" / "fraud_detection" / "Dockerfile").read_text()
    (said,) = re.findall(r"^ENV (.*)$", text, re.MULTILINE)
    assert dict(pair.split("=") for pair in said.split()) == VARIABLES
    assert f"WORKDIR {WORKING_FOLDER}\n" in text
    assert f'"-m", "{MODULE}"]\n' in text
    assert text.endswith(f'CMD ["{COMMAND[0]}"]\n')


def test_the_volume_is_where_the_program_expects_it() -> None:
    assert (SHARE_VARIABLE, SHARE) == (program.SHARE_VARIABLE, program.SHARE)
