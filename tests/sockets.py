"""The sockets on which processes listen, and what they answer to whoever has no credential."""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SECONDS: Final = 5.0
"""After which a server that says nothing more is taken to have said all."""
_LISTENS: Final = 0x10000
"""The flag of a unix socket that takes connections (__SO_ACCEPTCON)."""
_STATUS: Final = re.compile(rb"HTTP/1\.[01] (\d{3})")
NOTHING: Final = "nothing"
"""It hung up."""
SILENCE: Final = "silence"
"""It waits for more."""
_LOOPBACK: Final = ("127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Listener:
    """A socket that takes connections."""

    owner: str
    """The words of its process's command line."""
    address: str
    """`host:port`, or the path of a unix socket."""

    @property
    def program(self) -> str:
        """The name of the executable, or of the Python module that runs."""
        words = self.owner.split()
        return words[words.index("-m") + 1] if "-m" in words else Path(words[0]).name

    @property
    def port(self) -> int | None:
        """Of a TCP socket on loopback."""
        host, _, port = self.address.rpartition(":")
        return int(port) if host in _LOOPBACK else None


def family(*pids: int) -> set[int]:
    """The processes of those ids and all that they started, as far as they are still theirs."""
    parents = {int(folder.name): _parent(folder) for folder in Path("/proc").iterdir() if folder.name.isdecimal()}
    found = set(pids)
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def listeners(pids: set[int]) -> list[Listener]:
    """Every socket on which one of these processes listens, from the kernel's tables; sorted."""
    tables = _listening()
    found = {
        Listener(_command(pid), tables[inode])
        for pid in pids
        for inode in _inodes(Path(f"/proc/{pid}/fd"))
        if inode in tables
    }
    return sorted(found, key=lambda each: (each.owner, each.address))


def from_a_page(path: str, port: int) -> list[bytes]:
    """What a browser sends for a page elsewhere that posts to a server here, and for one whose name leads here."""
    body = b"\0\0\0\0\0"  # an empty message of gRPC
    heads = (
        ("Origin: https://page.example", f"Host: 127.0.0.1:{port}", "Content-Type: text/plain"),
        (f"Origin: http://page.example:{port}", f"Host: page.example:{port}", "Content-Type: application/grpc"),
    )
    lines = [[f"POST {path} HTTP/1.1", *head, f"Content-Length: {len(body)}", "", ""] for head in heads]
    return ["\r\n".join(each).encode() + body for each in lines]


def stranger(port: int) -> str:
    """What a server says in short to a stranger's GET, over TLS where it has that."""
    request = f"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()
    return told(answer(port, request, tls=_speaks_tls(port)))


def told(data: bytes) -> str:
    """An answer in short: its status of HTTP/1, its first line where it is a text, `NOTHING` or `SILENCE`."""
    match = _STATUS.match(data)
    if match is not None:
        return match[1].decode()
    line = data.partition(b"\r\n")[0]
    return line.decode() if line.isascii() and line.decode().isprintable() and line else NOTHING


def answer(port: int, request: bytes, *, tls: bool = False) -> bytes:
    """All that a server says to a request before it hangs up, or falls silent."""
    said = b""
    try:
        plain = socket.create_connection(("127.0.0.1", port), timeout=_SECONDS)
        with plain, _unverified().wrap_socket(plain) if tls else plain as connection:
            connection.sendall(request)
            while data := connection.recv(1 << 16):
                said += data
    except TimeoutError:
        return said or SILENCE.encode()
    except OSError:  # it hung up
        pass
    return said


def _speaks_tls(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=_SECONDS) as plain:
            _unverified().wrap_socket(plain).close()
    except OSError:
        return False
    return True


def _unverified() -> ssl.SSLContext:
    """Of a stranger, who knows no authority and has no certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _parent(folder: Path) -> int | None:
    try:
        return int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return None


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _inodes(folder: Path) -> set[str]:
    found = set[str]()
    try:
        for descriptor in folder.iterdir():
            target = str(descriptor.readlink())
            if target.startswith("socket:["):
                found.add(target[8:-1])
    except FileNotFoundError:  # a descriptor that was closed, or a process that has ended
        pass
    return found


def _listening() -> dict[str, str]:
    """The addresses of all sockets that listen, by inode."""
    found: dict[str, str] = {}
    for table, size in (("tcp", 4), ("tcp6", 16)):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A":
                found[fields[9]] = _address(fields[1], size)
    for line in Path("/proc/net/unix").read_text().splitlines()[1:]:
        fields = line.split()
        if int(fields[3], 16) & _LISTENS:
            found[fields[6]] = fields[7] if len(fields) > 7 else ""
    return found


def _address(text: str, size: int) -> str:
    raw, port = text.split(":")
    words = [bytes.fromhex(raw[index : index + 8])[::-1] for index in range(0, size * 2, 8)]
    address = ipaddress.ip_address(b"".join(words))
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None  # gRPC's servers have these
    return f"{mapped or address}:{int(port, 16)}"
