"""Simulated GKE clusters: a real control plane each, as processes on this machine.

Reading order: `settings.py`, `pki.py`, `configuration.py` and `control_plane.py` say what a control plane is made of
(paths and ports, certificates, other files, processes), `supervisor.py` keeps processes running, `egress.py`,
`network.py`, `https.py` and `node_api.py` are the network between the API server and the simulated nodes, `cluster.py`
puts one cluster together and `fleet.py` is what the cloud drives. What pods do is in `simulator.pods`, which knows
nothing of this package.
"""
