"""The input for an environment variable: the schema of a package has no values of two types."""

from typing import NotRequired, TypedDict


class Variable(TypedDict):
    """The value of an environment variable, or where it is."""

    value: NotRequired[str]
    """The value; else one of the others."""
    secret: NotRequired[str]
    """Name of a Secret of the namespace, with `key`."""
    config_map: NotRequired[str]
    """Name of a ConfigMap of the namespace, with `key`."""
    key: NotRequired[str]
    """The key of the value in the Secret or the ConfigMap."""
    field: NotRequired[str]
    """A field of the pod, such as `metadata.name`."""
