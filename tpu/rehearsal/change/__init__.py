"""The effect of a change of the stack file on those who queue: a recorded week, rehearsed before and after it.

Reading order: `week.py` (a record becomes jobs with run times), `settings.py` (the week on one platform),
`sides.py` (what came of it, by team and flavor), `comparing.py` (both sides, and how well a rehearsal repeats the
record), `words.py` (the comparison in words and tables). `stack_files.py` reads both stack files.
"""
