"""The pods on simulated nodes.

A pod whose image has a program on this machine (`images.py`) really runs: `runner.py` is its kubelet. Any other pod is
played by kwok: `script.py` reads the output, the time and the exit code of its command, and `admission.py`, in the
place of GKE's own webhook, writes them on the pod. kwok starts the pod, and `ends.py` ends it. A shell script with
files or traps is interpreted by the runner instead (`interpreted.py`); both use the same interpreter (`shell.py`). No
pod starts before its volumes are mounted (`volumes.py`, `csi/`, `played_mounts.py`); `provisioning.py` makes the disks
of claims. The rest of a cluster is in `simulator.clusters`, which builds on this package.
"""
