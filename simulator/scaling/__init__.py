"""Nodes come and go: the cluster autoscaler, node auto-provisioning, auto-repair and the end of machines' run time.

One thread per cluster looks at the API server's pods and nodes and at the cloud's node pools, and asks the cloud for
other sizes; it writes Events on pods. Reading order: `times.py` (how long things take), `quantities.py`, `pods.py` and
`snapshot.py` (would this pod fit there?), `supply.py` (what can grow), `provision.py` (pools that nobody declared),
`classes.py` (the order of a ComputeClass), `planning.py` (which sizes help the pods that wait), `requests.py`,
`fitting.py` and `queued.py` (nodes that are requested all at once), `idle.py` (nodes that nobody needs), `events.py`,
then `autoscaler.py`, which uses these for one cluster, and `scaling.py` for all clusters.

Modelled as GKE's autoscaler does it, with these differences: machines are chosen by size and not by price, only empty
nodes are removed, and pods with topology spread constraints, resource claims or a namespace selector in an affinity
term get no new nodes: an Event says so.

Source: kubernetes/autoscaler cluster-autoscaler FAQ and source (texts of events, order of checks, default times),
GKE documentation "About cluster autoscaling", "Node auto-provisioning", "Auto-repair nodes", read 2026-11.
"""
