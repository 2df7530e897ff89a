"""Folders that try to run code where they are opened, and every way to open a folder.

What they name is a module whose import, or a pickle whose reading, writes a file: the marker.
"""

from __future__ import annotations

import json
import os
import pickle
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.audit.folders import QUIETLY, SHORTLY, inputs, run_verb
from tests.task_files import TaskFiles

__all__ = ["ATTACKS", "CODE", "MODULE", "Attack", "Opener", "openers", "write_module"]

MODULE = "hostile_code"
CODE = f"{MODULE}:Component"
TASK, MODEL = ("backbone", "task"), ("backbone", "objective")
NETWORKS = {  # what a config.json names
    "bert": MODEL,
    **dict.fromkeys(("classification", "tagging", "task of bert"), TASK),
}
RECIPES = {  # what a recipe names
    "word2vec": ("vectors", "tokenizer"),
    "bert": ("tokenizer", *MODEL),
    "autoencoder": ("autoencoder", "reconstruction"),
    "classification": TASK,
    "fasttext classifier": ("task", "classifier"),
}
OPENED = (  # one of each kind of folder
    "word2vec", "bert", "autoencoder", "classification", "fasttext classifier",
    "linear classifier", "sentence encoder", "task of bert",
)  # fmt: skip
SECTIONS = ("vectors", "tokenizer", "autoencoder", "reconstruction", "task", *MODEL)
RESUMING = ("load", "report_run", "rows_of", "pretrain --resume", "finetune --resume")


class Attack(NamedTuple):
    """A change to the copy of a run of some kind."""

    name: str
    kind: str
    change: Callable[[Path], None]
    only: tuple[str, ...] = ()  # the openers that are tried; none: all


class Opener(NamedTuple):
    """A way to open a folder; `place` is for what it writes."""

    name: str
    open: Callable[[Path, Path], object]


def write_module(folder: Path, marker: Path) -> None:
    """Write the module that must never be imported."""
    lines = ["from pathlib import Path", f"Path({str(marker)!r}).write_text('ran')"]
    (folder / f"{MODULE}.py").write_text("\n".join([*lines, "class Component: ..."]))


def edited(name: str, *keys: str, value: object = CODE) -> Callable[[Path], None]:
    """Change one value of a JSON file, however deep it stands."""

    def change(folder: Path) -> None:
        path = folder / name
        whole: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {}
        part = whole
        for key in keys[:-1]:
            found = part.get(key)
            part[key] = found if isinstance(found, dict) else {}
            part = part[key]
        part[keys[-1]] = value
        path.write_text(json.dumps(whole))

    return change


def own_model(section: str) -> Callable[[Path], None]:
    """Make a folder one of no family of theirs, whose component has another name."""

    def change(folder: Path) -> None:
        edited("config.json", "foretext", section, "name")(folder)
        edited("config.json", "model_type", value="foretext")(folder)

    return change


def recipe(section: str, setting: str) -> Callable[[Path], None]:
    """Change one setting of the recipe of a run that is to be gone on with."""

    def change(folder: Path) -> None:
        _add_to_recipe(folder, {section: {setting: CODE}})
        (folder / "config.json").unlink()
        (folder / "checkpoints").mkdir()

    return change


def not_read(folder: Path) -> None:
    """Name code wherever a finished folder, or another program, may name something."""
    edited("config.json", "auto_map", "AutoModel")(folder)
    edited("config.json", "foretext", "facts", "base")(folder)
    edited("tokenizer_config.json", "tokenizer_class")(folder)
    edited("plan.json", "recipe")(folder)
    _add_to_recipe(folder, {name: {"name": CODE} for name in SECTIONS} | {"run": {"base": CODE}})


def pickled(folder: Path) -> None:
    """Put pickles in the places of all tensors."""
    for path in (*folder.glob("*.safetensors"), folder / "pytorch_model.bin"):
        path.write_bytes(pickle.dumps(_Pickled(folder)))


def _add_to_recipe(folder: Path, changes: Mapping[str, Mapping[str, str]]) -> None:
    path = folder / "recipe.toml"
    sections = tomllib.loads(path.read_text())
    for name, values in changes.items():
        sections[name] = {**sections.get(name, {}), **values}
    path.write_text("\n".join(_toml(sections)))


class _Pickled:
    def __init__(self, folder: Path) -> None:
        self.marker = folder.parent / "marker"

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch '{self.marker}'",)


