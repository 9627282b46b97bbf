"""What pods do on simulated nodes.

A pod whose image has a program on this machine (`images.py`) really runs: `runner.py` is its kubelet. Any other pod is
played by kwok: `script.py` reads what its command would print and how long it would take, and `admission.py`, in the
place of GKE's own webhook, writes that on the pod. kwok starts the pod, and `ends.py` ends it. A script with loops or
files is interpreted instead (`interpreted.py`, `shell_run.py`), by the runner. No pod starts before
its volumes are mounted (`volumes.py`, `csi/`, `played_mounts.py`); `provisioning.py` makes the disks of claims. The
rest of a cluster is in `simulator.clusters`, which builds on this package.
"""
