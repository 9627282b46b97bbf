"""GKE's CSI drivers: what each mounts, and in which words it fails.

`request.py` has what a driver is asked; one module for each driver; `drivers.py` lists them and says when one is not
registered on a node. A driver gives the folder that a volume is, or fails with the text of the kubelet's event.
"""
