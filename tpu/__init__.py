"""The command `tpu`: one name for every command of this project.

`commands.py` lists the commands and the modules that they run, `stacks.py` has those that take a stack through the
simulator (`previewed.py` prints a preview), `completion.py` writes the completion of a shell, and `__main__.py` finds
the command that is meant. `connect.py` leads from the flags of a command to a cluster. Each folder is the work of one
command, or what several share.
"""
