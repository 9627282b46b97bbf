"""The wire between a client and an API server: TLS, answers, and the lines of a watch."""

from __future__ import annotations

import json
import ssl
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, cast

from components.kubeapi.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import urllib3
    from urllib3.exceptions import HTTPError

    from components.kubeapi.documents import Document
    from components.kubeapi.kubeconfig import Connection

STATUS_UNAUTHORIZED: Final = 401
"""The server does not know the credentials, or no longer accepts them."""
FIRST_ERROR_STATUS: Final = 400
_CHUNK: Final = 65536


@dataclass(frozen=True, slots=True)
class Event:
    """One change that a watch reports."""

    type: Literal["ADDED", "MODIFIED", "DELETED"]
    object: Document


def answer(status: int, data: bytes) -> Document:
    """The document in an answer.

    Raises:
        ApiError: the answer is an error.
    """
    try:
        body: object = json.loads(data) if data else {}
    except json.JSONDecodeError:
        body = {"message": data.decode(errors="replace").strip()}
    document = cast("Document", body) if isinstance(body, dict) else {"message": str(body)}
    if status >= FIRST_ERROR_STATUS:
        raise ApiError(status, document)
    return document


def events(response: urllib3.BaseHTTPResponse) -> Iterator[Event]:
    """The events of a watch as they come, until the server ends it.

    Raises:
        ApiError: the server reports an error in the stream, such as that it has forgotten where the watch was.
    """
    buffer = b""
    for chunk in response.stream(_CHUNK, decode_content=True):
        buffer += chunk
        *lines, buffer = buffer.split(b"\n")
        for line in lines:
            raw = json.loads(line)
            if raw["type"] == "ERROR":
                raise ApiError(int(raw["object"].get("code") or 0), raw["object"])
            if raw["type"] in ("ADDED", "MODIFIED", "DELETED"):
                yield Event(raw["type"], raw["object"])


def cause(error: HTTPError) -> str:
    """Why there was no answer, in the words of the layer below HTTP."""
    reason = getattr(error, "reason", None)
    return str(reason or error)


def ssl_context(connection: Connection) -> ssl.SSLContext:
    """TLS for the connection: its authority, and its client certificate."""
    context = ssl.create_default_context(cadata=connection.certificate_authority)
    # Cluster authorities are often made without the key usage extension that Python 3.13 began to insist on.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if connection.client_certificate and connection.client_key:
        # OpenSSL reads a certificate chain from a file only; the file is gone again when the block ends.
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as pem:
            pem.write(connection.client_certificate + "\n" + connection.client_key)
            pem.flush()
            context.load_cert_chain(pem.name)
    return context
