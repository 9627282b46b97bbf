"""The command `tpu`: one name for every command of this project.

`commands.py` lists the commands and the modules that they run, `stacks.py` has those that take a stack through the
simulator (`previewed.py` prints a preview), `completion.py` writes the completion of a shell, and `__main__.py` finds
the command that is meant.
"""
