"""The fields of Kubernetes' own API, for kinds that are used with Kueue's.

Written by `python -m toolchain.apis`; the text is explained in `fields.py`.
"""

from typing import Final

OLDEST: Final = "1.36"
"""The oldest release that was read."""
RELEASE: Final = "1.36.4"
"""The newest."""
TEXT: Final = """\
PriorityClass
 /v1
 kind
 apiVersion
 metadata
 value
 globalDefault
 description
 preemptionPolicy
  =PreemptLowerPriority
  =Never
"""
