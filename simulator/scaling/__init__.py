"""Nodes come and go: the cluster autoscaler, node auto-provisioning, auto-repair and the end of machines' run time.

One thread per cluster looks at the API server's pods and nodes and at the cloud's node pools, and asks the cloud for
other sizes; what it does to pods is Events. Reading order: `times.py` (how long things take), `quantities.py`,
`pods.py` and `board.py` (would this pod fit there?), `supply.py` (what can grow), `provision.py` (pools that nobody
declared), `planning.py` (which sizes help the pods that wait), `requests.py`, `fitting.py` and `queued.py` (nodes that
are asked for as a whole), `idle.py` (what nobody needs), `events.py`, then `autoscaler.py`, which does it, and
`scaling.py`: all clusters.

Modelled as GKE's autoscaler does it, with these differences: machines are chosen by size and not by price, only empty
nodes are removed, and pods with topology spread constraints, resource claims or a namespace selector in an affinity
term do not make nodes come: they are told so.

Source: kubernetes/autoscaler cluster-autoscaler FAQ and source (texts of events, order of checks, default times),
GKE documentation "About cluster autoscaling", "Node auto-provisioning", "Auto-repair nodes", read 2026-11.
"""
