"""`python -m simulator.providers.sdk` writes simulator/cloud/schema/gcp.json from the installed SDK.

An object whose properties a table of the stand-in models is written with its own type; any other is `object`.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from simulator.cloud import schema
from simulator.providers.gcp.types import TYPES
from simulator.providers.sdk.marks import REPLACED, SECRET
from simulator.providers.sdk.reading import Member, Sdk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.providers.bridged.fields import Field

PACKAGE: Final = "gcp"
FILE: Final = Path(schema.__path__[0]) / f"{PACKAGE}.json"
_NOTHING: Final[Mapping[str, Field]] = {}

Written = dict[str, str]
"""Properties in the notation of the data files."""


def text() -> str:
    """The content of the file."""
    writer = _Writer(Sdk(PACKAGE))
    resources = {kind.type_name: writer.resource(kind.type_name, kind.fields) for kind in TYPES}
    document = {"resources": dict(sorted(resources.items())), "types": dict(sorted(writer.types.items()))}
    return json.dumps(document, indent=1) + "\n"


class _Writer:
    """Gathers the object types while resources are written."""

    def __init__(self, sdk: Sdk) -> None:
        self.types: dict[str, Written] = {}
        self._sdk = sdk

    def resource(self, token: str, fields: Mapping[str, Field]) -> dict[str, Written]:
        """The entry of one resource type; `fields` are the properties that the stand-in models."""
        module = token.split(":")[1].partition("/")[0]
        inputs, every, secret = self._sdk.resource(module, token.rpartition(":")[2])
        computed = {name: member for name, member in every.items() if name not in inputs}
        return {
            "inputs": self._written(token, module, inputs, fields, secret),
            "computed": {
                name: text.replace(" required", "")
                for name, text in self._written(token, module, computed, _NOTHING, secret).items()
            },
        }

    def _written(
        self,
        owner: str,
        module: str,
        members: Mapping[str, Member],
        fields: Mapping[str, Field],
        secret: frozenset[str] = frozenset(),
    ) -> Written:
        replaced, hidden = REPLACED.get(owner, ()), {*secret, *SECRET.get(owner, ())}
        written: Written = {}
        for name, member in sorted(members.items()):
            modelled = fields[name].fields if name in fields else _NOTHING
            flags = {"required": member.is_required, "replace": name in replaced, "secret": name in hidden}
            kind = member.container.format(self._kind(module, member, modelled))
            written[name] = " ".join([kind, *(flag for flag, is_set in flags.items() if is_set)])
        return written

    def _kind(self, module: str, member: Member, modelled: Mapping[str, Field]) -> str:
        if member.plain is not None:
            return member.plain
        if member.class_name is None or not modelled:
            return "object"
        name = f"{module}.{member.class_name.removesuffix('Args')}"
        members = self._sdk.members(module, member.class_name)
        self.types[name] = self._written(name, module, members, modelled)
        return f"->{name}"


def main(arguments: Sequence[str], file: Path = FILE) -> None:
    """Write the data."""
    argparse.ArgumentParser(prog="python -m simulator.providers.sdk", description=__doc__).parse_args(arguments)
    file.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
