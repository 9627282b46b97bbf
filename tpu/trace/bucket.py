"""A record in a bucket of Cloud Storage: fetched into a local file, and put back while that grows.

An object cannot be appended to, so it is replaced as a whole. Each replacement names the generation that it replaces:
a second recorder of the same object is refused, and overwrites nothing.

Source: Cloud Storage's JSON API, `objects: get` and `objects: insert` with `ifGenerationMatch`; $STORAGE_EMULATOR_HOST
as its client libraries read it; read 2026-11.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode

import urllib3
from urllib3.exceptions import HTTPError

from tpu.trace.reading import TraceError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_URL: Final = re.compile(r"gs://(?P<bucket>[^/]+)/(?P<name>.+)")
_EMULATOR: Final = "STORAGE_EMULATOR_HOST"
_SERVICE: Final = "https://storage.googleapis.com"
_METADATA: Final = "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token"
_SECONDS: Final = 60.0
_BLOCK: Final = 1 << 20
_AGAIN: Final = urllib3.Retry(5, backoff_factor=1, status_forcelist=(429, 500, 502, 503, 504), allowed_methods=None)


class BusyError(TraceError):
    """Cloud Storage does not answer for now. Nothing is lost: the next start writes what the object lacks."""


def is_in_bucket(record: str) -> bool:
    """Whether a record is named by the URL of an object, `gs://BUCKET/OBJECT`."""
    return record.startswith("gs://")


class BucketObject:
    """The object that holds a record.

    Raises:
        TraceError: the URL is not `gs://BUCKET/OBJECT`.
    """

    def __init__(self, url: str) -> None:
        found = _URL.fullmatch(url)
        if found is None:
            raise TraceError(f"{url}: name a bucket and an object, such as gs://BUCKET/week.jsonl")
        self._url = url
        self._bucket, self._name = found["bucket"], found["name"]
        self._http = urllib3.PoolManager(timeout=_SECONDS, retries=_AGAIN)
        self._generation = 0
        """Of the content that the local file goes on from; 0 where there is no object."""

    def fetch(self, path: Path) -> bool:
        """Write the object into a file; whether there is one.

        Raises:
            TraceError: the bucket does not exist or may not be read, or Cloud Storage does not answer.
        """
        with self._asked("GET", self._path(), {"alt": "media"}) as answer:
            if answer.status == HTTPStatus.NOT_FOUND and b"bucket does not exist" not in answer.data:
                return False
            self._check(answer)
            with path.open("wb") as file:
                shutil.copyfileobj(answer, file, _BLOCK)
            self._generation = int(answer.headers["x-goog-generation"])
        return True

    def put(self, path: Path) -> None:
        """Replace the object by a file.

        Raises:
            BusyError: Cloud Storage does not answer.
            TraceError: it refuses, or somebody else has written the object.
        """
        query = {"uploadType": "media", "name": self._name, "ifGenerationMatch": str(self._generation)}
        with path.open("rb") as file, self._asked("POST", f"/upload{self._parent()}", query, file) as answer:
            if answer.status != HTTPStatus.PRECONDITION_FAILED:
                self._check(answer)
                self._generation = int(answer.json()["generation"])
                return
        self._take_over(path)

    def _take_over(self, path: Path) -> None:
        """Go on where the object is this file: an answer was lost, and the file was sent twice."""
        with self._asked("GET", self._path(), {}) as answer:
            self._check(answer)
            found = answer.json()
        if found.get("md5Hash") != _md5(path):
            raise TraceError(f"{self._url}: another `tpu record` writes to it. Name another object.")
        self._generation = int(found["generation"])

    def _parent(self) -> str:
        return f"/storage/v1/b/{quote(self._bucket, safe='')}/o"

    def _path(self) -> str:
        return f"{self._parent()}/{quote(self._name, safe='')}"

    @contextmanager
    def _asked(
        self, method: str, path: str, query: dict[str, str], body: object = None
    ) -> Generator[urllib3.BaseHTTPResponse]:
        emulator = os.environ.get(_EMULATOR)
        server = (emulator if "://" in emulator else f"http://{emulator}") if emulator else _SERVICE
        headers = {} if emulator else {"Authorization": f"Bearer {self._token()}"}
        if body is not None:
            headers["Content-Type"] = "application/jsonl"
        url = f"{server}{path}?{urlencode(query)}"
        try:
            answer = self._http.request(method, url, headers=headers, body=body, preload_content=False)  # pyright: ignore[reportArgumentType]  a file
            yield answer
            answer.drain_conn()
            answer.release_conn()
        except HTTPError as error:
            raise BusyError(f"{self._url}: Cloud Storage does not answer: {error}") from error

    def _check(self, answer: urllib3.BaseHTTPResponse) -> None:
        if answer.status < HTTPStatus.BAD_REQUEST:
            return
        words = answer.data.decode(errors="replace").strip()
        raise TraceError(f"{self._url}: Cloud Storage answers {answer.status}: {words}")

    def _token(self) -> str:
        """An access token of the user, or of the service account of this machine or pod."""
        if shutil.which("gcloud") is None:
            try:
                answer = self._http.request("GET", _METADATA, headers={"Metadata-Flavor": "Google"}, retries=False)
            except HTTPError as error:
                raise TraceError(
                    f"{self._url}: install gcloud and log in: there is no gcloud here, and {error}"
                ) from error
            self._check(answer)
            return str(answer.json()["access_token"])
        command = ["gcloud", "auth", "print-access-token"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise TraceError(f"{self._url}: {' '.join(command)}: {done.stderr.strip()}")
        return done.stdout.strip()


@contextmanager
def at_hand(record: str) -> Generator[Path]:
    """The file of a record: itself, or a copy of the object, which is removed again.

    Raises:
        TraceError: there is no such object, or it cannot be read.
    """
    if not is_in_bucket(record):
        yield Path(record)
        return
    with tempfile.TemporaryDirectory(prefix="tpu-record-") as folder:
        path = Path(folder) / Path(record).name
        if not BucketObject(record).fetch(path):
            raise TraceError(f"{record}: there is no such object. `tpu record {record}` makes it.")
        yield path


@contextmanager
def growing(record: str) -> Generator[tuple[Path, Callable[[], None]]]:
    """The file of a record that is written, and what puts it where it is kept: into its bucket, if it is in one.

    Raises:
        TraceError: the bucket does not exist or may not be read.
    """
    if not is_in_bucket(record):
        yield Path(record), lambda: None
        return
    kept = BucketObject(record)
    with tempfile.TemporaryDirectory(prefix="tpu-record-") as folder:
        path = Path(folder) / Path(record).name
        kept.fetch(path)
        yield path, lambda: kept.put(path)


def _md5(path: Path) -> str:
    with path.open("rb") as file:
        return base64.b64encode(hashlib.file_digest(file, "md5").digest()).decode()
