"""Rewrites the objects of Kueue and JobSet in the version in which the cluster stores them now.

An API server converts an object when it is read, but stores it in the version in which it was written. You cannot
install a release that no longer serves that version before every object is rewritten: the API server refuses its
definition. It works on any cluster, before or after an upgrade, and changes no field of any object.
"""
