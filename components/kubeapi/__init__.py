"""A small client for any Kubernetes API server, over raw documents.

Its users send and read exact requests (server-side apply with a chosen field manager, force and dry run, watches, log
streams) for kinds that they learn at run time, and start for every command, so the client has no generated models and
loads fast. Reading order: `kubeconfig.py` (whom to talk to and as whom), `client.py` (requests, watches, waits) over
`wire.py` and `errors.py`, `informers.py` (lists kept by watches), `discovery.py` (from apiVersion and kind to a path).

What the commands and the simulator read with it: `jobs.py` (lists, names, owners and ends of jobs), `owners.py` (the
kinds that own pods).
"""

from components.kubeapi.client import Api
from components.kubeapi.discovery import Discovery, UnknownKindError
from components.kubeapi.documents import Document, condition, describe, entries, is_true, section
from components.kubeapi.errors import ApiError, UnreachableError, WaitError
from components.kubeapi.informers import FilteredList, Informers
from components.kubeapi.kubeconfig import Connection, KubeconfigError, connection_from
from components.kubeapi.wire import Event

__all__ = [
    "Api",
    "ApiError",
    "Connection",
    "Discovery",
    "Document",
    "Event",
    "FilteredList",
    "Informers",
    "KubeconfigError",
    "UnknownKindError",
    "UnreachableError",
    "WaitError",
    "condition",
    "connection_from",
    "describe",
    "entries",
    "is_true",
    "section",
]
