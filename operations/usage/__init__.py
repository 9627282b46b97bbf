"""Who used which chips, from a record: used, waiting, reserved without pods, lost to eviction, idle.

Reading order: `spans.py` (what each Workload did with chips, and from when to when), `ledger.py` (chip-hours by hour,
team, queue and flavor, and the check that they add up), `lives.py` reads a listing as if it were a record,
`tables.py` (text) and `data.py` (JSON). Everything is exact: time is in whole milliseconds, chips are whole.
"""
