"""The command line: one verb a file; it parses and prints, and decides nothing."""

from foretext.cli.entry import main

__all__ = ["main"]
