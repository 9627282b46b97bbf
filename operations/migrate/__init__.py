"""Writes the objects of Kueue and JobSet anew in the version in which the cluster keeps them now.

An API server converts an object when it is read, but keeps it in the version in which it was written. A release that
serves that version no longer cannot be installed before every object is written anew: the API server refuses its
definition. It works on any cluster, before or after an upgrade, and changes no field of any object.

Reading order: `definitions.py` (what is kept in which version), `rewriting.py`.
"""
