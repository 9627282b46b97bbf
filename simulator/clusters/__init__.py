"""Simulated GKE clusters: a real control plane each, as processes on this machine.

Reading order: `pki.py` and `control_plane.py` say what a control plane is made of (files and processes),
`supervisor.py` keeps processes running, `egress.py` and `node_api.py` are the network between the API server and the
simulated nodes, `admission.py` does what GKE's own webhook does to pods, `cluster.py` puts one cluster together and
`fleet.py` is what the cloud drives.
"""
