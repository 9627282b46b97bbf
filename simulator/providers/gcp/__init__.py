"""The stand-in for the provider of package `gcp`: Google's resources over the simulated cloud.

Reading order: `provider.py` (the engine's calls, for every type alike), `resource.py` (what types override), the types
(`cluster.py`, `node_pool.py`, `compute.py`, `identity.py`, `stored.py`), `properties.yaml` (their properties),
`calls.py` (how a call to the cloud waits and fails).
"""

from simulator.providers.gcp.provider import GcpProvider

__all__ = ["GcpProvider"]
