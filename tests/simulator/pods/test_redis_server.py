"""Redis behind its image: what is written for the server, and a server that really runs."""

from __future__ import annotations

import base64
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import pytest
from valkey import Valkey
from valkey.exceptions import AuthenticationError

from simulator.pods.programs import Check, ProgramError, Surroundings
from simulator.pods.redis_server import RedisServer
from simulator.ports import free_port
from tests.eventually import eventually
from tests.simulator.pods.podspecs import PodBuilder, a_pod
from tests.simulator.pods.prepared import Preparation

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

_PASSWORD: Final = 'a "b" \\\\ #c'  # noqa: S105  what a configuration file might misread
_CONFIG: Final = "/api/v1/namespaces/team/configmaps/conf"


def redis(*arguments: str, **container: object) -> PodBuilder:
    """A pod of Redis with those arguments; `container` are further fields of its container."""
    pod = a_pod().container("redis:7.2", args=arguments)
    pod.document["spec"]["containers"][0] |= container
    return pod


@pytest.fixture
def prepared(tmp_path: Path) -> Preparation:
    """A folder for the pod."""
    return Preparation(tmp_path)


def written(prepared: Preparation, pod: PodBuilder) -> list[str]:
    """The configuration that is written for the server."""
    invocation = RedisServer().invocation(prepared.surroundings(pod))
    path = prepared.folder / "redis.conf"
    assert invocation.arguments[1:] == [str(path)], "a password is not for the list of processes"
    assert path.stat().st_mode & 0o777 == 0o600
    return path.read_text().splitlines()


_OWN: Final = ['port "40000"', 'bind "127.0.0.1"', 'daemonize "no"']


@pytest.mark.parametrize(
    "pod",
    [
        redis("redis-server", "--appendonly", "yes", "--save", "60", "1"),
        redis("--appendonly", "yes", "--save", "60", "1"),
        redis("--appendonly", "yes", "--save", "60", "1", command=["redis-server"]),
        redis(command=["/usr/local/bin/redis-server", "--appendonly", "yes", "--save", "60", "1"]),
        redis("redis-server", "--appendonly", "yes", "--save", "60", "1", command=["docker-entrypoint.sh"]),
    ],
)
def test_command_and_arguments_are_read_as_the_image_does(prepared: Preparation, pod: PodBuilder) -> None:
    assert written(prepared, pod) == ['appendonly "yes"', 'save "60" "1"', *_OWN]


def test_without_arguments_it_has_its_own_settings(prepared: Preparation) -> None:
    assert written(prepared, redis()) == _OWN
    assert prepared.ports == {6379: 40000}


def test_the_address_is_the_simulators(prepared: Preparation) -> None:
    assert written(prepared, redis("--port", "7000", "--bind", "0.0.0.0", "--daemonize", "yes")) == _OWN  # noqa: S104
    assert prepared.ports == {7000: 40000}


def test_paths_lead_into_volumes_or_the_pods_own_folder(prepared: Preparation) -> None:
    pod = redis("--dir", "/files/queue", "--aclfile", "/etc/acl", "--logfile", "")
    pod.mounting("v", "/files", {"emptyDir": {}})
    root = prepared.folder
    assert written(prepared, pod) == [
        f'dir "{root}/volumes/v/queue"',
        f'aclfile "{root}/root/etc/acl"',
        'logfile ""',
        *_OWN,
    ]
    assert (root / "volumes" / "v" / "queue").is_dir()


def test_a_configuration_file_comes_from_a_volume_and_yields_to_options(prepared: Preparation) -> None:
    text = '# queue\nport 7001\n\nrequirepass "a b"\nDIR /data\n'
    prepared.cluster.put(_CONFIG, {"kind": "ConfigMap", "metadata": {}, "data": {"redis.conf": text}})
    pod = redis("/etc/redis.conf", "--requirepass", "c")
    pod.mounting("v", "/etc/redis.conf", {"configMap": {"name": "conf"}}, subPath="redis.conf")
    expected = ['requirepass "a b"', f'dir "{prepared.folder}/root/data"', 'requirepass "c"', *_OWN]
    assert written(prepared, pod) == expected
    assert prepared.ports == {7001: 40000}


