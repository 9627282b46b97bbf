"""The Pulumi SDK's gRPC stubs without the rest of the SDK.

Importing `pulumi.runtime.proto` the ordinary way first runs `pulumi/__init__`, which loads the whole programming
model and costs about a second of CPU. The stand-in providers are started for every command,
use nothing but the generated stubs, and never run a Pulumi program themselves, so they leave that part out.
"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def import_stubs_only() -> None:
    """Make `pulumi.runtime.proto` importable without running `pulumi/__init__` or `pulumi.runtime/__init__`.

    To be called first thing in a process that will never need the SDK itself: a later `import pulumi` there finds
    an empty package.

    Raises:
        ModuleNotFoundError: the Pulumi SDK is not installed in this interpreter's environment.
        RuntimeError: the SDK was imported already, so that the call comes too late to save anything.
    """
    if "pulumi" in sys.modules:
        raise RuntimeError("pulumi was imported before import_stubs_only()")
    spec = importlib.util.find_spec("pulumi")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("the Pulumi SDK is not installed in this environment", name="pulumi")
    package = Path(spec.origin).parent
    for name, folder in (("pulumi", package), ("pulumi.runtime", package / "runtime")):
        module = ModuleType(name)
        module.__path__ = [str(folder)]
        sys.modules[name] = module
