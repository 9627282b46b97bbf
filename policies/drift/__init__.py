"""What is not as it was declared, for those who look after an environment.

`tpu drift EVENTS`, of what `pulumi refresh --preview-only --json` prints. The engine itself passes over
what a program asks it to ignore, such as the node counts of an autoscaled pool, and over what nobody declared, such as
the status of an object. `motion.py` knows what else moves without anybody's doing, in any program; `page.py` writes
down the rest.
"""
