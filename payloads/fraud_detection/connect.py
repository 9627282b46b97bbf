"""The connection to Redis: where it is, and patience while it is started again."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, cast

import redis
from redis import exceptions
from redis.backoff import NoBackoff
from redis.retry import Retry

from payloads.fraud_detection.errors import ServerError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_PORT: Final = 6379
_REPLY_SECONDS: Final = 5.0
_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 2.0


class _Client(Protocol):
    """The methods that are used of a Redis client, whose own types say little."""

    def execute_command(self, *words: str | int) -> object: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Address:
    """Where Redis is."""

    host: str
    port: int
    password: str | None

    @classmethod
    def found(cls, environment: Mapping[str, str], host: str | None = None, port: int | None = None) -> Address:
        """From the flags, else from REDIS_HOST, REDIS_PORT and REDIS_PASSWORD.

        A Service of that name in the pod's own environment is taken at its address there: it needs no DNS.

        Raises:
            ServerError: REDIS_PORT is not a number.
        """
        name = host if host is not None else environment.get("REDIS_HOST", "localhost")
        service = name.upper().replace("-", "_")
        address = environment.get(f"{service}_SERVICE_HOST")
        if address is not None and port is None:
            given = environment.get(f"{service}_SERVICE_PORT", str(_PORT))
        else:
            given = str(port) if port is not None else environment.get("REDIS_PORT", str(_PORT))
        if not given.isdecimal():
            raise ServerError(f"the port of Redis is {given!r}, which is not a number: set REDIS_PORT")
        return cls(name if address is None else address, int(given), environment.get("REDIS_PASSWORD"))


class Server:
    """A Redis that may be gone for a while."""

    def __init__(self, address: Address, *, patience: float, wait: Callable[[float], None]) -> None:
        """`patience` in seconds is how long Redis may be gone at a time; `wait` may raise to end the waiting."""
        self._address = address
        self._patience = patience
        self._wait = wait
        client = redis.Redis(
            host=address.host,
            port=address.port,
            password=address.password,
            decode_responses=True,
            encoding_errors="surrogateescape",  # a name that is not UTF-8 must not stop readers of the list
            socket_timeout=_REPLY_SECONDS,
            socket_connect_timeout=_REPLY_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )
        self._client = cast("_Client", client)

    def call(self, *words: str | int) -> object:
        """The answer to a command, which may be sent more than once.

        Raises:
            ServerError: there is no answer within the patience, or the server refuses.
        """
        deadline, pause = time.monotonic() + self._patience, _FIRST_PAUSE
        while True:
            try:
                return self._client.execute_command(*words)
            except exceptions.AuthenticationError as error:
                raise ServerError(f"Redis at {self._at} refuses the password in REDIS_PASSWORD: {error}") from error
            except (exceptions.ConnectionError, exceptions.TimeoutError) as error:
                if time.monotonic() >= deadline:
                    raise ServerError(f"Redis at {self._at} did not answer for {self._patience:.0f} s") from error
            except exceptions.RedisError as error:
                raise ServerError(f"Redis at {self._at} answers: {error}") from error
            self._wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def run(self, script: str, keys: tuple[str, ...], *arguments: str | int) -> object:
        """The result of a script."""
        return self.call("EVAL", script, len(keys), *keys, *arguments)

    def close(self) -> None:
        """End the connection."""
        self._client.close()

    @property
    def _at(self) -> str:
        return f"{self._address.host}:{self._address.port}"


def address_from_environment(host: str | None, port: int | None) -> Address:
    """The address that the process was given."""
    return Address.found(os.environ, host, port)
