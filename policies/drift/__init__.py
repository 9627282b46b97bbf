"""Differences between resources and their declaration, for the operators of an environment.

`tpu drift EVENTS` reads the output of `pulumi refresh --preview-only --json`. The engine itself skips properties that a
program asks it to ignore, such as the node counts of an autoscaled pool, and properties that nobody declared, such as
the status of an object. `differences.py` recognises other expected changes, in any program; `page.py` writes down the
rest.
"""
