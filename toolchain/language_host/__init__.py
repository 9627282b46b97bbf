"""`pulumi-language-python`: the plugin that runs Python programs, policy packs and providers for the Pulumi engine.

`service.py` answers the engine, `programs.py` owns the processes, `interpreter.py` decides which Python runs them,
`ahead.py` starts the program's while packs start, `packages.py` and `install.py` look after what is installed there.
The launcher without a suffix is what lies beside the CLI. What a user sees is what the official host shows, but for the
texts of its refusals. Debuggers, type checkers and the code generation calls are absent and say so.
"""
