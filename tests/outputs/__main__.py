"""`python -m tests.outputs` makes docs/outputs.schema.json, the table of docs/outputs.md and the kept fields.

It refuses a contract that breaks what was promised under the same version.
"""

from __future__ import annotations

import argparse
import json
import sys

from platform_outputs.contract import SCHEMA_VERSION
from tests.outputs.form import (
    PAGE,
    SCHEMA_FILE,
    breaks,
    fields,
    kept_fields,
    kept_file,
    page_with_table,
    schema,
    schema_text,
)

if __name__ == "__main__":
    argparse.ArgumentParser(prog="python -m tests.outputs", description=__doc__).parse_args()
    now = fields(schema())
    broken = breaks(kept_fields(), now) if kept_file().exists() else []
    if broken:
        sys.exit("\n".join([*broken, f"Raise SCHEMA_VERSION ({SCHEMA_VERSION}): consumers would have to change."]))
    kept_file().write_text(f"{json.dumps(now, indent=2)}\n", encoding="utf-8")
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
    PAGE.write_text(page_with_table(), encoding="utf-8")
