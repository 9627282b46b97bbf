"""The stand-in for the kubernetes provider: real requests to a real API server, and the real Helm for releases.

`provider.py` is the provider, `objects.py` handles ordinary objects, `awaiting.py` says when an object counts as ready,
`replacing.py` which changes need a new object, `release.py` and `charts.py` handle Helm releases, `access.py` reaches
the API server.
"""
