"""The files of a model that another folder keeps, and the fingerprint by which it is known again.

Of a run or a published folder these are the files that opening it needs; figures, pages, other
programs' weights and the recipe stay behind.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path, PurePosixPath

from typing_extensions import TypedDict

from foretext.base.errors import ForetextError, ModelFileError
from foretext.base.files import is_regular_file, open_file, output_error
from foretext.base.parsing import read_json

__all__ = ["copy_model", "fingerprint"]

SUFFIXES = (".bin", ".json", ".model", ".safetensors", ".spm", ".tsv", ".txt", ".vocab")
NOT_NEEDED = ("outputs.safetensors", "examination.json", "plan.json", "shared.json", "trials.json")
MODULES = "modules.json"  # of sentence-transformers, which have folders of their own
WEIGHTS, OLDER_WEIGHTS = "model.safetensors", "pytorch_model.bin"  # if both are there, one is read
READ_SIZE = 1 << 22  # bytes


class _Module(TypedDict):
    path: str


def _model_files(path: Path) -> list[Path]:
    """Return the files of a model: those of a folder, sorted, or the file itself.

    Raises:
        ModelFileError: the folder names a part outside of it.
    """
    if not path.is_dir():
        return [path]
    folders = [path, *_module_folders(path)]
    files = {file for folder in folders for file in folder.iterdir() if _is_needed(file)}
    return sorted(files)


def fingerprint(path: Path) -> str:
    """Return a digest of the contents of a model's files, and of their names in its folder.

    Raises:
        ModelFileError: a file cannot be read.
    """
    digest = hashlib.sha256()
    for file in _model_files(path):
        name = file.relative_to(path).as_posix() if path.is_dir() else ""
        digest.update(f"{name}\n{_digest(file)}\n".encode())
    return digest.hexdigest()[:32]


def copy_model(path: Path, target: Path) -> None:
    """Copy the files of a model's folder.

    Raises:
        OutputError: they cannot be written.
    """
    try:
        for file in _model_files(path):
            place = target / file.relative_to(path)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)
    except OSError as error:
        raise output_error(target, error) from error


def _is_needed(file: Path) -> bool:
    if file.name == OLDER_WEIGHTS and (file.parent / WEIGHTS).is_file():
        return False
    return file.suffix in SUFFIXES and file.name not in NOT_NEEDED and is_regular_file(file)


def _module_folders(path: Path) -> list[Path]:
    """Return the folders of the parts of a sentence encoder, which are folders of its folder."""
    if not is_regular_file(path / MODULES):
        return []
    names = [module["path"] for module in read_json(path / MODULES, ModelFileError, list[_Module])]
    for name in names:
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise ModelFileError(f"{path / MODULES}: '{name}' leads out of the folder.")
    return [path / name for name in names if name and (path / name).is_dir()]


def _digest(file: Path, error: type[ForetextError] = ModelFileError) -> str:
    digest = hashlib.sha256()
    try:
        with open_file(file) as stream:
            while piece := stream.read(READ_SIZE):
                digest.update(piece)
    except OSError as problem:
        raise error(f"{file} cannot be read: {problem.strerror or problem}.") from problem
    return digest.hexdigest()
