"""The JSON schema of stack files, by which an editor completes and checks them.

It comes from the reader's own declarations (`components/model/config/`, `stack_file/reading.py`) and from the
catalogue. docs/stack.schema.json is never written by hand: `tpu schema` writes it, and a test fails
when it is stale. Read `stack_file.py` (the file around the platform), then `platform.py` (the platform), `catalogue.py`
(values that are facts) and `descriptions.py`.

What it refuses, the reader refuses. What the reader refuses of a file's shape (an unknown or missing key, a value of
another type, one that is not in an enumeration) it refuses as well; how parts relate is for the rules, which only the
reader has. JSON Schema draft 7, as that is what editors know best.
"""
