"""A process for tests that writes to a descriptor it was given."""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    os.write(int(sys.argv[1]), b"written")
