"""Resource providers that stand in for the official ones, on the engine's own wire protocol.

Reading order: `base.py` (the interface of a stand-in), `values.py` and `serve.py` (the wire), `differences.py`,
`serving.py` (how each is made) and `plugins.py` (how the engine finds them); then the packages: `kube/`,
`gcp/` over `bridged/`, and `random_passwords.py`.
"""
