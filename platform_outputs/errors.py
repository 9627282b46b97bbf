"""The errors when a program reads a platform's outputs.

All of them end a program without a stack trace when nobody catches them: the engine shows only the text.
"""

import pulumi


class PlatformOutputsError(pulumi.RunError):
    """The outputs cannot be used; the text says why, and what to do."""


class StackNotFoundError(PlatformOutputsError):
    """There is no stack of that name."""


class StackNotReadError(PlatformOutputsError):
    """The engine cannot read the stack's outputs: the name lacks a part, or the backend refuses."""


class NoOutputsError(PlatformOutputsError):
    """The stack exists and has no outputs: it was never up, or is destroyed."""


class NotAPlatformError(PlatformOutputsError):
    """The stack has outputs, but not those of a platform."""


class SchemaVersionError(PlatformOutputsError):
    """The outputs are of a version of the contract that this package does not read."""


class BrokenContractError(PlatformOutputsError):
    """A field of the contract is missing among the outputs, or has another type."""


class UnknownNameError(PlatformOutputsError):
    """The platform has no queue, flavor, priority or namespace of that name."""
