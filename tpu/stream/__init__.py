"""A stream of short Jobs from several teams, to see a cluster's queues at work.

The Jobs have a TTL and belong to no stack: they end, Kubernetes deletes them, and the stack stays as it is. It
works on any cluster that a kubeconfig or a stack's outputs name. `teams.py` says who submits where and checks that it
is there, `submit.py` what is submitted and when.
"""
