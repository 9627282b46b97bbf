"""The one way in which the host refuses."""


class HostError(Exception):
    """The engine's call cannot be answered; the text is shown to the user as it is, so it says why and what to do."""
