"""The old names of commands: `python -m components.lint` says what to type now, and runs it.

Each old place is a link to this file, which imports nothing of the project: the name by which it runs tells the rest.
"""

import os
import sys

MOVED = {
    "components.adopt": ("adopt", "tpu adopt"),
    "components.lint": ("policies.lint", "tpu lint"),
    "migrate": ("operations.migrate", "tpu migrate"),
    "stream": ("operations.stream", "tpu stream"),
    "watch": ("operations.watch", "tpu timeline, tpu watch or tpu explain"),
}
"""By old name: the module of today, and what to type."""

if __name__ == "__main__" and __spec__ is not None:
    module, command = MOVED[__spec__.name]
    sys.stderr.write(f"python -m {__spec__.name} has moved; type {command}\n")
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, "-m", module, *sys.argv[1:]])  # noqa: S606  there is no shell
