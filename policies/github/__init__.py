"""What workflows write on GitHub: one comment per report, one issue per drift, both kept up to date in place.

`api.py` is the little of GitHub's REST API that it takes, `places.py` finds the comment or issue that is ours,
`comment.py` and `issue.py` keep it. `python -m policies.github` needs nothing but Python, so that a job can tell that
nothing could be installed, and runs apart from anything that holds credentials of a cloud.
"""
