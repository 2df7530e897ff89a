"""An ARM Python with numpy in ``build/arm``, to be run by QEMU on Linux.

    python -m tools.arm

Interpreter and C library are Debian's packages for arm64, unpacked into a folder. The lists of
packages are in the same folder, so apt's own lists are not changed. numpy is the wheel of the
version in ``constraints.txt``. numba is left out: under QEMU it would compile for many minutes.
LLVM on this machine writes code for ARM, and `linked` makes a library of it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from foretext.kernels.compiled.compiler import Machine

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "arm"
SYSTEM = FOLDER / "system"
VERSION = "3.11"
SUITES = {
    "https://deb.debian.org/debian": ("bookworm", "bookworm-updates"),
    "https://security.debian.org/debian-security": ("bookworm-security",),
}
KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
PACKAGES = (
    "python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib",
    "libc6", "libstdc++6", "libgcc-s1", "zlib1g", "libexpat1", "libffi8",
    "libssl3", "libbz2-1.0", "liblzma5", "libuuid1",
)  # fmt: skip
WHEELS = ("numpy",)
PROGRAMS = ("qemu-aarch64-static", "aarch64-linux-gnu-ld")
PROCESSOR = "cortex-a76"  # as QEMU and LLVM call a processor with NEON and without SVE
ARM = Machine("aarch64-unknown-linux-gnu", PROCESSOR, "")
INSTALL = "apt-get install qemu-user-static binutils-aarch64-linux-gnu"


def missing() -> str | None:
    """Why nothing for ARM can be run here; None: it can."""
    for program in PROGRAMS:
        if shutil.which(program) is None:
            return f"{program} is missing; on Debian: {INSTALL}"
    return None if (FOLDER / "made.txt").is_file() else "build/arm is missing; `make arm`"


def command() -> list[str]:
    """The beginning of a command that runs ARM's Python."""
    python = SYSTEM / "usr" / "bin" / f"python{VERSION}"
    return [PROGRAMS[0], "-cpu", PROCESSOR, "-L", str(SYSTEM), str(python)]


def environment() -> dict[str, str]:
    """The variables that it runs with."""
    return {
        "PATH": os.environ["PATH"],
        "PYTHONHOME": str(SYSTEM / "usr"),
        "PYTHONPATH": os.pathsep.join(map(str, (FOLDER / "packages", ROOT / "src"))),
        "PYTHONPYCACHEPREFIX": str(FOLDER / "compiled"),
    }


def linked(content: bytes, path: Path) -> None:
    """Make a shared library of an object file."""
    source = path.with_suffix(".o")
    source.write_bytes(content)
    subprocess.run([PROGRAMS[1], "-shared", "-o", str(path), str(source)], check=True)
    source.unlink()


def main() -> None:
    """Make the folder, unless it is there and of these versions."""
    for program in (*PROGRAMS, "apt-get", "dpkg"):
        if shutil.which(program) is None:
            sys.exit(f"{program} is missing; on Debian: {INSTALL}")
    mark, wanted = FOLDER / "made.txt", _digest()
    if mark.is_file() and mark.read_text("utf-8") == wanted:
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    _install_system()
    _install_packages()
    subprocess.run([*command(), "-c", "import numpy"], env=environment(), check=True)
    mark.write_text(wanted, encoding="utf-8")


def _digest() -> str:
    parts = [Path(__file__).read_bytes(), (ROOT / "constraints.txt").read_bytes()]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def _install_system() -> None:
    """Unpack Debian's packages by an apt whose lists and settings are in a folder of its own."""
    lists = FOLDER / "apt"
    for name in ("state/lists/partial", "cache/archives/partial", "downloaded"):
        (lists / name).mkdir(parents=True)
    (lists / "status").touch()
    sources = [
        f"deb [arch=arm64 signed-by={KEYS}] {url} {suite} main"
        for url, suites in SUITES.items()
        for suite in suites
    ]
    (lists / "sources.list").write_text("\n".join(sources) + "\n", encoding="utf-8")
    settings = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Sandbox::User": "",
        "Acquire::Languages": "none",
        "Dir::Cache": str(lists / "cache"),
        "Dir::Etc::sourcelist": str(lists / "sources.list"),
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State": str(lists / "state"),
        "Dir::State::status": str(lists / "status"),
    }
    text = "".join(f'{name} "{value}";\n' for name, value in settings.items())
    (lists / "apt.conf").write_text(text, encoding="utf-8")
    variables = {**os.environ, "APT_CONFIG": str(lists / "apt.conf")}
    got = lists / "downloaded"
    for arguments in (["update"], ["download", *PACKAGES]):
        subprocess.run(["apt-get", "-qq", *arguments], cwd=got, env=variables, check=True)
    for package in sorted(got.glob("*.deb")):
        subprocess.run(["dpkg", "-x", str(package), str(SYSTEM)], check=True)
    shutil.rmtree(lists)


def _install_packages() -> None:
    platforms = ("manylinux_2_28_aarch64", "manylinux_2_27_aarch64", "manylinux2014_aarch64")
    system = [part for each in platforms for part in ("--platform", each)]
    options = ["--python-version", VERSION, "--only-binary=:all:", "--no-compile", "--quiet"]
    versions = ["--constraint", str(ROOT / "constraints.txt")]
    target = ["--target", str(FOLDER / "packages")]
    pip = [sys.executable, "-m", "pip", "install"]
    subprocess.run([*pip, *target, *system, *options, *versions, *WHEELS], check=True)


if __name__ == "__main__":
    main()
