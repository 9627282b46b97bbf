"""The stand-in for the kubernetes provider: real requests to a real API server, and the real Helm for releases.

`provider.py` is the provider, `objects.py` what it does for ordinary objects, `awaiting.py` when one counts as ready,
`replacing.py` which changes need a new object, `release.py` and `charts.py` what it does for Helm releases, `access.py`
how it reaches the API server.
"""
