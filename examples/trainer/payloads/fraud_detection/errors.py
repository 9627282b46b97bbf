"""The errors, one class for each way to handle them."""

from __future__ import annotations


class BadDataError(Exception):
    """The dataset can never be trained; the text says why. It goes to the dead list."""


class DatasetReadError(Exception):
    """The dataset could not be read this time; it is tried again."""


class LostError(Exception):
    """Another worker took over, because this one was silent for too long: the results of this step must be dropped."""


class StoppedError(Exception):
    """The worker was asked to end: the dataset goes back to the queue as if it had never been taken."""


class StoreError(Exception):
    """The share does not accept a file, or a file on it cannot be used. It is not the fault of a dataset."""


class ServerError(Exception):
    """Redis does not answer, or refuses the password."""
