"""The report of a preview: a page about a change to a platform, for those who review it.

`tpu report EVENTS`. `events.py` reads the engine's stream, and `sides.py` makes the platform before and after of it, by
the same reading as the policies. `ledger.py` sets chips, quota and storage of both beside each other. `impact.py` finds
what ends: `causes.py` has every cause, and what it comes to for the work that `running.py` reads. `costs.py` adds up
what it costs, `rehearsed.py` reads what `tpu rehearse` wrote. `contents.py` puts it in order (`summary.py`,
`problems.py`, `upgrades.py`, `tables.py`, `changes.py`) as parts of a page, `blocks.py`, or in brief for a terminal.
These are written down by `markdown.py` and `page.py`.
"""