@pytest.mark.parametrize(
    ("pod", "text"),
    [
        (
            redis(command=["sh", "-c", "redis-server"]),
            "the container's command is sh; in the simulator a Redis image runs redis-server with its arguments",
        ),
        (redis("bash"), "the container's arguments begin with bash, which is not redis-server"),
        (redis("redis-server", "/a.conf"), "the container has no configuration file /a.conf in a mounted volume"),
        (redis("--port", "0"), "port 0: a Redis server in the simulator listens on a port"),
        (redis("-v"), "-v: an option of redis-server begins with --"),
    ],
)
def test_what_cannot_be_started_is_refused(prepared: Preparation, pod: PodBuilder, text: str) -> None:
    with pytest.raises(ProgramError) as caught:
        RedisServer().invocation(prepared.surroundings(pod))
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (
            ["sh", "-c", "redis-cli ping"],
            "the simulator does not run the probe's command ['sh', '-c', 'redis-cli ping'] in",
        ),
        (["redis-cli", "-u", "redis://x", "ping"], "redis-cli -u: the simulator knows"),
        (["redis-cli", "-p", "6379"], "redis-cli without a command"),
    ],
)
def test_a_probe_that_is_not_known_is_refused(prepared: Preparation, command: list[str], text: str) -> None:
    with pytest.raises(ProgramError) as caught:
        RedisServer().check(command, prepared.surroundings(redis()))
    assert str(caught.value).startswith(text)


@dataclass
class Running:
    """A server that runs, and what it was started in."""

    process: subprocess.Popen[bytes]
    surroundings: Surroundings
    port: int

    def say(self, *words: str, password: str | None = None) -> object:
        """The server's answer to a command."""
        client = Valkey(host="127.0.0.1", port=self.port, password=password, decode_responses=True)
        with client:
            return cast("object", client.execute_command(*words))  # pyright: ignore[reportUnknownMemberType]  its types

    def check(self, *command: str) -> Check:
        """A probe of its container."""
        return RedisServer().check(list(command), self.surroundings)


@pytest.fixture
def server(prepared: Preparation) -> Generator[Running]:
    """A server with a password from a Secret and its data in a volume."""
    prepared.free_port = free_port
    password = base64.b64encode(_PASSWORD.encode()).decode()
    prepared.cluster.put("/api/v1/namespaces/team/secrets/queue", {"metadata": {}, "data": {"password": password}})
    variable = {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "queue", "key": "password"}}}
    pod = redis("redis-server", "--requirepass", "$(PASSWORD)", "--appendonly", "yes", "--dir", "/data", env=[variable])
    pod.mounting("data", "/data", {"emptyDir": {}})
    surroundings = prepared.surroundings(pod)
    invocation = RedisServer().invocation(surroundings)
    process = subprocess.Popen(invocation.arguments, cwd=invocation.folder, stdout=subprocess.DEVNULL)
    running = Running(process, surroundings, prepared.ports[6379])
    eventually(running.check("redis-cli", "ping").answers)
    yield running
    process.terminate()
    process.wait(10)


def test_a_real_server_asks_for_the_password_and_keeps_its_data_in_the_volume(server: Running) -> None:
    with pytest.raises(AuthenticationError):
        server.say("PING")
    assert server.say("RPUSH", "datasets", "2018-04-01", "2018-04-02", password=_PASSWORD) == 2
    assert server.say("LPOP", "datasets", password=_PASSWORD) == "2018-04-01"
    assert server.check("redis-cli", "-a", _PASSWORD, "--no-auth-warning", "ping").answers()
    kept = server.surroundings.folder / "volumes" / "data" / "appendonlydir"
    assert any(b"2018-04-02" in path.read_bytes() for path in kept.iterdir())


def test_a_server_that_is_gone_does_not_answer(server: Running) -> None:
    probe = server.check("redis-cli", "ping")
    server.process.terminate()
    server.process.wait(10)
    assert not probe.answers()
