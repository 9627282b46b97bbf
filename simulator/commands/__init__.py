"""The commands of `tpu simulator`, one module for each group of them."""


class CommandError(Exception):
    """A command refuses its arguments; the text says why."""
