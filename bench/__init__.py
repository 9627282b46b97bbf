"""Measures time and memory against their goals; `python -m bench --help` lists the subjects."""
