"""Idle time is skipped: when everything waits for a simulated moment, the clock jumps there.

`movement.py` says what Kubernetes still has to do in real time, `skipper.py` looks once a second and turns the clock.
The rest of the simulator knows nothing of it: it sleeps until simulated moments, which come sooner.
"""
