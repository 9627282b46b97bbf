"""What a change of the stack file would do to those who queue: a recorded week, rehearsed before and after the change.

Reading order: `week.py` (a record becomes jobs with run times), `settings.py` (the week on one platform),
`sides.py` (what came of it, by team and flavor), `fidelity.py` (how well a rehearsal repeats the record),
`comparing.py` (both sides), `words.py` (the comparison in words and tables). `stack_files.py` reads both stack files.
"""
