"""The tools that the platform runs on, pinned and built here: Pulumi, the Kubernetes control plane, Kueue, JobSet.

`tools.py` says what there is, `provision.py` gives the paths (and builds what is missing), `language_host/` is the
part of Pulumi that runs Python. `modules/` holds the pins: one Go module for each tool. Nothing here knows what the
tools are used for.
"""
