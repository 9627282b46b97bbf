"""That the tests see a secret wherever one must not be, and a file that is open to others."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

from simulator.files import PRIVATE, private
from simulator.home import Home
from tests.eventually import eventually
from tests.leaks import FILES, assert_hidden, assert_no_secret, processes_watched, secrets_of

if TYPE_CHECKING:
    from pathlib import Path

_SECRET: Final = 'an "open" <sesame>'  # noqa: S105  nobody's
_KEY: Final = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqG\n-----END PRIVATE KEY-----\n"
_WAYS: Final = {
    "clear": _SECRET,
    "base64": base64.b64encode(_SECRET.encode()).decode(),
    "base64 of more": base64.b64encode(f"a{_SECRET}b".encode()).decode(),
    "base64 of much more": base64.b64encode(f"ab{_SECRET}c".encode()).decode(),
    "JSON": json.dumps(_SECRET),
    "JSON of Go": json.dumps(_SECRET).replace("<", "\\u003c").replace(">", "\\u003e"),
}


def _written(home: Path, place: str, text: str, mode: int = PRIVATE) -> None:
    path = home / place
    with private():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    path.chmod(mode)


@pytest.mark.parametrize(
    "place",
    [
        "state/.pulumi/stacks/p/dev.json",
        "state/.pulumi/history/p/dev/dev-1.checkpoint.json",
        "daemon.log",
        "cloud.json",
        "clusters/c/logs/etcd.log",
        "clusters/c/pods/uid/container.log",
        "clusters/c/pods/uid/kubeconfig",
        "clusters/c/config/admin.kubeconfig",
        "shares/p/l/i/s/output/report.txt",
    ],
)
@pytest.mark.parametrize("text", _WAYS.values(), ids=_WAYS)
def test_a_secret_that_is_written_down_is_found(tmp_path: Path, place: str, text: str) -> None:
    _written(tmp_path, place, f"before {text} after")
    with pytest.raises(AssertionError, match=f"password stands in {place}"):
        assert_no_secret(Home(tmp_path), {"password": _SECRET})


def test_a_key_is_found_by_what_lies_between_its_first_line_and_its_last() -> None:
    inside = json.dumps({"key": _KEY.replace("\n", "")})
    with pytest.raises(AssertionError, match="key stands in the page"):
        assert_hidden({"the page": inside, "another": "-----BEGIN PRIVATE KEY-----"}, {"key": _KEY})


def test_a_secret_that_is_not_known_is_not_hidden() -> None:
    with pytest.raises(AssertionError, match="stands everywhere"):
        assert_hidden({}, {"password": ""})


@pytest.mark.parametrize("pattern", FILES)
def test_files_that_may_hold_a_secret_must_be_for_one_user_alone(tmp_path: Path, pattern: str) -> None:
    place = pattern.replace("*", "x")
    _written(tmp_path, "daemon.log", "begun", mode=0o644)
    _written(tmp_path, place, _SECRET)
    assert_no_secret(Home(tmp_path), {"password": _SECRET})
    (tmp_path / place).chmod(0o640)
    with pytest.raises(AssertionError, match=f"{place} is open to others: 640"):
        assert_no_secret(Home(tmp_path), {"password": _SECRET})


def test_a_folder_must_be_for_one_user_alone(tmp_path: Path) -> None:
    _written(tmp_path, "state/inner/file", "text")
    (tmp_path / "state" / "inner").chmod(0o750)
    with pytest.raises(AssertionError, match="state/inner is open to others: 750"):
        assert_no_secret(Home(tmp_path), {"password": _SECRET})


def test_the_secrets_of_a_simulator_are_its_tokens_its_passphrase_and_its_keys(tmp_path: Path) -> None:
    home = Home(tmp_path)
    _written(tmp_path, "daemon.json", json.dumps({"token": "of the daemon"}))
    _written(tmp_path, "clusters/c/pki/admin.key", _KEY)
    _written(tmp_path, "clusters/c/pods/uid/token", "of the pod")
    passphrase, token = home.secret(home.passphrase_file), home.secret(home.token_file)
    assert secrets_of(home) == {
        "passphrase": passphrase,
        "token": token,
        "daemon's token": "of the daemon",
        "clusters/c/pki/admin.key": _KEY,
        "clusters/c/pods/uid/token": "of the pod",
    }


@pytest.mark.parametrize(
    ("words", "variables", "where"),
    [
        ([_SECRET], {}, "the command line"),
        ([], {"OTHER": f"redis://:{_SECRET}@host"}, "the variable OTHER"),
        ([], {"REDIS_PASSWORD": _SECRET}, ""),
    ],
)
def test_a_secret_that_a_process_shows_is_found(words: list[str], variables: dict[str, str], where: str) -> None:
    script = "import sys; sys.stdin.read()"
    child = subprocess.Popen(
        [sys.executable, "-S", "-c", script, "shown", *words], env={**os.environ, **variables}, stdin=subprocess.PIPE
    )
    with processes_watched() as seen:
        eventually(lambda: any(b"shown" in each for each in seen.commands), what="the process")
    child.communicate()
    if where:
        with pytest.raises(AssertionError, match=f"password stands in {where}"):
            seen.assert_no_secret({"password": _SECRET})
    else:
        seen.assert_no_secret({"password": _SECRET})
