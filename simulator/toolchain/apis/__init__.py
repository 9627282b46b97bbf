"""The fields that the controllers' APIs serve, read from the pinned modules and stored as data of the model.

`crds.py` reads CustomResourceDefinitions, `go_types.py` the types of a Go package; `modules.py` says which files of
which module these are; `merging.py` adds a release to the data of earlier ones. `python -m
simulator.toolchain.apis` writes the data; a test does the same, and fails where that would change anything.
"""
