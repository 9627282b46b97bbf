"""What `python -m simulator` can be told, one module per command."""
