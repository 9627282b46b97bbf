"""The tools that the platform runs on, pinned and built here: Pulumi, the Kubernetes control plane, Kueue, JobSet.

`tools.py` lists them, `provision.py` gives the paths (and builds what is missing), `language_host/` is the part of
Pulumi that runs Python. `modules/` holds the pins: one Go module for each tool. Nothing here depends on how the tools
are used.
"""
