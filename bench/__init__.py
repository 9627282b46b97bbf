"""Measures what must hold of time and memory; `python -m bench --help` lists the subjects."""
