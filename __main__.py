"""Declare the platform of one environment: stack file -> plan -> rules -> resources -> outputs.

The reading order is in components/model/__init__.py.
"""

from pathlib import Path

import pulumi

from components.platform import Platform
from components.stackfile import load_plan


async def main() -> pulumi.Inputs:
    """Declare the platform; its outputs are those of the stack."""
    plan = load_plan(Path(__file__).parent)
    platform = Platform(pulumi.get_stack())
    await platform.declare(plan)
    return platform.outputs


pulumi.run(main)
