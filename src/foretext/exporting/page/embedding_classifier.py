"""A classifier of frozen vectors and words on a page: its views, the heads on them, their mixture.

It is what `auto` learns for classification: doc2vec, word2vec and words side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.corpus.decoding import normalize
from foretext.data.rows.label import label_array
from foretext.exporting.page.document_vectors import PageDocumentVectors
from foretext.exporting.page.page_model import (
    Answers,
    PageModel,
    label_answers,
    texts_of_rows,
)
from foretext.exporting.page.parts import named_parts, part_named
from foretext.exporting.page.splitting import needs_jieba
from foretext.exporting.page.storage import Matrices
from foretext.exporting.page.tf_idf import PageTfIdf
from foretext.exporting.page.word_vectors import PageWordVectors
from foretext.messages import message
from foretext.tasks.classification.embeddings.classifier import EmbeddingClassifier
from foretext.tasks.classification.embeddings.logistic_head import LogisticHead
from foretext.tasks.classification.embeddings.unlabelled import EM_WEIGHTS
from foretext.vectors.text_embedding import word_weights

__all__ = ["PageEmbeddingClassifier"]

WORDS = "words"  # the kind of a view, beside those of what embeds
BASES: Mapping[str, type[PageWordVectors] | type[PageDocumentVectors]] = {
    "word vectors": PageWordVectors,
    "document vectors": PageDocumentVectors,
}


class PageEmbeddingClassifier(PageModel):
    """Views of a text, and logistic regressions on them, whose probabilities are mixed.

    Args:
        model: the classifier.
        name: that the page shows.

    Raises:
        SettingError: a browser cannot run one of its bases.
    """

    kind = "embedding classifier"
    abilities = ("predict",)
    model: EmbeddingClassifier

    def __init__(self, model: EmbeddingClassifier, name: str) -> None:
        super().__init__(model, name)
        views: dict[str, Any] = {f"view{number}": view for number, view in enumerate(model.views)}
        self._bases = {  # by the names of their parts
            part: _page_base(view, name) for part, view in views.items() if not view.reads_words
        }
        self._words = {
            part: PageTfIdf(view.config, view.names, view.idf, "NFC")
            for part, view in views.items()
            if view.reads_words
        }
        self._views = {part: {**self._bases, **self._words}[part] for part in views}

    @property
    def labels(self) -> list[Any]:  # type: ignore[override]
        """As they came: texts, whole numbers or booleans."""
        return list(label_array(self.model.label_names).tolist())

    @property
    def settings(self) -> dict[str, Any]:
        """What the page's own class has to know."""
        kinds = {name: base.kind for name, base in self._bases.items()}
        return {
            "form": self.model.parts.form,
            "several": self.model.is_multi_label,
            "views": [
                {"name": name, "kind": kinds.get(name, WORDS), "settings": view.settings}
                for name, view in self._views.items()
            ],
            "heads": [
                {
                    "name": f"head{number}",
                    "views": kept.views,
                    "weight": kept.weight,
                    "binary": kept.learned_by in EM_WEIGHTS,  # whether features count once
                }
                for number, kept in enumerate(self.model.heads)
            ],
        }

    @property
    def matrices(self) -> Matrices:
        """Matrices that may be stored in fewer bytes."""
        heads = {
            f"head{number}.weights": np.asarray(kept.head.weights, np.float32)
            for number, kept in enumerate(self.model.heads)
        }
        return {**named_parts({name: base.matrices for name, base in self._bases.items()}), **heads}

    @property
    def tensors(self) -> dict[str, NDArray[Any]]:
        """Those of each view, what is taken out of vectors, weights of words and biases."""
        heads = {
            f"head{number}.bias": np.asarray(kept.head.bias, np.float32)
            for number, kept in enumerate(self.model.heads)
        }
        views = zip(self._views.items(), self.model.views, strict=True)
        found = {name: {**page.tensors, **_own_tensors(view)} for (name, page), view in views}
        return {**named_parts(found), **heads}

    @property
    def texts(self) -> Mapping[str, Sequence[str]]:
        """The words of each view."""
        return named_parts({name: view.texts for name, view in self._views.items()})

    def texts_of(self, run: Path) -> list[str]:
        """Return the first texts of the rows that it has learned from."""
        return texts_of_rows(run, self.model)

    @property
    def remedy(self) -> str:
        """What makes the page smaller."""
        return message("exporting.remedy.embeddings")

    def with_matrices(self, matrices: Matrices) -> PageEmbeddingClassifier:
        """Return the same with other numbers."""
        parts = self.model.parts
        views = [
            view
            if name not in self._bases
            else replace(
                view, model=self._bases[name].with_matrices(part_named(name, matrices)).model
            )
            for name, view in zip(self._views, parts.views, strict=True)
        ]
        heads = [
            kept._replace(head=LogisticHead(matrices[f"head{number}.weights"], kept.head.bias))
            for number, kept in enumerate(parts.heads)
        ]
        changed = parts._replace(views=views, heads=heads)
        return PageEmbeddingClassifier(EmbeddingClassifier.of_parts(changed), self.name)

    def parts(self, text: str) -> list[Sequence[Any]]:
        """Return what each view reads of a text: words, characters, or numbers of words."""
        composed = normalize(text, self.model.parts.form)
        return [list(view.parts(composed)) for view in self._views.values()]

    def inferred_words(self, text: str) -> int:
        """Return the words of a text that document vectors are learned over."""
        composed = normalize(text, self.model.parts.form)
        return sum(base.inferred_words(composed) for base in self._bases.values())

    def answers(self, texts: Sequence[str]) -> Answers:
        """Return how probable each label is for each text, and which one is the most probable."""
        return label_answers(self.model, self.labels, texts)

    @property
    def frequent_words(self) -> Sequence[str]:
        """The words of the first base, or without one the features that are words."""
        found = [base.frequent_words for base in self._bases.values()]
        return [*found, *(words.names for words in self._words.values())][0]


