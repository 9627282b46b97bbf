"""A stream of short Jobs from several teams, to see a cluster's queues at work.

The Jobs have a TTL and are no part of any stack: they come, run, end and vanish while the stack stays as it is. It
works on any cluster that a kubeconfig or a stack's outputs name. `teams.py` says who submits where and checks that it
is there, `document.py` what is submitted, `submit.py` when.
"""
