"""A stack file: its YAML with positions, its shape, the way from its text to a plan, the report of what is wrong."""
