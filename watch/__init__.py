"""What happened to a platform's workloads, told from the API server's own record.

It works on any cluster that a kubeconfig or a stack's outputs name, and knows nothing of the plan that made it: the
Workloads' conditions, the pods' bindings and the events are its only source. `record.py` reads them, `timeline.py` puts
them in order, `tables.py` prints the state as kubectl would, `follow.py` waits until nothing moves any more.
"""
