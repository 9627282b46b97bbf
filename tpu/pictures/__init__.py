"""Pictures of what happened to chips, as one HTML file that needs nothing else: no script, no address.

`axis.py` (time as a line with ticks), `gantt.py` (who did what when), `areas.py` (chips by team over time), `page.py`
(the file around them, with the colors of both schemes), `sketch.py` (from spans to both pictures).
"""
