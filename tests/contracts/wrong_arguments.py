"""Arguments of the wrong kind, and the objects and functions that people give them to."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import foretext as ft
from foretext.base.errors import ForetextError
from foretext.tasks.predictor import Predictor
from tests.networks import sentences, tokenizer_for
from tests.task_files import language_model, small_settings, word_vectors, write_task_files

__all__ = [
    "OBJECTS",
    "ONCE_A_WORD",
    "WRONG",
    "faults_of",
    "made",
    "methods_of",
    "unnamed_by",
]

WRONG: dict[str, Any] = {
    "a text": "the cat",
    "texts": ["the cat"],
    "None": None,
    "3": 3,
    "nan": float("nan"),
    "1.5": 1.5,
    "-1": -1,
    "an empty text": "",
    "no texts": [],
    "lists in lists": [["the", "cat"], [["x"]]],
    "an array": np.zeros((2, 3), np.float32),
    "bytes": b"the cat",
    "a path": Path("missing/x.txt"),
    "a dict": {"text": "cat"},
    "numbers": [1, 2.5],
    "a list of None": [None],
    "True": True,
}
UNKNOWN = "no_such_argument"
RIGHT: dict[str, Any] = {  # for the arguments beside the wrong one, by name
    "text": "the [MASK] purrs", "texts": ["the cat purrs", "a dog"], "prompt": "the cat",
    "word": "cat", "words": ["cat", "dog"], "name": "1", "rows": [[3, 4]], "labels": ["a", "b"],
    "corpus": ["the cat purrs again .", "the dog barks"] * 5, "pairs": [("a cat", "a dog")],
    "examples": np.ones((4, 6), np.float32), "codes": np.zeros((4, 2), np.float32),
    "out": "taken", "folder": "taken", "path": "nothing", "positive": ["cat"], "y": None,
}  # fmt: skip
# What people ask of a task's model; its other methods are what fine-tuning asks of it.
OF_TASKS = {
    "alignment", "answered", "answers", "embed", "evaluate", "explain", "fit", "inputs", "load",
    "predict", "predict_proba", "predict_top", "predictions", "quantize", "relevance", "save",
    "score", "similarity", "spans", "transform", "use_precision",
}  # fmt: skip
# Methods that parts of foretext ask each other, with objects of theirs.
ONCE_A_WORD = {"get_index", "has_index_for", "spelled"}  # called so often that a check costs
WITHIN = {
    "from_sections",
    "has_open_end",
    "keep",
    "reading",
    "reread",
    "text_reading",
    "with_config",
}
TASKS = (
    ("classification", "textcnn"),
    ("classification", "linear"),
    ("classification", "embeddings"),
    ("matching", "bert"),
    ("tagging", "textcnn"),
    ("span_qa", "bert"),
    ("text_to_text", "transformer"),
    ("sentence_vectors", "bert"),
)
OBJECTS = (
    "masked model", "causal model", "word vectors", "document vectors", "index", "codec",
    "autoencoder", "Word2Vec", "fastText's classifier", "corpus", "recipe", "phrases",
    *(f"{task} on {base}" for task, base in TASKS),
)  # fmt: skip


def made(folder: Path) -> dict[str, Any]:
    """Return one of each object, small, learned in a moment."""
    text = folder / "animals.txt"
    text.write_text(sentences(40), encoding="utf-8")
    lines = [line for line in sentences(40).splitlines() if line]
    found: dict[str, Any] = {
        "masked model": language_model_of("bert", text),
        "causal model": language_model_of("gpt", text),
        "word vectors": word_vectors(),
        "corpus": ft.Corpus(text),
        "recipe": ft.Recipe.load("word2vec"),
        "phrases": ft.Phrases(),
        "Word2Vec": ft.Word2Vec(vector_size=4, epochs=1, min_count=1, workers=1),
        "autoencoder": ft.Autoencoder("linear", dim=2, steps=2, batch_examples=8),
        "fastText's classifier": ft.FastTextClassifier(epochs=1, workers=1),
    }
    found["document vectors"] = ft.Doc2Vec(
        vector_size=8, epochs=1, min_count=1, workers=1
    ).fit(lines).documents_  # fmt: skip
    found["word vectors"].save(folder / "vectors.txt")
    found["masked model"].save(folder / "bert")
    found["index"] = ft.index(folder / "vectors.txt", lines[:20], folder / "index", quiet=True)
    found["Word2Vec"].fit(lines, quiet=True)
    found["fastText's classifier"].fit(lines[:10], ["a", "b"] * 5)
    found["autoencoder"].fit(np.random.default_rng(0).random((20, 6), np.float32), quiet=True)
    found["codec"] = found["autoencoder"].codec
    files = write_task_files(folder)
    for task, base in TASKS:
        given: Any = str(folder / "bert") if base == "bert" else base
        settings = {} if base in ("linear", "embeddings") else small_settings(base, steps=2)
        found[f"{task} on {base}"] = ft.finetune(
            task, given, files.train(task), settings=settings, quiet=True
        )
    return found


def language_model_of(kind: str, text: Path) -> ft.LanguageModel:
    tokenizer = tokenizer_for("wordpiece" if kind == "bert" else "bpe", text)
    return language_model(kind, tokenizer)


def methods_of(subject: Any) -> dict[str, Callable[..., Any]]:
    """Return the methods of an object that people call, by name."""
    names = [name for name in dir(type(subject)) if not name.startswith("_")]
    names += [name for name in ("__getitem__", "__contains__") if hasattr(subject, name)]
    if isinstance(subject, Predictor):
        names = [name for name in names if name in OF_TASKS]
    fields = {name: inspect.getattr_static(type(subject), name) for name in names}
    called = [
        name for name, field in fields.items() if not isinstance(field, property | cached_property)
    ]
    return {
        name: method
        for name in called
        if name not in WITHIN
        and callable(method := getattr(subject, name, None))
        and not inspect.isclass(method)
    }


def faults_of(function: Callable[..., Any]) -> list[str]:
    """Call a function with wrong arguments; return what was neither an answer nor a sentence."""
    faults = []
    for described, args, named in _calls(function):
        try:
            answer = function(*args, **named)
            if inspect.isgenerator(answer):
                next(answer, None)
        except ForetextError as error:
            if not str(error).strip():
                faults.append(f"{described}: an error without a sentence")
        except Exception as error:  # each is a fault, whatever its kind
            if not _is_of_the_call(error):
                faults.append(f"{described}: {type(error).__name__}: {error}")
    return faults


def unnamed_by(function: Callable[..., Any]) -> bool:
    """Whether a function that takes arguments meets an unknown one without a sentence on it."""
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # of C
        return False
    if not given or any(each.kind is each.VAR_KEYWORD for each in given):
        return False
    required = [each.name for each in given if each.default is each.empty]
    try:
        function(*(RIGHT.get(name, "the cat") for name in required), **{UNKNOWN: 1})
    except ForetextError as error:
        return UNKNOWN not in str(error)
    except TypeError:
        return True
    return True


def _is_of_the_call(error: Exception) -> bool:
    """Whether Python itself refused the call, for an argument too many or too few."""
    frames, trace = [], error.__traceback__
    while trace is not None:
        frames.append(trace.tb_frame.f_code.co_name)
        trace = trace.tb_next
    return isinstance(error, TypeError) and (len(frames) == 1 or frames[-1] == "_bind")


def _calls(function: Callable[..., Any]) -> Iterator[tuple[str, list[Any], dict[str, Any]]]:
    """Yield calls with one wrong argument, or with all that are required wrong."""
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # of C
        return
    single = [each for each in given if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    required = [each.name for each in single if each.default is each.empty]
    right = [RIGHT.get(name, "the cat") for name in required]
    for kind, value in WRONG.items():
        if required:
            yield f"{kind} for all", [value] * len(required), {}
        for place, name in enumerate(required if len(required) > 1 else ()):
            yield f"{name} = {kind}", [*right[:place], value, *right[place + 1 :]], {}
        for each in single:
            if each.default is not each.empty:
                yield f"{each.name} = {kind}", right, {each.name: value}
