"""What runs in a cluster now, whoever submitted it, for the report of a preview: `tpu running`.

`works.py` reads the cluster's objects and finds out who owns which pods; `components/model/running.py` has the format.
"""
