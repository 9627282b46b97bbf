"""The start of a pack's program."""

from pulumi_policy import EnforcementLevel, PolicyPack

from policies.pack import pack_of


def start(folder: str) -> None:
    """Serve the pack of a folder until the engine ends it."""
    pack = pack_of(folder)
    PolicyPack(pack.name, pack.policies, EnforcementLevel.MANDATORY, description=pack.description)
