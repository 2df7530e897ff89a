"""Folders of models and of finished runs: how one is written, and what it is asked once it is open.

Each file of a folder is damaged in turn, be it of the model, of its tokenizer or of its run.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import foretext as ft
from foretext.artifact import load_task
from foretext.exporting.page.linear import PageLinear
from foretext.exporting.page.page_model import PageModel
from foretext.exporting.page.word_vectors import PageWordVectors
from foretext.report.run_cards import rewrite_card
from foretext.report.run_report import report_run
from tests.audit.folders import KINDS, finished
from tests.audit.readers import Reader

__all__ = ["RUN_READERS"]

TEXTS = ["the dog barks in the morning .", "ein schöner Tag", ""]
PAIRS = [("the dog barks", "every cat purrs"), ("a", "")]
SHAPE = (6, 6)  # of an autoencoder's example


def _write(kind: str, folder: Path) -> None:
    shutil.copytree(finished(kind), folder / "run")


def _read(use: Callable[[Any], object], folder: Path) -> None:
    use(ft.load(folder / "run"))


def _report(folder: Path) -> None:
    report_run(folder / "run")
    rewrite_card(folder / "run")


def _report_task(folder: Path) -> None:
    load_task(folder / "run")
    report_run(folder / "run")
    rewrite_card(folder / "run")


def _read_texts(kind: type[PageModel], folder: Path) -> None:
    """Read what a page is compared by."""
    kind(ft.load(folder / "run"), "run").texts_of(folder / "run")


def _ask_vectors(vectors: Any) -> None:
    vectors.neighbors([vectors.index_to_key[0]], topn=3)
    vectors.embed(TEXTS)


def _ask_model(model: Any) -> None:
    model.embed(TEXTS)
    if model.objective is None:
        return
    if model.tokenizer.special.mask is None:
        model.generate("the dog", 3)
    else:
        model.fill("the [MASK] barks")


def _ask_documents(documents: Any) -> None:
    documents.embed(TEXTS)
    documents.neighbors([documents.names[0]], 2)


def _ask_topics(model: Any) -> None:
    model.embed(TEXTS)
    model.described()


def _ask_codec(codec: Any) -> None:
    codec.components_error(codec.reconstruct(np.zeros((2, *SHAPE), np.float32)))


def _ask_classifier(model: Any) -> None:
    model.predict_top(TEXTS, k=None)


def _write_published(kind: str, head: str, folder: Path) -> None:
    from tests.interop.sequence_folders import their_folder  # needs transformers

    their_folder(folder / "run", kind, head)


def _ask_t5(model: Any) -> None:
    model.embed(TEXTS)
    if model.objective is not None:
        model.generate(source="the dog", max_new_tokens=3)


PUBLISHED: dict[tuple[str, str], Callable[[Any], object]] = {
    ("T5", "ForConditionalGeneration"): _ask_t5,
    ("Marian", "MTModel"): lambda model: model.predict(TEXTS, max_new_tokens=3),
}

USES: dict[str, Callable[[Any], object]] = {
    **dict.fromkeys(("word2vec", "fasttext"), _ask_vectors),
    "doc2vec": _ask_documents,
    **dict.fromkeys(("bert", "electra", "gpt", "sentence encoder"), _ask_model),
    "lda": _ask_topics,
    "autoencoder": _ask_codec,
    **dict.fromkeys(("matching", "linear matcher"), lambda model: model.predict(PAIRS)),
    "span_qa": lambda model: model.predict(PAIRS),
    **dict.fromkeys(("tagging", "linear tagger"), lambda model: model.predict_proba(TEXTS)),
}

REPORTS: dict[str, Callable[[Path], None]] = {
    **dict.fromkeys(("word2vec", "doc2vec", "lda", "bert", "autoencoder"), _report),
    **dict.fromkeys(("classification", "linear classifier", "embedding classifier"), _report_task),
    **dict.fromkeys(("linear matcher", "linear tagger"), _report_task),
}

PAGES: dict[str, type[PageModel]] = {
    "word2vec": PageWordVectors,
    "linear classifier": PageLinear,
}

RUN_READERS = [
    Reader(f"run of {kind}", partial(_write, kind), partial(_read, USES.get(kind, _ask_classifier)))
    for kind in KINDS
] + [Reader(f"report of {kind}", partial(_write, kind), read) for kind, read in REPORTS.items()]
RUN_READERS += [
    Reader(f"texts of {kind}", partial(_write, kind), partial(_read_texts, made))
    for kind, made in PAGES.items()
]
RUN_READERS += [
    Reader(f"folder of {kind}", partial(_write_published, kind, head), partial(_read, use))
    for (kind, head), use in PUBLISHED.items()
]
