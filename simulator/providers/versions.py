"""The version that each stand-in must bear: the one that the installed SDK asks the engine for."""

from __future__ import annotations

from importlib.metadata import version


def plugin_version(distribution: str) -> str:
    """Version of the plugin that goes with an installed SDK, such as `10.2.0` for `pulumi-gcp`: one release makes both.

    Raises:
        importlib.metadata.PackageNotFoundError: the SDK is not installed.
    """
    return version(distribution)
