"""`pulumi-language-python`: the plugin that runs Python programs, policy packs and providers for the Pulumi engine.

`service.py` answers the engine, `programs.py` owns the processes, `interpreter.py` decides which Python runs them. That
Python loads the SDK once for all of a command (`forks.py`); the program's starts while packs start (`ahead.py`).
`packages.py` and `install.py` handle the packages that are installed there. The launcher without a suffix lies beside
the CLI. The user sees the same output as from the official host, except the texts of refusals. Debuggers, type checkers
and code generation are refused with a text that says so.
"""
