"""What pods do on simulated nodes.

A pod whose image has a program on this machine (`images.py`) really runs: `runner.py` is its kubelet. Any other pod is
played by kwok: `script.py` reads what its command would print and how long it would take, and `admission.py`, in the
place of GKE's own webhook, writes that on the pod. kwok starts the pod, and `ends.py` ends it. The rest of a cluster is
in `simulator.clusters`, which builds on this package.
"""
