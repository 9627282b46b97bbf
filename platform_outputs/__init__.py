"""The outputs of a TPU platform's stack for other Pulumi programs, typed.

    from platform_outputs import PlatformOutputs

    platform = PlatformOutputs.of("organization/tpu-platform/dev")
    queue = platform.queue("research")

`contract.py` defines the outputs, `reader.py` reads them and has the errors, `kubernetes.py` makes a provider of them,
`awaiting.py` says what an update waits for. The package imports nothing of the platform's own program, so that others
can install it alone.
"""

from platform_outputs.contract import SCHEMA_VERSION, Contract, Flavor, LocalQueue, Queue
from platform_outputs.reader import (
    READS,
    BrokenContractError,
    NoOutputsError,
    NotAPlatformError,
    PlatformOutputs,
    PlatformOutputsError,
    SchemaVersionError,
    StackNotFoundError,
    StackNotReadError,
    UnknownNameError,
)

__all__ = [
    "READS",
    "SCHEMA_VERSION",
    "BrokenContractError",
    "Contract",
    "Flavor",
    "LocalQueue",
    "NoOutputsError",
    "NotAPlatformError",
    "PlatformOutputs",
    "PlatformOutputsError",
    "Queue",
    "SchemaVersionError",
    "StackNotFoundError",
    "StackNotReadError",
    "UnknownNameError",
]
