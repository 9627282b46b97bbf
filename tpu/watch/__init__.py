"""What happens to a platform's workloads, from the API server's own record.

It works on any cluster that a kubeconfig or a stack's outputs name, and knows nothing of the plan that made it: the
Workloads' conditions, the pods' bindings, the nodes and the events are its only source.

Reading order: `record.py` reads them; `states.py` says what each job does and why it waits (`capacity.py` when nodes
are missing, `requests.py` what it requests); `timeline.py` orders the entries of `entries.py` and tells the story;
`tables.py` prints the state as kubectl would. The commands: `follow.py` (waits until nothing moves any more),
`timeline.py`, `status.py`, `explain.py`.
"""
