"""What the engine writes in place of a value that is not known yet: one text for each type of property.

They are part of the engine's protocol, and stated here because loading the SDK for them takes longer than what a report
does with them.
"""

from __future__ import annotations

from typing import Final

UNKNOWN_TEXT: Final = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""In place of a text; a state and the events of a preview have it for everything else too."""
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
