"""Idle time is skipped: when nothing is left to happen but what waits for a simulated moment, the clock goes there.

`movement.py` says what Kubernetes still has to do in real time, `skipper.py` looks once a second and turns the clock.
The rest of the simulator knows nothing of it: it sleeps until simulated moments, which come sooner.
"""
