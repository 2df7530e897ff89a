"""Build wheel and sdist into ``dist/``, and try each where nothing else is: ``make release``.

A release is what git tracks: the wheel holds the files of ``src/`` and its own metadata, the sdist
all files of the repository, and neither holds anything else.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterable
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
DIST = REPOSITORY / "dist"
BIN, EXE = ("Scripts", ".exe") if os.name == "nt" else ("bin", "")
METADATA = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
TEXT = "the ship left the harbour and the captain saw the tide\n" * 300


class ReleaseError(Exception):
    """Why there is no release."""


def main() -> None:
    """Build, check and try; the exit code is 1 where a step fails."""
    try:
        version = agreed_version(REPOSITORY)
        build()
        wheel, sdist = built(version)
        tracked = tracked_files(REPOSITORY)
        check_files(wheel.name, wheel_files(wheel), expected_in_wheel(tracked, version))
        check_files(sdist.name, sdist_files(sdist), {*tracked, "PKG-INFO"})
        for archive in (wheel, sdist):
            try_out(archive, version)
    except ReleaseError as error:
        sys.exit(f"no release: {error}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"no release: exit code {error.returncode} of {' '.join(map(str, error.cmd))}")
    print(f"{wheel.name} and {sdist.name} are in dist/, installed and tried.")


def agreed_version(repository: Path) -> str:
    """Return the version that package, newest heading of the changelog and citation agree on."""
    places = {
        "src/foretext/_version.py": r'^__version__ = "(.+)"$',
        "CHANGELOG.md": r"^## (\S+)",
        "CITATION.cff": r"^version: (\S+)$",
    }
    found = {path: first_match(repository / path, pattern) for path, pattern in places.items()}
    if len(set(found.values())) > 1:
        said = ", ".join(f"{path} says {version}" for path, version in found.items())
        raise ReleaseError(f"the versions differ: {said}.")
    return found["CHANGELOG.md"]


def first_match(path: Path, pattern: str) -> str:
    """Return what the group of the pattern matches first in the file."""
    match = re.search(pattern, path.read_text(encoding="utf-8"), re.M)
    if match is None:
        raise ReleaseError(f"{path.name} names no version.")
    return match[1]


def build() -> None:
    """Pack the sdist, and the wheel from it, with the hatchling that constraints.txt pins."""
    for old in DIST.glob("foretext-*"):
        old.unlink()
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", DIST, REPOSITORY)


def built(version: str) -> tuple[Path, Path]:
    """Return the wheel and the sdist of the version."""
    wheel = DIST / f"foretext-{version}-py3-none-any.whl"
    sdist = DIST / f"foretext-{version}.tar.gz"
    for path in (wheel, sdist):
        if not path.is_file():
            raise ReleaseError(f"the build left no {path.name}.")
    return wheel, sdist


def tracked_files(repository: Path) -> set[str]:
    """Return the paths that git tracks, relative to the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=repository, check=True, capture_output=True, text=True
    )
    return set(listed.stdout.rstrip("\0").split("\0"))


def expected_in_wheel(tracked: Iterable[str], version: str) -> set[str]:
    """Return what the wheel holds: code, templates, recipes, ``py.typed``, metadata and licence."""
    package = {path.removeprefix("src/") for path in tracked if path.startswith("src/")}
    return package | {f"foretext-{version}.dist-info/{name}" for name in METADATA}


def wheel_files(wheel: Path) -> set[str]:
    """Return the paths in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def sdist_files(sdist: Path) -> set[str]:
    """Return the paths in an sdist, relative to its one folder."""
    with tarfile.open(sdist) as archive:
        return {entry.name.partition("/")[2] for entry in archive if not entry.isdir()}


def check_files(name: str, found: set[str], expected: set[str]) -> None:
    """Refuse an archive with other files than those expected."""
    differences = [f"{path} is too much" for path in sorted(found - expected)]
    differences += [f"{path} is missing" for path in sorted(expected - found)]
    if differences:
        more = f" and {len(differences) - 5} more" if len(differences) > 5 else ""
        raise ReleaseError(f"{name}: {', '.join(differences[:5])}{more}.")
    print(f"{name}: {len(found)} files, as tracked by git")


def try_out(archive: Path, version: str) -> None:
    """Install an archive into a fresh environment, and learn word vectors with it."""
    print(f"{archive.name}: trying it in a fresh environment", flush=True)
    with tempfile.TemporaryDirectory(prefix="foretext-release-") as name:
        folder = Path(name).resolve()
        venv.create(folder / "venv", with_pip=True)
        programs = folder / "venv" / BIN
        pip = (programs / f"python{EXE}", "-m", "pip", "--quiet")
        run(*pip, "install", "--constraint", REPOSITORY / "constraints.txt", archive, cwd=folder)
        run(*pip, "check", cwd=folder)
        check_program(programs / f"foretext{EXE}", folder, version)


def check_program(foretext: Path, folder: Path, version: str) -> None:
    """Refuse an installed program that does not do its work in the folder."""
    if version not in (said := run(foretext, "--version", cwd=folder)):
        raise ReleaseError(f"the installed program says '{said.strip()}', not {version}.")
    if "word2vec" not in run(foretext, "list", cwd=folder):
        raise ReleaseError("`foretext list` of the installed program has no word2vec.")
    (folder / "corpus.txt").write_text(TEXT, encoding="utf-8")
    run(foretext, "pretrain", "word2vec", "corpus.txt", "--output", "run", cwd=folder)
    if not (folder / "run" / "report.html").is_file():
        raise ReleaseError("the installed program wrote no report.")


def run(*command: str | Path, cwd: Path = REPOSITORY) -> str:
    """Run a command without the paths of this environment; return what it prints."""
    surroundings = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=cwd, env=surroundings, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


if __name__ == "__main__":
    main()
