"""The parts of Pulumi's engine that others read: its marks for values, the form of its states, the names of its events.

They are part of the engine's protocol, and stated here because loading the SDK for them takes longer than what a report
does with them. The stream of events is what `pulumi preview --json` and `pulumi refresh --json` print with
PULUMI_ENABLE_STREAMING_JSON_PREVIEW set: one event in a line. States are what `pulumi stack export` prints.

Sources: sdk/go/common of engine 3.250: resource/plugin/rpc.go, resource/sig/sig.go, apitype/core.go and
apitype/events.go; the tests compare the marks with those of the SDK for Python.
"""

from __future__ import annotations

import json
from typing import Final, cast

UNKNOWN_TEXT: Final = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""In place of a text that is not known yet; a state and the events of a preview have it for everything else too."""
UNKNOWN_TEXTS: Final = frozenset(
    {
        UNKNOWN_TEXT,
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",  # a boolean
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",  # a number
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",  # an array
        "030794c1-ac77-496b-92df-f27374a8bd58",  # an asset
        "e48ece36-62e2-4504-bad9-02848725956a",  # an archive
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",  # an object
    }
)
"""In place of a value that is not known yet: one text for each type of property."""
SIGNATURE_KEY: Final = "4dabf18193072939515e22adb298388d"
"""The key that marks a mapping as something else: what it is, is the value."""
SECRET_SIGNATURE: Final = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105  a mark, not a secret
"""The value of that key in a secret; beside it is the secret's cipher, or the secret, which the engine encrypts."""
HIDDEN: Final = "[secret]"
"""The text that the engine prints in place of a secret."""
STREAMING: Final = "PULUMI_ENABLE_STREAMING_JSON_PREVIEW"
"""The environment variable with which `--json` prints events."""
STATE_VERSION: Final = 3
"""The version of the form of an exported state."""
DECLARED_EVENT: Final = "resourcePreEvent"
"""The event by which a preview tells what it would do to a resource."""
FOUND_EVENT: Final = "resOutputsEvent"
"""The event by which a refresh tells what became of a resource."""
SUMMARY_EVENT: Final = "summaryEvent"
"""The event by which it tells how all of it ended."""
SUCCEEDED: Final = "succeeded"
"""The result in that event of a preview after which an update would begin."""


def read(text: str) -> object:
    """A document of the engine: a line of the stream of events, or a state.

    Raises:
        ValueError: it is not JSON, or is nested too deeply to be read.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError(str(error)) from error


def is_unknown(value: object) -> bool:
    """Whether something in a value as `read` gives it is not known yet; a text may be known in part."""
    if isinstance(value, dict):
        return any(map(is_unknown, cast("dict[str, object]", value).values()))
    if isinstance(value, list):
        return any(map(is_unknown, cast("list[object]", value)))
    return isinstance(value, str) and any(each in value for each in UNKNOWN_TEXTS)


def name_of(urn: str) -> str:
    """The logical name of the resource with that URN, its last part.

    >>> name_of("urn:pulumi:dev::lab::gcp:container/nodePool:NodePool::v5e-slice1")
    'v5e-slice1'
    """
    return urn.rpartition("::")[2]