def _page_base(view: Any, name: str) -> PageWordVectors | PageDocumentVectors:
    """Return what embeds, as a page has it.

    Raises:
        SettingError: a browser cannot run it.
    """
    kind = view.model.kind
    is_of_tokens = kind == PageWordVectors.kind and view.model.tokenizer is not None
    if kind not in BASES or is_of_tokens:
        raise SettingError(
            f"A web page cannot run '{view.name}', on which {name} has learned; it can run word "
            "vectors and document vectors of words. Use `foretext serve`."
        )
    is_of_documents = kind == PageDocumentVectors.kind
    if is_of_documents and needs_jieba(view.model.tokenizer.pre_tokenizer):
        raise _of_jieba(view, name)
    base = BASES[kind](view.model, view.name)
    if not base.reads_texts:
        raise _of_jieba(view, name)
    return base


def _of_jieba(view: Any, name: str) -> SettingError:
    recipe = "doc2vec" if view.model.kind == PageDocumentVectors.kind else "word2vec"
    return SettingError(
        f"'{view.name}', on which {name} has learned, cuts Chinese text by jieba, which does not "
        f"run in a browser; learn a base without it by `foretext pretrain {recipe} TEXTS -o BASE "
        "--set tokenizer.pre_tokenizer=chinese_characters` and give it by `foretext finetune ... "
        "--with BASE` in its place, or serve the model by `foretext serve`."
    )


def _own_tensors(view: Any) -> dict[str, NDArray[Any]]:
    """Return what a classifier knows of a view of vectors: a direction, and weights of words."""
    found = {} if view.direction is None else {"direction": view.direction}
    if view.reads_words or view.weighting is None:
        return found
    weights = word_weights(view.weighting, view.model.counts, view.a)
    return found if weights is None else {**found, "weights": weights}
