"""Pretrain language representations on your own text, and turn them into working models.

Names are imported when they are first used, so that ``import foretext`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from foretext._version import __version__
from foretext.base.openmp import limit_spinning, survive_forks

if TYPE_CHECKING:
    from foretext.artifact import load
    from foretext.base.errors import ForetextError
    from foretext.base.reader_language import in_language
    from foretext.base.registry import trust
    from foretext.cleaning.clean import clean
    from foretext.comparison.compare import compare
    from foretext.corpus import Corpus
    from foretext.corpus.phrases import Phrases
    from foretext.corpus.texts import texts
    from foretext.estimators import Autoencoder, Doc2Vec, FastText, GloVe, Word2Vec
    from foretext.estimators.classifier import Classifier
    from foretext.estimators.sentence_encoder import SentenceEncoder
    from foretext.estimators.tagger import Tagger
    from foretext.exporting.export import export
    from foretext.exporting.page.folder import export_page
    from foretext.finetuning.finetune import finetune
    from foretext.language_model import LanguageModel
    from foretext.pretraining.distill import distill
    from foretext.pretraining.pretraining import pretrain
    from foretext.pretraining.showing import show
    from foretext.recipe import Recipe
    from foretext.search import SearchIndex
    from foretext.search.index import index
    from foretext.suggestion.suggest import suggest
    from foretext.tasks.classification.embeddings.classifier import EmbeddingClassifier
    from foretext.tasks.classification.linear import LinearClassifier
    from foretext.tasks.fasttext.classifier import FastTextClassifier
    from foretext.tasks.matching.linear import LinearMatcher
    from foretext.tasks.tagging.linear import LinearTagger
    from foretext.vectors.document_vectors import DocumentVectors
    from foretext.vectors.word_vectors import WordVectors

__all__ = [
    "Autoencoder",
    "Classifier",
    "Corpus",
    "Doc2Vec",
    "DocumentVectors",
    "EmbeddingClassifier",
    "FastText",
    "FastTextClassifier",
    "ForetextError",
    "GloVe",
    "LanguageModel",
    "LinearClassifier",
    "LinearMatcher",
    "LinearTagger",
    "Phrases",
    "Recipe",
    "SearchIndex",
    "SentenceEncoder",
    "Tagger",
    "Word2Vec",
    "WordVectors",
    "__version__",
    "clean",
    "compare",
    "distill",
    "export",
    "export_page",
    "finetune",
    "in_language",
    "index",
    "load",
    "pretrain",
    "show",
    "suggest",
    "texts",
    "trust",
]

_HOMES = {
    "Autoencoder": "foretext.estimators",
    "Classifier": "foretext.estimators.classifier",
    "Corpus": "foretext.corpus",
    "Doc2Vec": "foretext.estimators",
    "DocumentVectors": "foretext.vectors.document_vectors",
    "EmbeddingClassifier": "foretext.tasks.classification.embeddings.classifier",
    "FastText": "foretext.estimators",
    "FastTextClassifier": "foretext.tasks.fasttext.classifier",
    "ForetextError": "foretext.base.errors",
    "GloVe": "foretext.estimators",
    "LanguageModel": "foretext.language_model",
    "LinearClassifier": "foretext.tasks.classification.linear",
    "LinearMatcher": "foretext.tasks.matching.linear",
    "LinearTagger": "foretext.tasks.tagging.linear",
    "Phrases": "foretext.corpus.phrases",
    "Recipe": "foretext.recipe",
    "SearchIndex": "foretext.search",
    "SentenceEncoder": "foretext.estimators.sentence_encoder",
    "Tagger": "foretext.estimators.tagger",
    "Word2Vec": "foretext.estimators",
    "WordVectors": "foretext.vectors.word_vectors",
    "clean": "foretext.cleaning",
    "compare": "foretext.comparison.compare",
    "distill": "foretext.pretraining.distill",
    "export": "foretext.exporting.export",
    "export_page": "foretext.exporting.page.folder",
    "finetune": "foretext.finetuning.finetune",
    "in_language": "foretext.base.reader_language",
    "index": "foretext.search.index",
    "load": "foretext.artifact",
    "pretrain": "foretext.pretraining.pretraining",
    "show": "foretext.pretraining.showing",
    "suggest": "foretext.suggestion.suggest",
    "texts": "foretext.corpus.texts",
    "trust": "foretext.base.registry",
}

survive_forks()
limit_spinning()  # here, because it has an effect only before PyTorch is loaded

if not TYPE_CHECKING:  # which would take any name for one of ours

    def __getattr__(name: str) -> Any:
        if name in ("config", "errors"):
            return importlib.import_module(f"foretext.{name}")
        if name not in _HOMES:
            raise AttributeError(f"module 'foretext' has no attribute '{name}'")
        from foretext.base.registry import imported

        value = imported(f"{_HOMES[name]}:{name}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
