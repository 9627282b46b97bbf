"""What `tpu simulator` can be told, one module per command."""


class CommandError(Exception):
    """A command refuses what it was told; the text says why."""
