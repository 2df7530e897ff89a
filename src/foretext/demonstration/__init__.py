"""Sample text out of the Python packages of this machine: docstrings, and functions."""