def _toml(sections: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for name, values in sections.items():
        yield f"[{name}]"
        yield from (f"{key} = {json.dumps(value)}" for key, value in values.items())


def _attacks() -> Iterator[Attack]:
    yield Attack("its network", "autoencoder", edited("config.json", "autoencoder"))
    for kind, sections in NETWORKS.items():
        for section in sections:
            key = ("foretext", section, "name")
            yield Attack(f"[{section}]", kind, edited("config.json", *key))
            yield Attack(f"own [{section}]", kind, own_model(section))
    for kind in OPENED:
        yield Attack("kind", kind, edited("config.json", "kind"))
        yield Attack("their class", kind, edited("config.json", "architectures", value=[CODE]))
        yield Attack("what is not read", kind, not_read)
        yield Attack("pickles", kind, pickled)
    for kind, sections in RECIPES.items():
        for section in sections:
            yield Attack(f"[{section}]", kind, recipe(section, "name"), RESUMING)
        yield Attack("[run] base", kind, recipe("run", "base"), RESUMING)
    module = [{"idx": 0, "name": "0", "path": "", "type": f"{MODULE}.Transformer"}]
    lists = lambda folder: (folder / "modules.json").write_text(json.dumps(module))  # noqa: E731
    yield Attack("modules.json", "sentence encoder", lists)
    activation = edited("2_Dense/config.json", "activation_function")
    yield Attack("activation of a layer", "sentence encoder", activation)


def _python() -> Iterator[Opener]:
    import foretext as ft
    from foretext.artifact import RunFolder, load_language_model, load_task, load_vectors
    from foretext.language_model.codec import Codec
    from foretext.report.run_report import report_run
    from foretext.tasks.model import TaskModel

    loads: dict[str, Callable[[Path], object]] = {
        "load": ft.load,
        "load_vectors": load_vectors,
        "load_language_model": load_language_model,
        "load_task": load_task,
        "report_run": report_run,
        "kind": lambda folder: RunFolder(folder).kind,
        "TaskModel.load": TaskModel.load,
        "Codec.load": Codec.load,
        "Autoencoder.load": ft.Autoencoder.load,
        "FastTextClassifier.load": ft.FastTextClassifier.load,
        "LinearClassifier.load": ft.LinearClassifier.load,
        "LanguageModel.load": ft.LanguageModel.load,
        "WordVectors.load": ft.WordVectors.load,
        "predictions": lambda folder: list(load_task(folder).predictions(["a\tb"])),
    }
    for name, load in loads.items():
        yield Opener(name, lambda folder, place, load=load: load(folder))


def _verbs() -> Iterator[Opener]:
    text, rows = inputs() / "text.txt", TaskFiles(inputs()).train("classification")
    verbs: dict[str, Callable[[Path, Path], tuple[object, ...]]] = {
        "neighbors": lambda run, place: (run, "dog"),
        "analogy": lambda run, place: (run, "dog", "cat", "hen"),
        "embed": lambda run, place: (run, text, "-o", place / "embedded.npy"),
        "fill": lambda run, place: (run, "the [MASK]"),
        "generate": lambda run, place: (run, "the", "--max-new-tokens", 2),
        "convert": lambda run, place: (run, place / "vectors.txt"),
        "quantize": lambda run, place: (run, place / "small"),
        "reduce": lambda run, place: (run, place / "reduced.txt", "--dim", 2),
        "distill": lambda run, place: (run, "-o", place / "static"),
        "align": lambda run, place: (run, run, place / "aligned.txt"),
        "drift": lambda run, place: (run, run),
        "predict": lambda run, place: (run, text),
        "evaluate": lambda run, place: (run, rows),
        "report": lambda run, place: (run,),
    }
    for verb, given in verbs.items():
        yield Opener(verb, lambda run, place, v=verb, g=given: run_verb(v, *g(run, place)))
    vectors = ("--set", "vectors.epochs=1", "--set", "vectors.workers=1", *QUIETLY)
    trained: dict[str, Callable[[Path, Path], tuple[object, ...]]] = {
        "pretrain": lambda run, place: (
            "word2vec", text, "--base", run, "-o", place / "new", *vectors,
        ),
        "pretrain --resume": lambda run, place: (
            "word2vec", text, "--resume", "-o", run, *vectors,
        ),
        "finetune": lambda run, place: (
            "classification", run, rows, "-o", place / "new", *SHORTLY, *QUIETLY,
        ),
        "finetune --resume": lambda run, place: (
            "classification", "textcnn", rows, "--resume", "-o", run, *SHORTLY, *QUIETLY,
        ),
    }  # fmt: skip
    for name, given in trained.items():
        verb = name.split()[0]
        yield Opener(name, lambda run, place, v=verb, g=given: run_verb(v, *g(run, place)))


ATTACKS = tuple(_attacks())


def openers(attack: Attack) -> list[Opener]:
    """Every way to open what was attacked."""
    every = (*_python(), *_verbs())
    return [opener for opener in every if not attack.only or opener.name in attack.only]
