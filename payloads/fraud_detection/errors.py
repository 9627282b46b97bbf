"""What can go wrong, by what is to be done about it."""

from __future__ import annotations


class BadDataError(Exception):
    """The dataset can never be trained; the text says why. It goes to the dead list."""


class DatasetReadError(Exception):
    """The dataset could not be read this time; it is tried again."""


class LostError(Exception):
    """Another worker took over, because this one was not heard of for too long: nothing of this step may be kept."""


class StoppedError(Exception):
    """The end was asked for: the dataset goes back as if it had never been taken."""


class StoreError(Exception):
    """The share does not take what is written, or what is on it cannot be used. No dataset is to blame."""


class ServerError(Exception):
    """Redis does not answer, or does not let us in."""
