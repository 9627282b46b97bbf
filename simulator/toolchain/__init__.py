"""The tools that the platform runs on, pinned and built here: Pulumi, the Kubernetes control plane, Kueue, JobSet.

`tools.py` lists them, `provision.py` gives the paths (and builds what is missing). `modules/` holds the pins, and the
commands of this project in Go, such as the part of Pulumi that runs Python. Nothing here depends on how the tools are
used.
"""
