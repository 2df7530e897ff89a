"""Short runs of the hot paths of one group; speeds, needs and measured parts of each, as JSON.

``python -m benchmarks.limits_program vectors|text|networks [NAME...]``, with ``OMP_NUM_THREADS=1``
"""

from __future__ import annotations

import importlib
import json
import sys

from benchmarks.limits_measured import Measured

__all__ = ["GROUPS"]

GROUPS = ("vectors", "text", "networks")


def main() -> None:
    group, *names = sys.argv[1:]
    paths = importlib.import_module(f"benchmarks.limits_{group}").PATHS
    found: dict[str, Measured | None] = {}
    for name in names or paths:
        print(name, file=sys.stderr, flush=True)
        found[name] = paths[name]()
    print(json.dumps({name: run and run._asdict() for name, run in found.items()}))


if __name__ == "__main__":
    main()
