"""All campaigns one after another, for a time and with a seed: ``make audit``.

Hostile folders are tried whole, surroundings, damaged files and wrong requests drawn by the seed,
and so are signals; kills fill the rest of the time.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
FILES, FOLDERS, CASES = 2_000, 300, 20  # damaged ones, and surroundings: of each, by minute
REQUESTS = 1_000  # by minute
SIGNALS = 4  # by minute
PYTEST = ("pytest", "-q", "-n", "2")


def campaign(name: str, *command: str, **environment: str) -> bool:
    """Run a campaign and say how it ended."""
    print(f"== {name}", flush=True)
    began = time.monotonic()
    given: Mapping[str, str] = {**os.environ, **environment}
    code = subprocess.run([sys.executable, "-m", *command], cwd=REPOSITORY, env=given).returncode
    print(f"== {name}: {'well' if code == 0 else f'exit code {code}'}, "
          f"{time.monotonic() - began:.0f} s", flush=True)  # fmt: skip
    return code == 0


def drawn(name: str, module: str, given: argparse.Namespace, **by_minute: int) -> bool:
    """Run a campaign that is a module of tests, with numbers that follow from the time."""
    numbers = {key: str(max(int(rate * given.minutes), 2)) for key, rate in by_minute.items()}
    file = REPOSITORY / "tests" / "audit" / f"{module}.py"
    return campaign(name, *PYTEST, str(file), FORETEXT_AUDIT_SEED=str(given.seed), **numbers)


def main() -> None:
    """Run the campaigns; the exit code is 1 where one found something."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--signals", type=int, default=None, help="as many as fit by default")
    given = parser.parse_args()
    until = time.monotonic() + 60 * given.minutes
    found = [
        campaign(
            "hostile folders",
            *PYTEST,
            str(REPOSITORY / "tests" / "audit" / "test_hostile_folders.py"),
            FORETEXT_AUDIT_WHOLE="1",
        ),
        drawn("surroundings", "test_surroundings", given, FORETEXT_AUDIT=CASES),
        drawn("damaged files", "test_damage", given, FORETEXT_AUDIT_INPUTS=FILES),
        drawn("damaged folders", "test_damaged_runs", given, FORETEXT_AUDIT_INPUTS=FOLDERS),
        drawn("wrong requests", "../serving/test_fuzzing", given, FORETEXT_AUDIT_INPUTS=REQUESTS),
    ]
    with tempfile.TemporaryDirectory(prefix="foretext-audit-") as folder:
        number = given.signals or max(int(SIGNALS * given.minutes), 2)
        options = ("--signals", str(number), "--seed", str(given.seed))
        found.append(campaign("signals", "tests.audit.signals", f"{folder}/signals", *options))
        left = max((until - time.monotonic()) / 60, 1.0)
        options = ("--minutes", f"{left:.1f}", "--seed", str(given.seed))
        found.append(campaign("kills", "tests.audit.kills", f"{folder}/kills", *options))
    sys.exit(not all(found))


if __name__ == "__main__":
    main()
