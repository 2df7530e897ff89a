"""Document vectors: the road of word vectors, with a name for each document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import numpy as np

from foretext._version import __version__
from foretext.base.errors import SettingError
from foretext.corpus import Corpus
from foretext.corpus.document_names import document_names
from foretext.data.token_file import TokenFile
from foretext.pretraining.budget import with_training_time
from foretext.pretraining.job import PretrainingJob
from foretext.pretraining.word_vectors import encode_text
from foretext.recipe import Recipe
from foretext.report.document_card import documents_card
from foretext.tokenizers.word_tokenizer import WordTokenizer
from foretext.vectors import VECTORS
from foretext.vectors.best_weights import ending_sentence, warned
from foretext.vectors.doc2vec import Doc2Vec, Doc2VecConfig
from foretext.vectors.document_vectors import MOST_FOUND_AGAIN, DocumentVectors

__all__ = ["learn_documents"]

BEGINNING = 80  # letters of a document, by which a person knows it again


class NamedDocuments(NamedTuple):
    """The documents of a corpus, and which of them have words."""

    names: list[str]
    beginnings: list[str]
    filled: np.ndarray  # (documents of the token file,) rows among the names

    @classmethod
    def of(
        cls, text: Corpus, column: str | None, tokenizer: WordTokenizer, tokens: TokenFile
    ) -> NamedDocuments:
        """Pass over a text that is encoded, for its names.

        Raises:
            CorpusError: the names cannot be used; see `document_names`.
        """
        beginnings = [_beginning(document) for document in _documents(text)]
        names = [name for name, _ in zip(document_names(text, column), beginnings, strict=False)]
        filled = np.arange(len(names))
        if len(names) != tokens.num_documents:  # one without a word has no tokens
            has_words = [bool(tokenizer.words(document)) for document in _documents(text)]
            filled = np.flatnonzero(has_words)
        assert len(filled) == tokens.num_documents, (len(filled), tokens.num_documents)
        return cls(names, beginnings, filled)


def learn_documents(job: PretrainingJob) -> tuple[DocumentVectors, list[dict[str, Any]]]:
    """Learn document vectors, and keep them in the run's folder; returns them and the records."""
    if job.base is not None:
        raise SettingError(
            "doc2vec cannot go on from other vectors; leave out the base. Vectors of new documents "
            "are inferred by embed."
        )
    job = job.opened()  # a stream is read again for the names
    tokenizer, tokens = encode_text(job)
    component: type[Doc2Vec] = VECTORS.resolve(job.recipe.name)
    config = cast(Doc2VecConfig, job.recipe.vectors)
    named = NamedDocuments.of(job.text(), config.names, tokenizer, tokens.train)
    job = with_training_time(job)
    config = cast(Doc2VecConfig, job.recipe.vectors)  # with the time that is left
    learner = component(config, tokenizer.vocabulary, tokens)
    with job.training_context() as context:
        history = learner.train(context)
    tokens.train.release()
    job.run.note(f"trained in {history[-1]['time']:.1f} s" if history else "nothing to train on")
    if (ending := ending_sentence(history)) is not None:
        job.note(ending)
    vectors = np.zeros((len(named.names), learner.config.vector_size), np.float32)
    vectors[named.filled] = learner.network.documents
    documents = DocumentVectors(named.names, vectors, named.beginnings, tokenizer, learner.network)
    if job.keep:
        documents.save(job.run.path)
        _finish(job, documents, tokens.train, named, history)
    return documents, history


def _finish(
    job: PretrainingJob,
    documents: DocumentVectors,
    tokens: TokenFile,
    named: NamedDocuments,
    history: list[dict[str, Any]],
) -> None:
    """Write what people read: the card and the mark of a finished run."""
    recipe, run = job.recipe, job.run
    facts = {
        "foretext": __version__,
        "kind": documents.kind,
        "recipe": recipe.name,
        "vocab_size": documents.tokenizer.vocab_size - 1,
        "vector_size": documents.vector_size,
        "tokens": tokens.num_tokens,
        "documents": len(documents),
        "held_out_tokens": int(recipe.data.valid_rate * tokens.num_tokens),
        **job.used_text,
        "pre_tokenizer": documents.tokenizer.config.pre_tokenizer,
        "loss": history[-1]["loss"] if history else None,
        "valid_loss": history[-1]["valid_loss"] if history else None,
        "found_again_rate": _found_again_rate(documents, job.text(), named, recipe),
        "seconds": history[-1]["time"] if history else None,
        **warned(history),
    }
    run.finish(documents_card(recipe, facts, str(run.named)), facts, job.report)


def _found_again_rate(
    documents: DocumentVectors, text: Corpus, named: NamedDocuments, recipe: Recipe
) -> float:
    """How often a document is nearest to its own text; of the first ones that have words."""
    rows = named.filled[:MOST_FOUND_AGAIN].tolist()
    wanted = set(rows)
    texts = [
        document
        for row, document in zip(range(rows[-1] + 1), _documents(text), strict=False)
        if row in wanted
    ]
    return round(documents.found_again_rate(texts, rows, seed=recipe.vectors.seed), 4)


def _documents(text: Corpus) -> Iterator[str]:
    for block in text.blocks():
        yield from block[:-2].split("\n\n")


def _beginning(document: str) -> str:
    line = " ".join(document[: 4 * BEGINNING].split())
    return line if len(line) <= BEGINNING else f"{line[: BEGINNING - 3]}..."
