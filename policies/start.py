"""How the program of a pack starts: what it loads stays as long as it runs."""

import gc


def start(folder: str) -> None:
    """Load the pack of a folder and serve it until the engine ends it.

    The engine waits for that. Loading makes some hundred thousand objects that are never freed, so the collector looks
    for garbage among them neither meanwhile nor later; that saves a sixth of the time.
    """
    gc.disable()
    from pulumi_policy import EnforcementLevel, PolicyPack  # noqa: PLC0415  not before the collector is off

    from policies.pack import pack_of  # noqa: PLC0415  not before the collector is off

    pack = pack_of(folder)
    gc.freeze()
    gc.enable()
    PolicyPack(pack.name, pack.policies, EnforcementLevel.MANDATORY, description=pack.description)
