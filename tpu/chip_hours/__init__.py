"""Who used which chips, from a record: used, waiting, reserved without pods, lost to eviction, idle.

Reading order: `spans.py` (what each Workload did with chips, and from when to when), `ledger.py` (chip-hours by hour,
team, queue and flavor, and the check that they add up), `summary.py` (its rows, as text and as JSON). Everything is
exact: time is in whole milliseconds, chips are whole.
"""
