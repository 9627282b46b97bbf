"""Declare the platform of one environment: stack file -> plan -> rules -> documents -> rules -> resources -> outputs.

The reading order is in components/model/__init__.py.
"""

from pathlib import Path

import pulumi

from components.platform import Platform
from components.stackfile import load_plan
from policies.program import judge

platform = Platform(pulumi.get_stack(), load_plan(Path(__file__).parent, judge))
for name, value in platform.outputs.items():
    pulumi.export(name, value)
