"""What can be wrong when a program reads a platform's outputs.

All of them end a program without a stack trace when nobody catches them: the engine shows the text alone.
"""

import pulumi


class PlatformOutputsError(pulumi.RunError):
    """The outputs cannot be used; the text says why, and what to do."""


class StackNotFoundError(PlatformOutputsError):
    """There is no stack of that name."""


class StackNotReadError(PlatformOutputsError):
    """The engine does not read the stack's outputs: the name has a part too few, the backend refuses."""


class NoOutputsError(PlatformOutputsError):
    """The stack is there and has no outputs: it was never up, or is destroyed."""


class NotAPlatformError(PlatformOutputsError):
    """The stack has outputs, and they are none of a platform."""


class SchemaVersionError(PlatformOutputsError):
    """The outputs are of a version of the contract that this package does not read."""


class BrokenContractError(PlatformOutputsError):
    """Something of the contract is missing among the outputs, or is of another type."""


class UnknownNameError(PlatformOutputsError):
    """The platform has no queue, flavor, priority or namespace of that name."""
