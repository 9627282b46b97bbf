"""What a preview would do to a platform, as a page for those who review the change.

`tpu report EVENTS`. `texts.py` reads files, `events.py` the engine's stream, and `sides.py` makes the platform before
and after of it, by the same reading as the policies. `ledger.py` sets chips and quota of both beside each other,
`stores.py` storage. `impact.py` finds what ends: `causes.py` has every cause, `contention.py` says who may be
preempted, `endings.py` what it comes to for the work that `running.py` reads. `costs.py` adds up what it costs by the
table of `prices.py`, `diffs.py` lists changed properties, `rehearsed.py` reads what `tpu rehearse` wrote. `contents.py`
puts it in order (`summary.py`, `problems.py`, `upgrades.py`, `tables.py`, `changes.py`) as parts of a page,
`blocks.py`. These are written down by `markdown.py` and `page.py`, and `fitting.py` keeps the Markdown within the
length of a comment. `brief.py` has the first answers for a terminal.
"""
