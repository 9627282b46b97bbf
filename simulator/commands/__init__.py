"""The commands of `python -m simulator`, one module for each group of them."""


class CommandError(Exception):
    """A command refuses its arguments; the text says why."""
