"""What runs a network in a browser: onnxruntime-web and the tokenizers of Hugging Face, from npm.

foretext downloads nothing: the user has both packages in a folder ``node_modules``, and their files
are copied into the page.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from foretext.base.errors import ModelFileError, SettingError
from foretext.base.parsing import read_json
from foretext.messages import message

__all__ = ["RUNTIME", "Runtime", "copy_runtime", "found_runtime"]

RUNTIME = "runtime"  # folder of a page
MODULES = "node_modules"
FILES: Mapping[str, tuple[str, ...]] = {  # of each package
    "onnxruntime-web": ("ort.wasm.bundle.min.mjs", "ort-wasm-simd-threaded.wasm"),
    "@huggingface/tokenizers": ("tokenizers.min.mjs",),
}
TRIED = {"onnxruntime-web": "1.30.0", "@huggingface/tokenizers": "0.2.0"}
LICENCES = {"onnxruntime-web": "MIT", "@huggingface/tokenizers": "Apache-2.0"}


class Runtime(NamedTuple):
    """Both packages on this machine."""

    folder: Path  # node_modules
    versions: dict[str, str]


def found_runtime(given: Path | None) -> Runtime:
    """Find the packages.

    Args:
        given: a folder ``node_modules``, one that holds it, or onnxruntime-web in it; None: that of
            the working folder, or of one above it.

    Raises:
        SettingError: a package, or a file of it, is missing.
        ModelFileError: a package is damaged.
    """
    here = Path.cwd()
    roots = [here, *here.parents] if given is None else [given, given.absolute().parent]
    folders = [f for root in roots for f in (root / MODULES, root)]
    folder = next((f for f in folders if (f / "onnxruntime-web").is_dir()), None)
    if folder is None:
        where = f"{here} and the folders above it" if given is None else str(given)
        raise SettingError(f"There is no onnxruntime-web in {where}, {_remedy()}")
    for package, names in FILES.items():
        missing = [name for name in names if not (folder / package / "dist" / name).is_file()]
        if missing:
            raise SettingError(f"{folder / package} has no dist/{missing[0]}, {_remedy()}")
    versions = {package: _version(folder / package / "package.json") for package in FILES}
    return Runtime(folder, versions)


def copy_runtime(runtime: Runtime, page: Path) -> int:
    """Copy the files into a page, and say whose they are; return the bytes that a visitor loads.

    Raises:
        OutputError: one cannot be written.
    """
    target = page / RUNTIME
    target.mkdir()
    size = 0
    for package, names in FILES.items():
        for name in names:
            shutil.copyfile(runtime.folder / package / "dist" / name, target / name)
            size += (target / name).stat().st_size
    said = [
        f"{package} {runtime.versions[package]}: {', '.join(names)} ({LICENCES[package]}, "
        f"https://www.npmjs.com/package/{package})\n"
        for package, names in FILES.items()
    ]
    (target / "SOURCES.txt").write_text("".join(said), encoding="utf-8", newline="\n")
    return size


def _version(path: Path) -> str:
    found: dict[str, Any] = read_json(path, ModelFileError)
    version = found.get("version")
    if not isinstance(version, str):
        raise ModelFileError(f"{path} has no version; install the package again.")
    return version


def _remedy() -> str:
    packages = " ".join(f"{name}@{version}" for name, version in TRIED.items())
    return message("exporting.page.runtime", packages=packages)
