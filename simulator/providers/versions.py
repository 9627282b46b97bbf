"""The version of each stand-in: the one that the installed SDK requests from the engine."""

from __future__ import annotations

from importlib.metadata import version


def plugin_version(distribution: str) -> str:
    """Version of the plugin that goes with an installed SDK, such as `10.2.0` for `pulumi-gcp`: one release makes both.

    Raises:
        importlib.metadata.PackageNotFoundError: the SDK is not installed.
    """
    return version(distribution)
