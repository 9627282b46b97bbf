"""Questions of the program to the running cluster before it registers the first resource.

A stack file cannot say what a cluster holds: jobs that somebody submitted, controllers that another stack installed. So
the checks in this package ask the API server, at preview too, and only if the change needs it. `cluster.py` reaches the
cluster, `checks.py` runs the checks; each check is a module of its own.
"""
